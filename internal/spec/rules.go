package spec

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// ruleKeywords are the keywords that constrain a value.
var ruleKeywords = []string{
	"minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
}

// rules are the constraints that make sense for a type.
func (l *loader) rules(t *Type, s *shape) Rules {
	var r Rules
	for _, rule := range s.rules {
		keyword := rule.key.Value
		switch {
		case t.Kind == Primitive && t.Go == "string":
			l.textRule(&r, keyword, rule)
		case t.Kind == Primitive && isNumber(t.Go):
			l.numberRule(&r, t.Go, keyword, rule)
		case t.Kind == Slice:
			switch keyword {
			case "minItems":
				raise(&r.MinItems, rule)
			case "maxItems":
				lower(&r.MaxItems, rule)
			case "uniqueItems":
				r.UniqueItems = r.UniqueItems || rule.flag()
			}
		case t.Kind == Map || t.Kind == Struct && t.Extra != nil:
			switch keyword {
			case "minProperties":
				raise(&r.MinProperties, rule)
			case "maxProperties":
				lower(&r.MaxProperties, rule)
			}
		}
	}
	if t.Kind == Slice && s.sealed != nil && (r.MaxItems == nil || *r.MaxItems > *s.sealed) {
		r.MaxItems = s.sealed
	}
	if impossible(r.MinLength, r.MaxLength) || impossible(r.MinItems, r.MaxItems) || impossible(r.MinProperties, r.MaxProperties) {
		l.note(s.at, "correct the limits", "no value can meet the limits: the least is above the most")
	}
	return r
}

func (l *loader) textRule(r *Rules, keyword string, rule cursor) {
	switch keyword {
	case "minLength":
		raise(&r.MinLength, rule)
	case "maxLength":
		lower(&r.MaxLength, rule)
	case "pattern":
		switch _, err := regexp.Compile(rule.text()); {
		case err != nil:
			l.note(rule, "", "the pattern is not checked: Go's regular expressions cannot express it")
		case r.Pattern != "" && r.Pattern != rule.text():
			l.note(rule, "", "the pattern is not checked: another one applies too")
		default:
			r.Pattern = rule.text()
		}
	}
}

// raise keeps the larger of two lower limits.
func raise(limit **int, rule cursor) {
	if n, ok := count(rule); ok && n > 0 && (*limit == nil || **limit < n) {
		*limit = &n
	}
}

// lower keeps the smaller of two upper limits.
func lower(limit **int, rule cursor) {
	if n, ok := count(rule); ok && (*limit == nil || **limit > n) {
		*limit = &n
	}
}

// count is a whole number that a limit can be. Larger ones limit nothing.
func count(rule cursor) (int, bool) {
	d, ok := decimal(rule.text())
	if !ok || !d.IsInt() || d.Sign() < 0 || !d.Num().IsInt64() || d.Num().Int64() > math.MaxInt32 {
		return 0, false
	}
	return int(d.Num().Int64()), true
}

func impossible(least, most *int) bool { return least != nil && most != nil && *least > *most }

func isNumber(goType string) bool {
	return strings.Contains(goType, "int") || strings.HasPrefix(goType, "float")
}

// numberRule adds a limit to a number.
func (l *loader) numberRule(r *Rules, goType, keyword string, rule cursor) {
	if rule.tagged("!!bool") {
		// Until 3.0, exclusiveMinimum is a flag beside minimum.
		switch {
		case keyword == "exclusiveMinimum" && rule.flag() && r.Minimum != "":
			r.ExclusiveMinimum = true
		case keyword == "exclusiveMaximum" && rule.flag() && r.Maximum != "":
			r.ExclusiveMaximum = true
		}
		return
	}
	bound, ok := decimal(rule.text())
	if !ok {
		l.note(rule, "", "%s is not checked: it is no number of a reasonable size", keyword)
		return
	}
	whole := strings.Contains(goType, "int")
	if !whole && !finite(rule.text(), goType) {
		l.note(rule, "", "%s is not checked: no %s has this value", keyword, goType)
		return
	}
	switch keyword {
	case "minimum", "exclusiveMinimum":
		l.lowerBound(r, goType, bound, keyword == "exclusiveMinimum", rule)
	case "maximum", "exclusiveMaximum":
		l.upperBound(r, goType, bound, keyword == "exclusiveMaximum", rule)
	case "multipleOf":
		if bound.Sign() <= 0 || whole && !bound.IsInt() || whole && !fits(bound, goType) {
			l.note(rule, "", "multipleOf is not checked: the type %s cannot hold it", goType)
			return
		}
		r.MultipleOf = written(bound, whole, rule)
	}
}

