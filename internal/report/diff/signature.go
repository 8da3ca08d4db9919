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
	fields(before.signature.Params, after.signature.Params, func(name, old, new string) {
		add("params."+name, old, new, paramEffect(old))
	})
	fields(before.signature.Body, after.signature.Body, func(name, old, new string) {
		add("body."+name, old, new, bodyEffect(old, new))
	})
	return changes
}

func paramEffect(old string) string {
	if old == absent {
		return "There is one more parameter."
	}
	return "The field of the parameters is gone, or of another type."
}

func bodyEffect(old, new string) string {
	switch {
	case old == absent && strings.HasSuffix(new, ", required"):
		return "The body has one more field, which must be set: calls that do not set it compile, and send it empty."
	case old == absent:
		return "The body has one more field."
	}
	return "The field of the body is gone, of another type, or required otherwise than before."
}

// fields are the differences of a struct that calls fill in: what is gone or changed,
// then what is new.
func fields(before, after []string, differs func(name, old, new string)) {
	for _, field := range before {
		if name, _, _ := strings.Cut(field, " "); !slices.Contains(after, field) {
			differs(name, field, fieldNamed(after, name))
		}
	}
	for _, field := range after {
		if name, _, _ := strings.Cut(field, " "); fieldNamed(before, name) == absent {
			differs(name, absent, field)
		}
	}
}

// absent stands for what is not there.
const absent = "none"

func listed(arguments []string) string {
	if len(arguments) == 0 {
		return absent
	}
	return strings.Join(arguments, ", ")
}

func fieldNamed(fields []string, name string) string {
	for _, field := range fields {
		if strings.HasPrefix(field, name+" ") {
			return field
		}
	}
	return absent
}
