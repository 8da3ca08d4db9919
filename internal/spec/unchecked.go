package spec

// unchecked are the keywords that only constrain a value, and that nothing is
// generated for.
var unchecked = []struct{ keyword, fix string }{
	{"not", ""},
	{"if", "describe the properties of then and else under properties, too"},
	{"dependentRequired", ""},
	{"dependentSchemas", "describe their properties under properties, too"},
	{"contains", ""},
	{"propertyNames", ""},
}

// noteUnchecked notes what requests are not checked for.
func (l *loader) noteUnchecked(c cursor) {
	for _, one := range unchecked {
		at := c.get(one.keyword)
		if !at.exists() || at.tagged("!!bool") && at.flag() != (one.keyword == "not") {
			continue // it forbids nothing
		}
		l.note(at, one.fix, "%s is not checked in requests", one.keyword)
	}
}

// readPatterns reads patternProperties: properties whose names are not known before.
// Where no others are permitted, and they have one type, that is theirs.
func (l *loader) readPatterns(s *shape) {
	patterns := s.at.get("patternProperties")
	if !patterns.exists() {
		return
	}
	var schemas []cursor
	for _, schema := range patterns.members() {
		if !schema.tagged("!!bool") || schema.flag() {
			schemas = append(schemas, schema)
		}
	}
	switch {
	case len(schemas) == 0:
		return
	case len(schemas) == 1 && s.closed && schemas[0].isMapping():
		s.extra = schemas
	default:
		s.extra, s.free, s.closed = nil, true, false
	}
	l.note(patterns, "", "the names of patternProperties are not checked: other properties are kept by name")
}
