package spec

import "strconv"

// readItems reads the schemas of an array's items: of the first ones, each its own
// (prefixItems), and of all others.
func (s *shape) readItems() {
	for i, schema := range s.at.get("prefixItems").items() {
		if schema.tagged("!!bool") && !schema.flag() {
			s.seal(i)
			break
		}
		s.prefix = append(s.prefix, []cursor{schema})
	}
	s.readRest("items")
}

// readRest reads the schema of the items that are not in prefixItems.
func (s *shape) readRest(keyword string) {
	switch rest := s.at.get(keyword); {
	case rest.isMapping():
		s.items = []cursor{rest}
	case rest.tagged("!!bool") && !rest.flag():
		s.seal(len(s.prefix))
	}
}

// seal permits no more than n items.
func (s *shape) seal(n int) {
	if s.sealed == nil || *s.sealed > n {
		s.sealed = &n
	}
}

func (s *shape) mergeItems(other *shape) {
	prefix := make([][]cursor, max(len(s.prefix), len(other.prefix)))
	for i := range prefix {
		prefix[i] = appendNew(s.position(i), other.position(i)...)
	}
	s.prefix = prefix
	s.items = appendNew(s.items, other.items...)
	if other.sealed != nil {
		s.seal(*other.sealed)
	}
}

// position is the schemas of one item.
func (s *shape) position(i int) []cursor {
	if i < len(s.prefix) {
		return s.prefix[i]
	}
	return s.items
}

// tuple fills a struct that is an array on the wire: a field for each position. As
// of properties, those must be there that are required: the first minItems.
func (l *loader) tuple(n *named, s *shape) {
	t := n.typ
	t.Kind, t.Tuple = Struct, true
	limits := l.rules(&Type{Kind: Slice}, s)
	for i, schemas := range s.prefix {
		if limits.MaxItems != nil && i >= *limits.MaxItems {
			break
		}
		u := l.typeOf(schemas, n.inner(positionNames(schemas[0], i)[0]))
		f := &Field{
			Name:        Name{Wire: strconv.Itoa(i)},
			Required:    limits.MinItems != nil && i < *limits.MinItems,
			Description: u.about.description,
			Deprecated:  u.about.deprecated,
			Default:     u.about.fallback,
			Pos:         schemas[0].pos(),
		}
		f.Type = held(u, f.Required)
		t.Fields = append(t.Fields, f)
		n.fields = append(n.fields, schemas[0])
	}
	if limits.UniqueItems {
		l.note(s.at, "", "uniqueItems is not checked: the items are of several types")
	}
	if limits.MaxItems != nil && *limits.MaxItems <= len(t.Fields) {
		return
	}
	t.Extra = l.itemType(n, s, "Additional Item")
	t.Rules.MaxItems = limits.MaxItems
	if limits.MinItems != nil && *limits.MinItems > len(t.Fields) {
		t.Rules.MinItems = limits.MinItems
	}
}

// positionNames are the names that fit an item of a tuple: its title, and its
// number.
func positionNames(schema cursor, i int) []string {
	number := "Item" + strconv.Itoa(i+1)
	if title := schema.get("title").text(); title != "" && len(title) < 40 {
		return []string{exported(title), number}
	}
	return []string{number}
}
