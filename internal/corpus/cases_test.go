package corpus

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/spec"
)

var update = flag.Bool("update", false, "write what the cases are compared with")

const cases = "testdata/cases"

// exchange is a call of a case, and what the server answers.
type exchange struct {
	Method string
	Args   []json.RawMessage          `json:",omitempty"`
	Params map[string]json.RawMessage `json:",omitzero"`
	Body   json.RawMessage            `json:",omitempty"`
	Status int                        `json:",omitempty"` // 0: 204
	Type   string                     `json:",omitempty"` // "": JSON, where there is an answer
	Answer string                     `json:",omitempty"`

	// What must come of it. Request is "" where nothing may be sent.
	Request []string
	Value   json.RawMessage `json:",omitempty"`
	Error   string          `json:",omitempty"`
}

// TestGoldenCases: each document of testdata/cases breaks some generator, and says at
// its head how. Here it becomes a client that compiles, and whose requests and
// answers are those of the .json file beside it; or it is refused with the text of
// the .txt file.
func TestGoldenCases(t *testing.T) {
	documents, err := filepath.Glob(cases + "/*.yaml")
	require.NoError(t, err)
	dir := module(t)
	exchanges := map[string][]exchange{}
	var packages []string
	for _, document := range documents {
		name := strings.TrimSuffix(filepath.Base(document), ".yaml")
		pkg := "c" + name[:3]
		t.Run(name, func(t *testing.T) {
			_, files, err := generate(spec.Options{Spec: document, Package: pkg})
			if err != nil {
				golden(t, name+".txt", []byte(err.Error()+"\n"))
				return
			}
			writeAll(t, filepath.Join(dir, pkg), files)
			if data, err := os.ReadFile(filepath.Join(cases, name+".json")); err == nil {
				var list []exchange
				require.NoError(t, json.Unmarshal(data, &list))
				exchanges[name] = list
			}
			if files["client.gen.go"] != nil {
				packages = append(packages, pkg)
			}
		})
	}
	run(t, dir, "vet", "./...")
	buildDriver(t, dir, packages)
	for _, document := range documents {
		name := strings.TrimSuffix(filepath.Base(document), ".yaml")
		if list := exchanges[name]; list != nil {
			t.Run(name+"/wire", func(t *testing.T) {
				golden(t, name+".json", indented(t, exchanged(t, dir, "c"+name[:3], list)))
			})
		}
	}
}

// golden compares with a file of the cases.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join(cases, name)
	if *update {
		write(t, file, got)
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

func indented(t *testing.T, list []exchange) []byte {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	require.NoError(t, encoder.Encode(list))
	return out.Bytes()
}

// exchanged makes the calls of a case, and notes what came of them.
func exchanged(t *testing.T, dir, client string, list []exchange) []exchange {
	t.Helper()
	done := slices.Clone(list)
	var next int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e := &done[next]
		e.Request = noted(r)
		reply(w, e)
	}))
	defer server.Close()
	for next = range done {
		e := &done[next]
		e.Request, e.Value, e.Error = nil, nil, ""
		c := call{Client: client, Operation: fmt.Sprint(next), Method: e.Method, Args: e.Args, Params: e.Params, Body: e.Body}
		r := drive(t, dir, server.URL, []call{c})[0]
		e.Value, e.Error = r.Value, r.Error
	}
	return done
}

func reply(w http.ResponseWriter, e *exchange) {
	if e.Status == 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	kind := e.Type
	if kind == "" {
		kind = "application/json"
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(e.Status)
	_, _ = io.WriteString(w, e.Answer)
}

// noted is a request: its line, the headers that tell something, and its body.
func noted(r *http.Request) []string {
	lines := []string{r.Method + " " + r.RequestURI}
	for name := range r.Header {
		switch name {
		case "Accept-Encoding", "Content-Length", "User-Agent", "X-Operation", "X-Retry-Attempt":
			continue
		}
		for _, value := range r.Header[name] {
			if _, boundary, ok := strings.Cut(value, "boundary="); ok {
				value = strings.ReplaceAll(value, boundary, "BOUNDARY")
			}
			lines = append(lines, name+": "+value)
		}
	}
	slices.Sort(lines[1:])
	body, _ := io.ReadAll(r.Body)
	if len(body) > 0 {
		text := string(body)
		if _, boundary, ok := strings.Cut(r.Header.Get("Content-Type"), "boundary="); ok {
			text = strings.ReplaceAll(text, boundary, "BOUNDARY")
		}
		lines = append(lines, text)
	}
	return lines
}