func (l *loader) lowerBound(r *Rules, goType string, bound *big.Rat, exclusive bool, rule cursor) {
	whole := strings.Contains(goType, "int")
	if whole && !bound.IsInt() {
		bound, exclusive = new(big.Rat).SetInt(floor(bound).Add(floor(bound), big.NewInt(1))), false
	}
	if whole && !fits(bound, goType) {
		if bound.Sign() > 0 {
			l.note(rule, "use a larger format", "minimum is not checked: no %s is so large", goType)
		}
		return
	}
	if have, ok := decimal(r.Minimum); ok && (have.Cmp(bound) > 0 || have.Cmp(bound) == 0 && r.ExclusiveMinimum) {
		return
	}
	r.Minimum, r.ExclusiveMinimum = written(bound, whole, rule), exclusive
}

func (l *loader) upperBound(r *Rules, goType string, bound *big.Rat, exclusive bool, rule cursor) {
	whole := strings.Contains(goType, "int")
	if whole && !bound.IsInt() {
		bound, exclusive = new(big.Rat).SetInt(floor(bound)), false
	}
	if whole && !fits(bound, goType) {
		if bound.Sign() < 0 {
			l.note(rule, "use a larger format", "maximum is not checked: no %s is so small", goType)
		}
		return
	}
	if have, ok := decimal(r.Maximum); ok && (have.Cmp(bound) < 0 || have.Cmp(bound) == 0 && r.ExclusiveMaximum) {
		return
	}
	r.Maximum, r.ExclusiveMaximum = written(bound, whole, rule), exclusive
}

var decimalText = regexp.MustCompile(`^[-+]?[0-9]*\.?[0-9]*([eE][-+]?[0-9]{1,3})?$`)

// decimal is the exact value of a number as it is written. Numbers of absurd
// size are refused before they are expanded.
func decimal(text string) (*big.Rat, bool) {
	if text == "" || len(text) > 400 || !decimalText.MatchString(text) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// finite reports whether a floating point type holds a number.
func finite(text, goType string) bool {
	bits := 64
	if goType == "float32" {
		bits = 32
	}
	_, err := strconv.ParseFloat(text, bits)
	return err == nil
}

func floor(r *big.Rat) *big.Int {
	quotient := new(big.Int)
	return quotient.Div(r.Num(), r.Denom()) // Euclidean: rounds down for a positive denominator
}

// fits reports whether an integer type holds a whole number.
func fits(r *big.Rat, goType string) bool {
	bits := 64
	if strings.HasSuffix(goType, "32") {
		bits = 32
	}
	var err error
	if strings.HasPrefix(goType, "u") {
		_, err = strconv.ParseUint(r.Num().String(), 10, bits)
	} else {
		_, err = strconv.ParseInt(r.Num().String(), 10, bits)
	}
	return err == nil
}

// written is a number as Go source has it: whole numbers without exponent, others
// as they are written, as a decimal fraction loses nothing by that.
func written(r *big.Rat, whole bool, rule cursor) string {
	if whole {
		return r.Num().String()
	}
	return number(r, rule.text())
}

// number is written for a floating point type.
func number(r *big.Rat, text string) string {
	if r.IsInt() && len(r.Num().String()) < 20 {
		return r.Num().String()
	}
	return strings.TrimPrefix(text, "+")
}
