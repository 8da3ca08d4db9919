package fake

import (
	"context"
	"time"

	"github.com/retrygen/retrygen/runtime"
)

// Reach fills in how a client reaches the fake, where the test has not said it:
// base URL, connections, and a retry budget that does not run out, for one that
// depends on the traffic before makes no test.
func (s *Server) Reach(baseURL *string, config *runtime.UpstreamConfig) {
	if *baseURL == "" {
		*baseURL = s.URL()
	}
	if config.Transport == nil && config.RoundTripper == nil {
		config.Transport = s.Transport()
	}
	if config.Budget == nil {
		config.Budget = plenty{}
	}
}

// Credential is one, or what stands for it where the test has none.
func Credential(c runtime.Credential) runtime.Credential {
	if c == nil {
		return runtime.Secret("test:test") // a user and a password, too
	}
	return c
}

// Client hands a new client to the test, which drains it at its end.
func Client[C interface{ Upstream() *runtime.Upstream }](s *Server, client C, err error) C {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("%s: %v", s.name, err)
	}
	s.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
		defer cancel()
		if err := client.Upstream().Drain(ctx); err != nil {
			s.violation("calls of the client still run at the end of the test: wait for them, and close streams (%v)", err)
		}
	})
	return client
}

const drainTimeout = 5 * time.Second

// plenty is a retry budget that does not run out.
type plenty struct{}

func (plenty) Primary(time.Duration)      {}
func (plenty) Success(time.Duration)      {}
func (plenty) Affords(time.Duration) bool { return true }
func (plenty) Reserve(time.Duration) bool { return true }
func (plenty) Commit(time.Duration) bool  { return true }
func (plenty) Cancel(time.Duration)       {}
