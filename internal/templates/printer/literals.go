package printer

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	. "github.com/dave/jennifer/jen"
)

// pair is a key of a composite literal and its value. jen.Dict would sort the
// keys; a contract reads in the order of its struct.
type pair struct {
	key   string
	value Code
}

// fields prints pairs as a composite literal, one key a line.
func fields(pairs ...pair) *Statement {
	return CustomFunc(Options{Open: "{", Close: "}", Separator: ",", Multi: true}, func(g *Group) {
		for _, p := range pairs {
			g.Id(p.key).Op(":").Add(p.value)
		}
	})
}

// lines prints items as a composite literal or argument list, one a line.
func lines(open, end string, items ...Code) *Statement {
	return Custom(Options{Open: open, Close: end, Separator: ",", Multi: true}, items...)
}

var units = []struct {
	unit time.Duration
	name string
}{
	{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"},
	{time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}, {time.Nanosecond, "Nanosecond"},
}

// duration prints d in the largest unit that is exact: 90 * time.Minute. none is
// the constant of runtime for 0.
func duration(d time.Duration, none string) *Statement {
	if d == 0 && none != "" {
		return rt(none)
	}
	for _, u := range units {
		switch {
		case d == u.unit:
			return Qual("time", u.name)
		case d%u.unit == 0 && d != 0:
			return Lit(int(d/u.unit)).Op("*").Qual("time", u.name)
		}
	}
	return Lit(0)
}

// words is d as people write it: "1m", "1.5s".
func words(d time.Duration) string {
	text := d.String()
	for _, tail := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, tail) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// float prints f, without ".0" where it is whole.
func float(f float64) *Statement {
	if whole := int(f); float64(whole) == f {
		return Lit(whole)
	}
	return Lit(f)
}

// limit prints n, or the constant of runtime for none.
func limit(n int) *Statement {
	if n == 0 {
		return rt("NoLimit")
	}
	return Lit(n)
}

func ints(list []int) *Statement {
	return Index().Int().ValuesFunc(func(g *Group) {
		for _, n := range list {
			g.Lit(n)
		}
	})
}

func texts(list []string) *Statement {
	return Index().String().ValuesFunc(func(g *Group) {
		for _, s := range list {
			g.Lit(s)
		}
	})
}

// raw prints s between backquotes where that reads better and is exact: regular
// expressions, mostly.
func raw(s string) *Statement {
	visible := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
	if visible && strings.Contains(s, `\`) && strconv.CanBackquote(s) {
		return Op("`" + s + "`")
	}
	return Lit(s)
}
