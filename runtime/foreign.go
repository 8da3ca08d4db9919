package runtime

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/retrygen/retrygen/runtime/internal/pool"
)

// transport makes one round trip per call of RoundTrip.
type transport interface {
	RoundTrip(*http.Request) (*http.Response, pool.Proof, error)
	Close()
}

// foreign is the user's own RoundTripper. Nothing is known of what it does, so
// nothing that fails in it is ever NotSent (RULE-EVIDENCE-NOT-SENT).
type foreign struct{ http.RoundTripper }

func (f foreign) RoundTrip(r *http.Request) (*http.Response, pool.Proof, error) {
	response, err := f.RoundTripper.RoundTrip(r)
	return response, pool.Unproven, err
}

func (f foreign) Close() {
	if idle, ok := f.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		idle.CloseIdleConnections()
	}
}

// retriers are packages whose round trippers repeat requests by themselves.
var retriers = []string{
	"github.com/hashicorp/go-retryablehttp",
	"github.com/failsafe-go/failsafe-go",
	"github.com/PuerkitoBio/rehttp",
	"github.com/sethgrid/pester",
	"github.com/gojek/heimdall",
	"github.com/projectdiscovery/retryablehttp-go",
	"github.com/go-resty/resty",
}

// refuseRetrier refuses a round tripper that is known to repeat requests, behind
// wrappers that can be unwrapped too: retries have one owner (RULE-OWNER-2).
func refuseRetrier(rt http.RoundTripper) error {
	const deepest = 16
	for depth := 0; rt != nil && depth < deepest; depth++ {
		t := reflect.TypeOf(rt)
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		for _, path := range retriers {
			if t.PkgPath() == path || strings.HasPrefix(t.PkgPath(), path+"/") {
				return fmt.Errorf("the RoundTripper %v repeats requests by itself; retries have one owner: remove it", t)
			}
		}
		if t == reflect.TypeFor[http.Transport]() {
			return fmt.Errorf("an *http.Transport repeats requests by itself: set Transport instead of RoundTripper, and its settings carry over")
		}
		wrapper, ok := rt.(interface{ Unwrap() http.RoundTripper })
		if !ok {
			return nil
		}
		rt = wrapper.Unwrap()
	}
	return nil
}
