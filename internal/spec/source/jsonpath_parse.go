package source

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

const (
	maxPath    = 2000 // bytes of a path
	maxNesting = 50   // parentheses and negations of a filter
)

// pathError is a path that is no JSONPath, or one outside of the subset.
type pathError struct {
	offset  int // in bytes
	message string
}

func (e *pathError) Error() string { return e.message }

// parseJSONPath reads a path. Its error is a *pathError.
func parseJSONPath(text string) (jsonPath, error) {
	p := &pathParser{text: text}
	path, err := p.path()
	if err != nil {
		return nil, &pathError{offset: min(p.at, len(text)), message: err.Error()}
	}
	return path, nil
}

type pathParser struct {
	text    string
	at      int
	nesting int
}

func (p *pathParser) path() (jsonPath, error) {
	if len(p.text) > maxPath {
		return nil, fmt.Errorf("longer than %d bytes", maxPath)
	}
	if !p.take("$") {
		return nil, errors.New("a JSONPath starts with $")
	}
	path := jsonPath{}
	for p.at < len(p.text) {
		s, err := p.segment()
		if err != nil {
			return nil, err
		}
		path = append(path, s)
	}
	return path, nil
}

func (p *pathParser) rest() string { return p.text[p.at:] }

// take steps over a token if it is next.
func (p *pathParser) take(token string) bool {
	if !strings.HasPrefix(p.rest(), token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *pathParser) space() {
	p.at += len(p.rest()) - len(strings.TrimLeft(p.rest(), " \t\r\n"))
}

func (p *pathParser) segment() (segment, error) {
	switch {
	case p.take(".."):
		if p.take("[") {
			selectors, err := p.selectors()
			return segment{descendants: true, selectors: selectors}, err
		}
		one, err := p.shorthand()
		return segment{descendants: true, selectors: []selector{one}}, err
	case p.take("."):
		one, err := p.shorthand()
		return segment{selectors: []selector{one}}, err
	case p.take("["):
		selectors, err := p.selectors()
		return segment{selectors: selectors}, err
	}
	return segment{}, errors.New("expected . or [")
}

// shorthand is what may follow a dot.
func (p *pathParser) shorthand() (selector, error) {
	if p.take("*") {
		return everyChild, nil
	}
	name, err := p.plainName()
	return named(name), err
}

func (p *pathParser) plainName() (string, error) {
	end := strings.IndexFunc(p.rest(), func(c rune) bool {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
		return !letter && (c < '0' || c > '9')
	})
	if end < 0 {
		end = len(p.rest())
	}
	name := p.rest()[:end]
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "", errors.New("expected a name or *")
	}
	if strings.HasPrefix(p.rest()[end:], "-") {
		return "", fmt.Errorf("a name with a dash needs brackets: ['%s-...']", name)
	}
	p.at += end
	return name, nil
}

// selectors is the content of brackets.
func (p *pathParser) selectors() ([]selector, error) {
	var all []selector
	for {
		p.space()
		one, err := p.selector()
		if err != nil {
			return nil, err
		}
		all = append(all, one)
		p.space()
		if p.take("]") {
			return all, nil
		}
		if !p.take(",") {
			return nil, errors.New("expected , or ]")
		}
	}
}

func (p *pathParser) selector() (selector, error) {
	switch {
	case p.take("*"):
		return everyChild, nil
	case p.take("?"):
		holds, err := p.or()
		return filtered(holds), err
	case p.quoted():
		name, err := p.str()
		return named(name), err
	}
	index, err := p.index()
	return indexed(index), err
}

func (p *pathParser) quoted() bool {
	return strings.HasPrefix(p.rest(), "'") || strings.HasPrefix(p.rest(), `"`)
}

// str is a quoted string.
func (p *pathParser) str() (string, error) {
	quote := p.text[p.at]
	var b strings.Builder
	for i := p.at + 1; i < len(p.text); i++ {
		switch c := p.text[i]; c {
		case quote:
			p.at = i + 1
			return b.String(), nil
		case '\\':
			i++
			at := -1
			if i < len(p.text) {
				at = strings.IndexByte(`\/'"bfnrt`, p.text[i])
			}
			if at < 0 {
				return "", errors.New(`a string with an escape that is not supported; \\ \/ \' \" \b \f \n \r \t are`)
			}
			b.WriteByte("\\/'\"\b\f\n\r\t"[at])
		default:
			b.WriteByte(c)
		}
	}
	return "", errors.New("a string without end")
}

