// Package calls calls a generated client over the loopback interface. It is
// built in a module beside the client.
package calls

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/retrygen/retrygen/runtime"

	"corpus.example/expanded"
)

// answers is a server that gives each request the next answer, and counts them.
type answers struct {
	t      *testing.T
	list   []func(http.ResponseWriter)
	served int
}

func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.served++
	if a.served > len(a.list) {
		a.t.Errorf("unexpected request %d: %s %s", a.served, r.Method, r.URL)
		return
	}
	a.list[a.served-1](w)
}

func status(code int, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

// hangUp closes the connection in place of an answer.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

func client(t *testing.T, list ...func(http.ResponseWriter)) (*expanded.Client, *answers) {
	t.Helper()
	handler := &answers{t: t, list: list}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := expanded.New(expanded.Config{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return c, handler
}

const pet = `{"id": 7, "name": "Rex", "tag": "dog"}`

func TestIdempotentReadIsRepeated(t *testing.T) {
	for name, first := range map[string]func(http.ResponseWriter){"503": status(503, ""), "no answer": hangUp} {
		t.Run(name, func(t *testing.T) {
			c, server := client(t, first, status(200, pet))
			var outcome runtime.Outcome
			got, err := c.FindPetByID(t.Context(), 7, runtime.Report(&outcome))
			if err != nil || got.Name != "Rex" || got.ID != 7 || *got.Tag != "dog" {
				t.Fatal(got, err)
			}
			if server.served != 2 || len(outcome.Attempts) != 2 {
				t.Errorf("%d requests, %d attempts; want 2", server.served, len(outcome.Attempts))
			}
		})
	}
}

func TestUndeclaredWriteIsSentOnceAndAmbiguous(t *testing.T) {
	for name, first := range map[string]func(http.ResponseWriter){"503": status(503, ""), "no answer": hangUp} {
		t.Run(name, func(t *testing.T) {
			c, server := client(t, first)
			_, err := c.AddPet(t.Context(), expanded.NewPet{Name: "Rex"})
			var ambiguous *runtime.AmbiguousError
			if !errors.As(err, &ambiguous) || ambiguous.Effect != runtime.Unknown || len(ambiguous.Attempts) != 1 {
				t.Errorf("%#v", err)
			}
			if server.served != 1 {
				t.Errorf("%d requests; want 1", server.served)
			}
		})
	}
}

func TestErrorBodyIsDecoded(t *testing.T) {
	c, server := client(t, status(404, `{"code": 40401, "message": "no such pet"}`))
	_, err := c.FindPetByID(t.Context(), 7)
	body, ok := runtime.ErrorBody[expanded.Error](err)
	if !ok || body.Code != 40401 || body.Message != "no such pet" {
		t.Errorf("%#v of %v", body, err)
	}
	if server.served != 1 {
		t.Errorf("%d requests; want 1", server.served)
	}
}

func TestWriteWithoutResultSucceeds(t *testing.T) {
	c, _ := client(t, status(500, "{}"), status(204, ""))
	if err := c.DeletePet(t.Context(), 7); err == nil {
		t.Error("a 500 is not transient unless the document says so")
	}
	if err := c.DeletePet(t.Context(), 7); err != nil {
		t.Error(err)
	}
}
