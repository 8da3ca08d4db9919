package validate

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func problemOf[E any](items []E) string {
	var p Problems
	Unique(&p, "tags", items)
	if err := p.Err(); err != nil {
		return err.Error()
	}
	return ""
}

func TestUnique(t *testing.T) {
	type kind string
	type toy struct {
		Name string         `json:"name"`
		More map[string]any `json:"more"`
	}
	first := "/tags: must not have equal items, but items 0 and 1 are"

	require.Empty(t, problemOf[string](nil))
	require.Empty(t, problemOf([]string{"a", "b", "A"}))
	require.Equal(t, "/tags: must not have equal items, but items 1 and 3 are", problemOf([]string{"a", "b", "c", "b", "a"}))
	require.Equal(t, first, problemOf([]kind{"SECRET", "SECRET"}))
	require.Equal(t, first, problemOf([]float64{0.5, 0.5}))
	require.Empty(t, problemOf([]int64{1<<53 + 1, 1 << 53}))

	require.Equal(t, first, problemOf([]*string{new("a"), new("a")}), "by what is pointed at")
	require.Empty(t, problemOf([]*string{new("a"), nil}))
	require.Equal(t, first, problemOf([]toy{{"a", map[string]any{"x": 1, "y": 2}}, {"a", map[string]any{"y": 2, "x": 1}}}))
	require.Empty(t, problemOf([]toy{{"a", nil}, {"b", nil}}))
	require.Equal(t, first, problemOf([][]int{{1, 2}, {1, 2}}))
	require.Equal(t, first, problemOf([]any{1, 1.0}), "one number in JSON")
	require.Empty(t, problemOf([]any{1, "1", nil, false, []any{}}))

	now := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	require.Equal(t, first, problemOf([]time.Time{now, now.In(time.FixedZone("UTC", 0))}), "one text in JSON")
}

func TestUniqueLeavesWhatCannotBeEncoded(t *testing.T) {
	require.Empty(t, problemOf([]chan int{nil, nil}))
}

func BenchmarkUnique(b *testing.B) {
	items := make([]string, 1000)
	for i := range items {
		items[i] = strconv.Itoa(i)
	}
	b.ReportAllocs()
	for b.Loop() {
		require.Empty(b, problemOf(items))
	}
}
