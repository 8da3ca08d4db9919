package runtime

import (
	"fmt"
	"reflect"
	"sync"
)

// CodeSharedFailureDomain is the code of a [SharedFailureDomainError].
const CodeSharedFailureDomain = "ERR_SHARED_FAILURE_DOMAIN_LEAK"

// SharedFailureDomainError: two upstreams were to share a transport, a breaker
// or a budget. What one of them suffers would then reach the other
// (RULE-OWNER-5).
type SharedFailureDomainError struct {
	What   string // "Transport", "Breaker", ...
	Holder string // the upstream that has it
	Second string // the upstream that was refused
}

func (e *SharedFailureDomainError) Error() string {
	return fmt.Sprintf("%s: the %s of upstream %s is already that of %s: give each upstream its own, or drain the other first",
		CodeSharedFailureDomain, e.What, e.Second, e.Holder)
}

// domain is what an upstream has claimed for itself alone.
type domain struct {
	name string
	held []any
}

// claims tells who holds what, over all upstreams of the process.
var claims = struct {
	sync.Mutex
	holder map[any]string
}{holder: map[any]string{}}

// claim takes v for this upstream, or tells who has it. A value that has no
// identity (nil, a plain struct) cannot be shared.
func (d *domain) claim(what string, v any) error {
	if !hasIdentity(v) {
		return nil
	}
	claims.Lock()
	defer claims.Unlock()
	if holder, taken := claims.holder[v]; taken {
		return &SharedFailureDomainError{What: what, Holder: holder, Second: d.name}
	}
	claims.holder[v] = d.name
	d.held = append(d.held, v)
	return nil
}

// release gives back what was claimed.
func (d *domain) release() {
	claims.Lock()
	defer claims.Unlock()
	for _, v := range d.held {
		delete(claims.holder, v)
	}
	d.held = nil
}

func hasIdentity(v any) bool {
	t := reflect.TypeOf(v)
	return t != nil && t.Kind() == reflect.Pointer && t.Elem().Size() > 0 && !reflect.ValueOf(v).IsNil()
}
