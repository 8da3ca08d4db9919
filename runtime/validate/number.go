package validate

import (
	"math/big"
	"reflect"
	"strconv"
)

// Number is any type of number that generated code has.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64
}

// Minimum reports a value below bound or, if exclusive, at it. NaN is below
// every bound.
func Minimum[N Number](p *Problems, name string, value, bound N, exclusive bool) {
	switch {
	case exclusive && !(value > bound):
		p.add(name, "must be more than %s", text(bound))
	case !(value >= bound):
		p.add(name, "must be at least %s", text(bound))
	}
}

// Maximum reports a value above bound or, if exclusive, at it. NaN is above
// every bound.
func Maximum[N Number](p *Problems, name string, value, bound N, exclusive bool) {
	switch {
	case exclusive && !(value < bound):
		p.add(name, "must be less than %s", text(bound))
	case !(value <= bound):
		p.add(name, "must be at most %s", text(bound))
	}
}

// MultipleOf reports a value that is no multiple of factor. Numbers count as the
// decimals that JSON shows: 0.3 is a multiple of 0.1, although in binary it is
// not. A factor that is not positive is no rule.
func MultipleOf[N Number](p *Problems, name string, value, factor N) {
	if !(factor > 0) {
		return
	}
	v, f := rational(value), rational(factor)
	if v == nil || f == nil || !v.Quo(v, f).IsInt() {
		p.add(name, "must be a multiple of %s", text(factor))
	}
}

// rational is the decimal text of a number as an exact fraction; nil for
// infinities and NaN, which have no JSON.
func rational[N Number](n N) *big.Rat {
	r, ok := new(big.Rat).SetString(text(n))
	if !ok {
		return nil
	}
	return r
}

// text is the shortest decimal that reads back as n, which is how JSON shows it.
func text[N Number](n N) string {
	v := reflect.ValueOf(n)
	switch {
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	}
	return strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits())
}
