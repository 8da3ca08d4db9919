package validate

import (
	"encoding/json"
	"reflect"
)

// Unique reports the first two items that are equal. Items other than plain
// strings, numbers and booleans are equal if their JSON is, for that is what the
// upstream compares. Items that cannot be encoded are left to the encoding of
// the body, which fails.
func Unique[E any](p *Problems, name string, items []E) {
	identity := jsonIdentity[E]
	if scalar(reflect.TypeFor[E]().Kind()) {
		identity = plainIdentity[E]
	}
	first := make(map[any]int, len(items))
	for i, item := range items {
		id, ok := identity(item)
		if !ok {
			continue
		}
		if j, twice := first[id]; twice {
			p.add(name, "must not have equal items, but items %d and %d are", j, i)
			return
		}
		first[id] = i
	}
}

func plainIdentity[E any](item E) (any, bool) { return item, true }

func jsonIdentity[E any](item E) (any, bool) {
	data, err := json.Marshal(item)
	return string(data), err == nil
}

func scalar(k reflect.Kind) bool {
	return k == reflect.String || reflect.Bool <= k && k <= reflect.Float64 && k != reflect.Uintptr
}
