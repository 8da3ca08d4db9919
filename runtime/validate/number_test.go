package validate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

type level int8

func (level) String() string { return "a level" }

func TestMinimumAndMaximum(t *testing.T) {
	tests := []struct {
		name  string
		check func(*Problems)
		want  string
	}{
		{"at the minimum", func(p *Problems) { Minimum(p, "n", 5, 5, false) }, ""},
		{"below the minimum", func(p *Problems) { Minimum(p, "n", 4, 5, false) }, "/n: must be at least 5"},
		{"above an exclusive minimum", func(p *Problems) { Minimum(p, "n", 6, 5, true) }, ""},
		{"at an exclusive minimum", func(p *Problems) { Minimum(p, "n", 5, 5, true) }, "/n: must be more than 5"},
		{"at the maximum", func(p *Problems) { Maximum(p, "n", 0.5, 0.5, false) }, ""},
		{"above the maximum", func(p *Problems) { Maximum(p, "n", 0.6, 0.5, false) }, "/n: must be at most 0.5"},
		{"below an exclusive maximum", func(p *Problems) { Maximum(p, "n", 0.4, 0.5, true) }, ""},
		{"at an exclusive maximum", func(p *Problems) { Maximum(p, "n", 0.5, 0.5, true) }, "/n: must be less than 0.5"},
		{"exact beyond 2^53", func(p *Problems) { Maximum[int64](p, "n", 1<<53+1, 1<<53, false) }, "/n: must be at most 9007199254740992"},
		{"unsigned", func(p *Problems) { Maximum[uint64](p, "n", math.MaxUint64, math.MaxUint64-1, false) },
			"/n: must be at most 18446744073709551614"},
		{"NaN is too small", func(p *Problems) { Minimum(p, "n", math.NaN(), 0, false) }, "/n: must be at least 0"},
		{"NaN is too small, exclusive", func(p *Problems) { Minimum(p, "n", math.NaN(), 0, true) }, "/n: must be more than 0"},
		{"NaN is too large, exclusive", func(p *Problems) { Maximum(p, "n", math.NaN(), 0, true) }, "/n: must be less than 0"},
		{"NaN is too large", func(p *Problems) { Maximum(p, "n", math.NaN(), 0, false) }, "/n: must be at most 0"},
		{"a type with a text of its own", func(p *Problems) { Minimum(p, "n", level(1), 2, false) }, "/n: must be at least 2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var p Problems
			test.check(&p)
			if test.want == "" {
				require.NoError(t, p.Err())
				return
			}
			require.EqualError(t, p.Err(), test.want)
		})
	}
}

func TestMultipleOf(t *testing.T) {
	floats := []struct {
		value, factor float64
		multiple      bool
	}{
		{0.3, 0.1, true}, // not in binary
		{19.99, 0.01, true},
		{4.35, 0.01, true},
		{1e21, 0.01, true},
		{-0.6, 0.2, true},
		{0, 0.7, true},
		{0.35, 0.1, false},
		{0.30000000000000004, 0.1, false},
		{1e300, 5e-324, true},
		{math.NaN(), 1, false},
		{math.Inf(1), 1, false},
		{0.5, 0, true}, // no rule
	}
	for _, test := range floats {
		var p Problems
		MultipleOf(&p, "n", test.value, test.factor)
		require.Equal(t, test.multiple, p.Err() == nil, "%v of %v", test.value, test.factor)
	}

	var p Problems
	MultipleOf(&p, "int", int64(math.MaxInt64), 7)
	MultipleOf(&p, "uint", uint64(math.MaxUint64), 3)
	MultipleOf(&p, "float32", float32(0.3), float32(0.1))
	MultipleOf(&p, "named", level(-4), 2)
	require.NoError(t, p.Err())
	MultipleOf(&p, "int", int64(math.MaxInt64), 2)
	MultipleOf(&p, "price", 0.005, 0.01)
	require.EqualError(t, p.Err(), "/int: must be a multiple of 2\n/price: must be a multiple of 0.01")
}

func FuzzMultipleOf(f *testing.F) {
	f.Add(int32(3), uint16(1), uint8(2))
	f.Add(int32(-7), uint16(25), uint8(0))
	f.Fuzz(func(t *testing.T, count int32, factor uint16, places uint8) {
		scale := math.Pow10(int(places % 6))
		product := int64(count) * int64(factor)
		var p Problems
		MultipleOf(&p, "n", float64(product)/scale, float64(factor)/scale)
		require.NoError(t, p.Err(), "%d/%v of %d/%v", product, scale, factor, scale)
		if factor > 1 {
			MultipleOf(&p, "n", float64(product+1)/scale, float64(factor)/scale)
			require.Error(t, p.Err(), "%d/%v of %d/%v", product+1, scale, factor, scale)
		}
	})
}
