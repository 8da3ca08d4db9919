package suggest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// reader reads what the IR does not hold: keys of other tools, headers of failures.
type reader struct{ docs *source.Documents }

// target is where an overlay finds an operation, or why it does not.
func (d reader) target(op *spec.Operation) (path, missed string) {
	names := []string{"paths", op.Route, strings.ToLower(op.Method)}
	if !d.docs.Reached(names...) {
		return "", "a $ref leads to it, which no overlay follows: annotate it where it is written"
	}
	path, err := source.JSONPath(names...)
	if err != nil {
		return "", "its path makes no JSONPath: " + err.Error()
	}
	return path, ""
}

func (d reader) evidence(op *spec.Operation) evidence {
	e := evidence{
		method: op.Method,
		byID:   strings.HasSuffix(strings.TrimSuffix(op.Route, "/"), "}"),
		verb:   report.ActingVerb(op.ID()),
	}
	for _, p := range op.Headers {
		named := word{p.Name.Wire, p.Pos}
		switch {
		case p.In == "header" && bearsKey(p.Name.Wire):
			e.keys = append(e.keys, named)
		case p.In == "header" && (namesKey(p.Name.Wire) || namesRequest(p.Name.Wire)):
			e.requests = append(e.requests, named)
		}
	}
	if op.Body != nil && op.Body.Type != nil {
		for _, f := range op.Body.Type.Type.Fields {
			if namesKey(f.Name.Wire) {
				e.fields = append(e.fields, word{f.Name.Wire, f.Pos})
			}
		}
	}
	pointer := source.Pointer("paths", op.Route, strings.ToLower(op.Method))
	e.hints = d.hints(pointer)
	e.sharedKeys = d.fernHeaders()
	e.delays = d.delays(pointer)
	if len(e.keys) == 1 {
		e.keyRules = d.rules(op, e.keys[0].text)
	}
	return e
}

// namesKey reports whether a name has to do with an idempotency key.
func namesKey(name string) bool { return strings.Contains(strings.ToLower(name), "idempoten") }

// bearsKey reports whether a header is called after the key that it bears, and not
// after something else of it, as Idempotency-Expiry is.
func bearsKey(header string) bool { return keyName.MatchString(header) }

var keyName = regexp.MustCompile(`(?i)^([a-z0-9][a-z0-9_.-]*[_.-])?idempoten(cy|ce)([_-]?(key|token|id))?$`)

// namesRequest reports whether a header names a request: for tracing alone as a
// rule, and with some providers as a key.
func namesRequest(name string) bool {
	name = strings.ToLower(name)
	for _, tail := range []string{"request-id", "correlation-id", "transaction-id", "message-id"} {
		if strings.HasSuffix(name, tail) {
			return true
		}
	}
	return false
}

// rules are those of the schema of a header, which a key that is drawn may break.
func (d reader) rules(op *spec.Operation, header string) (found []word) {
	item := source.Pointer("paths", op.Route)
	for _, parameters := range []string{item + source.Pointer(strings.ToLower(op.Method), "parameters"), item + source.Pointer("parameters")} {
		list := d.docs.Node("", parameters)
		if list == nil || list.Kind != yaml.SequenceNode {
			continue
		}
		for i := range list.Content {
			parameter := parameters + source.Pointer(strconv.Itoa(i))
			if name := d.docs.Node("", parameter+"/name"); name == nil || name.Value != header {
				continue
			}
			for key := range source.Members(d.docs.Node("", parameter+"/schema")) {
				if slices.Contains([]string{"format", "pattern", "enum", "minLength", "maxLength"}, key.Value) {
					found = append(found, word{key.Value, d.docs.Pos("", parameter+"/schema"+source.Pointer(key.Value))})
				}
			}
			return found
		}
	}
	return nil
}

// delays are the Retry-After headers of the answers that a client waits after.
func (d reader) delays(operation string) (found []word) {
	for _, status := range []string{"429", "503"} {
		headers := operation + source.Pointer("responses", status, "headers")
		for key := range source.Members(d.docs.Node("", headers)) {
			if strings.EqualFold(key.Value, "Retry-After") {
				found = append(found, word{status, d.docs.Pos("", headers+source.Pointer(key.Value))})
			}
		}
	}
	return found
}

// fernHeaders are those that Fern's idempotent endpoints take.
func (d reader) fernHeaders() (found []word) {
	list := d.docs.Node("", source.Pointer(fernHeaders))
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	for _, item := range list.Content {
		if key, header := source.Member(item, "header"); key != nil && header.Kind == yaml.ScalarNode {
			found = append(found, word{header.Value, d.docs.At("")(key)})
		}
	}
	return found
}

// remarks are what the document says of all operations.
func (d reader) remarks() (remarks []string) {
	if key, _ := source.Member(d.docs.Node("", ""), speakeasyRetries); key != nil {
		remarks = append(remarks, quote(key.Value, d.docs.At("")(key))+" "+saysRetried)
	}
	return remarks
}
