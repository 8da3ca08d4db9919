package runtime

import (
	"fmt"
	"slices"
	"strings"
)

// Variable is a variable of a server's URL.
type Variable struct {
	Name    string
	Value   string // empty: Default
	Default string
	Enum    []string // nil: any value
}

// ServerURL is the base URL of a client: override if it is not empty, else the
// template with its variables filled in.
func ServerURL(override, template string, variables ...Variable) (string, error) {
	if override != "" {
		return override, nil
	}
	for _, v := range variables {
		value := v.Value
		if value == "" {
			value = v.Default
		}
		if v.Enum != nil && !slices.Contains(v.Enum, value) {
			return "", fmt.Errorf("retrygen: server variable %s is %q; permitted are %s", v.Name, value, strings.Join(v.Enum, ", "))
		}
		if strings.ContainsAny(value, "?#@\\ ") {
			return "", fmt.Errorf("retrygen: server variable %s is %q, which would change the rest of the URL", v.Name, value)
		}
		template = strings.ReplaceAll(template, "{"+v.Name+"}", value)
	}
	return template, nil
}
