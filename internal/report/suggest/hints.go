package suggest

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/annotation"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// Keys of other tools that say something of retries.
const (
	fernHeaders      = "x-fern-idempotency-headers" // at the root: [{header: Idempotency-Key}]
	fernIdempotent   = "x-fern-idempotent"          // true: the endpoint takes these headers
	fernRetries      = "x-fern-retries"             // {disabled: true}
	linkerdRetryable = "x-linkerd-retryable"        // true: the proxy repeats the request
	speakeasyRetries = "x-speakeasy-retries"        // {strategy: backoff or none, statusCodes: [5XX]}
)

// saysRetried is what a policy of retries is worth.
const saysRetried = "says when another client repeats requests, not that this does no harm"

// hint is a key of another tool on an operation.
type hint struct {
	word
	says claim
}

// claim is what a hint says of its operation.
type claim uint8

const (
	unclear  claim = iota // it has to do with idempotency
	retried               // another client repeats it after some failures
	takesKey              // it takes an idempotency key
	safe                  // repeating it does no harm
	unsafe                // it is not to be repeated
)

// hints are the keys of other tools on an operation.
func (d reader) hints(operation string) (found []hint) {
	for key, value := range source.Members(d.docs.Node("", operation)) {
		if !strings.HasPrefix(key.Value, "x-") || slices.Contains(annotation.OfOperation, key.Value) {
			continue
		}
		if says, ok := claimOf(key.Value, value); ok {
			found = append(found, hint{word{key.Value, d.docs.Pos("", operation+source.Pointer(key.Value))}, says})
		}
	}
	return found
}

// claimOf is what a key says with a value.
func claimOf(key string, value *yaml.Node) (says claim, ok bool) {
	switch {
	case key == linkerdRetryable && is(value, "true"):
		return safe, true
	case key == linkerdRetryable && is(value, "false"),
		key == fernRetries && is(member(value, "disabled"), "true"),
		key == speakeasyRetries && is(member(value, "strategy"), "none"):
		return unsafe, true
	case key == fernRetries, key == speakeasyRetries:
		return retried, true
	case key == fernIdempotent && is(value, "true"):
		return takesKey, true
	case key == fernIdempotent && is(value, "false"):
		return 0, false
	case namesKey(key):
		return unclear, true
	}
	return 0, false
}

func member(node *yaml.Node, name string) *yaml.Node {
	_, value := source.Member(node, name)
	return value
}

// is reports whether a scalar has a value, however it is written.
func is(node *yaml.Node, value string) bool {
	return node != nil && node.Kind == yaml.ScalarNode && strings.EqualFold(node.Value, value)
}
