package printer

import (
	"regexp"
	"strconv"

	. "github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/internal/spec"
)

// scalar prints the checks of a string or a number.
func scalar(c check) []Code {
	switch t := c.ref.Type; {
	case t.Kind != spec.Primitive || t.Import != "":
		return nil
	case t.Go == "string":
		return stringRules(c, &t.Rules)
	default:
		return numberRules(c, &t.Rules, t.Go)
	}
}

func stringRules(c check, rules *spec.Rules) (statements []Code) {
	add := func(method string, args ...Code) {
		all := append([]Code{c.name, text(c.ref.Type, c.value)}, args...)
		statements = append(statements, Id("problems").Dot(method).Call(all...))
	}
	if rules.MinLength != nil || rules.MaxLength != nil {
		add("Length", least(rules.MinLength), most(rules.MaxLength))
	}
	if rules.Pattern != "" {
		add("Pattern", id(c.pattern))
	}
	return statements
}

func numberRules(c check, rules *spec.Rules, goType string) (statements []Code) {
	add := func(function, bound string, args ...Code) {
		if fits(bound, goType) {
			all := append([]Code{Op("&").Id("problems"), c.name, c.value, number(bound)}, args...)
			statements = append(statements, validate(function).Call(all...))
		}
	}
	add("Minimum", rules.Minimum, Lit(rules.ExclusiveMinimum))
	add("Maximum", rules.Maximum, Lit(rules.ExclusiveMaximum))
	add("MultipleOf", rules.MultipleOf)
	return statements
}

// fits reports whether there is a bound, and whether it is a constant of the
// type. spec has rounded it for integers; a float32 has no larger ones.
func fits(bound, goType string) bool {
	bits := 64
	if goType == "float32" {
		bits = 32
	}
	_, err := strconv.ParseFloat(bound, bits)
	return bound != "" && err == nil
}

var decimal = regexp.MustCompile(`^-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// number prints a number as the document writes it, exactly.
func number(text string) Code {
	if !decimal.MatchString(text) {
		panic(strconv.Quote(text) + " is not a number")
	}
	return Op(text)
}

// least and most are limits, where there are none: 0 and -1.
func least(n *int) Code {
	if n == nil {
		return Lit(0)
	}
	return Lit(*n)
}

func most(n *int) Code {
	if n == nil {
		return Lit(-1)
	}
	return Lit(*n)
}
