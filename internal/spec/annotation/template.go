package annotation

import (
	"errors"
	"fmt"
	"strings"
)

// Part is a piece of a key template: a literal, or the name of a value. Exactly
// one of them is not empty.
type Part struct {
	Literal string
	Name    string
}

// maxKey is the most bytes that a key may have (RULE-KEY-VALUES).
const maxKey = 255

// maxTemplate is more than a key has: names are not sent, literals are.
const maxTemplate = 4 * maxKey

// templatePattern is what [ParseTemplate] accepts, but for the length of the key.
const templatePattern = `^[!-z|~]*\{[^{}]+\}([!-z|~]+\{[^{}]+\})*[!-z|~]*$`

// ParseTemplate splits a template such as "order-{order_id}". It refuses what
// could give two different requests the same key (RULE-KEY-INJECTIVE): two
// values without a literal between them, or no value at all.
func ParseTemplate(text string) ([]Part, error) {
	if len(text) > maxTemplate {
		return nil, errors.New("the template is too long")
	}
	var parts []Part
	for rest := text; rest != ""; {
		literal, tail, opens := strings.Cut(rest, "{")
		if err := checkLiteral(literal); err != nil {
			return nil, err
		}
		if literal != "" {
			parts = append(parts, Part{Literal: literal})
		}
		if !opens {
			break
		}
		name, after, closes := strings.Cut(tail, "}")
		if !closes || strings.Contains(name, "{") {
			return nil, errors.New("a { has no }")
		}
		if name == "" {
			return nil, errors.New("{} names no value")
		}
		if last := len(parts) - 1; last >= 0 && parts[last].Name != "" {
			return nil, fmt.Errorf("{%s}{%s} have no literal between them, so different values could make the same key", parts[last].Name, name)
		}
		parts = append(parts, Part{Name: name})
		rest = after
	}
	return parts, checkParts(parts)
}

func checkLiteral(literal string) error {
	for _, char := range literal {
		switch {
		case char == '}':
			return errors.New("a } has no {")
		case char <= ' ' || char > '~':
			return fmt.Errorf("%q is not visible ASCII", char)
		}
	}
	return nil
}

// checkParts checks the template as a whole.
func checkParts(parts []Part) error {
	names, shortest := 0, 0
	for _, part := range parts {
		if part.Name != "" {
			names++
			shortest++ // a value is never empty
		}
		shortest += len(part.Literal)
	}
	switch {
	case names == 0:
		return errors.New("the template names no value, so every call would have the same key")
	case shortest > maxKey:
		return fmt.Errorf("the key would be longer than %d bytes", maxKey)
	}
	return nil
}
