package diff

import (
	"slices"
	"strings"
)

// signatureChanges are what call sites see.
func signatureChanges(before, after *member) []Change {
	changes := []Change{}
	add := func(key, old, new, words string) {
		if old != new {
			changes = append(changes, change(key, old, new, "", "", []Effect{{Neutral, words}}))
		}
	}
	add("operationId", before.Name.Wire, after.Name.Wire, "Errors, events and metrics bear another name.")
	add("request", request(before.Operation), request(after.Operation), "Another request is sent.")
	add("method", before.signature.Method, after.signature.Method, "The method has another name.")
	add("arguments", listed(before.signature.Arguments), listed(after.signature.Arguments), "Calls pass other arguments.")
	add("result", before.signature.Result, after.signature.Result, "Calls get another result.")
	for _, field := range before.signature.Params {
		if name, _, _ := strings.Cut(field, " "); !slices.Contains(after.signature.Params, field) {
			add("params."+name, field, fieldNamed(after.signature.Params, name), "The field of the parameters is gone, or of another type.")
		}
	}
	for _, field := range after.signature.Params {
		if name, _, _ := strings.Cut(field, " "); fieldNamed(before.signature.Params, name) == "none" {
			add("params."+name, "none", field, "There is one more parameter.")
		}
	}
	return changes
}

func listed(arguments []string) string {
	if len(arguments) == 0 {
		return "none"
	}
	return strings.Join(arguments, ", ")
}

func fieldNamed(fields []string, name string) string {
	for _, field := range fields {
		if strings.HasPrefix(field, name+" ") {
			return field
		}
	}
	return "none"
}
