package report

import (
	"slices"
	"strings"
)

// Plainest leaves out the names of rows that a plainer one of the list stands
// for: that a response was cut short, or has a header, need not be said where it
// makes no difference.
func Plainest(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(plainer(name), func(plain string) bool { return slices.Contains(names, plain) })
	})
}

func plainer(name string) []string {
	all := []string{name}
	for _, leave := range []func(string) string{
		func(name string) string { return strings.TrimSuffix(name, bodyOpened) },
		func(name string) string { return strings.Replace(name, cutShort, "", 1) },
		func(name string) string {
			status, header, ok := strings.Cut(name, with)
			if ok && strings.HasSuffix(header, bodyOpened) {
				status += bodyOpened
			}
			return status
		},
	} {
		for _, name := range slices.Clone(all) {
			all = append(all, leave(name))
		}
	}
	return slices.DeleteFunc(all, func(plain string) bool { return plain == name })
}