func (p *pathParser) index() (int, error) {
	digits := strings.TrimLeft(strings.TrimPrefix(p.rest(), "-"), "0123456789")
	number := p.rest()[:len(p.rest())-len(digits)]
	index, err := strconv.Atoi(number)
	if err != nil {
		return 0, errors.New("expected a quoted name, an index, * or a filter")
	}
	p.at += len(number)
	p.space()
	if strings.HasPrefix(p.rest(), ":") {
		return 0, errors.New("slices are not supported; name the indexes")
	}
	return index, nil
}

// or is a filter's expression: alternatives of conditions that hold together.
func (p *pathParser) or() (condition, error) {
	return p.list("||", p.and, func(a, b condition) condition {
		return func(n *yaml.Node) bool { return a(n) || b(n) }
	})
}

func (p *pathParser) and() (condition, error) {
	return p.list("&&", p.unary, func(a, b condition) condition {
		return func(n *yaml.Node) bool { return a(n) && b(n) }
	})
}

func (p *pathParser) list(operator string, operand func() (condition, error), join func(a, b condition) condition) (condition, error) {
	all, err := operand()
	for err == nil {
		p.space()
		if !p.take(operator) {
			break
		}
		var next condition
		next, err = operand()
		all = join(all, next)
	}
	return all, err
}

func (p *pathParser) unary() (condition, error) {
	if p.nesting++; p.nesting > maxNesting {
		return nil, errors.New("the filter is nested too deep")
	}
	defer func() { p.nesting-- }()
	p.space()
	switch {
	case p.take("!"):
		holds, err := p.unary()
		return func(n *yaml.Node) bool { return !holds(n) }, err
	case p.take("("):
		holds, err := p.or()
		if err != nil {
			return nil, err
		}
		p.space()
		if !p.take(")") {
			return nil, errors.New("expected )")
		}
		return holds, nil
	}
	return p.comparison()
}

// comparison is a test that a member exists, or a comparison of two operands.
func (p *pathParser) comparison() (condition, error) {
	isQuery := strings.HasPrefix(p.rest(), "@")
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	p.space()
	same := p.take("==")
	if !same && !p.take("!=") {
		if strings.HasPrefix(p.rest(), "<") || strings.HasPrefix(p.rest(), ">") || strings.HasPrefix(p.rest(), "=") {
			return nil, errors.New("only == and != are supported")
		}
		if !isQuery {
			return nil, errors.New("expected == or !=")
		}
		return func(n *yaml.Node) bool { return left(n) != nil }, nil
	}
	p.space()
	right, err := p.operand()
	return func(n *yaml.Node) bool { return equal(left(n), right(n)) == same }, err
}

func (p *pathParser) operand() (operand, error) {
	switch {
	case p.take("@"):
		return p.query()
	case p.quoted():
		s, err := p.str()
		return literal("!!str", s), err
	}
	end := strings.IndexAny(p.rest(), " \t\r\n)]&|=!<>,")
	if end < 0 {
		end = len(p.rest())
	}
	word := p.rest()[:end]
	tag := ""
	switch word {
	case "true", "false":
		tag = "!!bool"
	case "null":
		tag = "!!null"
	default:
		if _, err := strconv.ParseFloat(word, 64); err != nil || !strings.ContainsAny(word[:1], "-0123456789") {
			return nil, errors.New("expected @, a quoted string, a number, true, false or null; functions are not supported")
		}
		tag = "!!float"
	}
	p.at += end
	return literal(tag, word), nil
}

func literal(tag, value string) operand {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
	return func(*yaml.Node) *yaml.Node { return node }
}

// query is @ and the names and indexes that follow it.
func (p *pathParser) query() (operand, error) {
	var steps jsonPath
	for {
		switch {
		case strings.HasPrefix(p.rest(), ".."), strings.HasPrefix(p.rest(), ".*"), strings.HasPrefix(p.rest(), "[*"), strings.HasPrefix(p.rest(), "[?"):
			return nil, errors.New("within a filter only names and indexes may follow @")
		case !strings.HasPrefix(p.rest(), ".") && !strings.HasPrefix(p.rest(), "["):
			return func(current *yaml.Node) *yaml.Node {
				if found := steps.find(current); len(found) > 0 {
					return found[0].node
				}
				return nil
			}, nil
		}
		s, err := p.segment()
		if err != nil {
			return nil, err
		}
		if len(s.selectors) > 1 {
			return nil, errors.New("within a filter only one name or index may stand in brackets")
		}
		steps = append(steps, s)
	}
}
