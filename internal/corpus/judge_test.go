package corpus

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/internal/spec"
)

// judged are the documents of which every operation is called.
var judged = []string{"box.json", "k8s-batch-v1.json", "ogen-superset.json", "spotify.yml", "twilio-verify-v2.json"}

// beyond is what the judge cannot validate, and why.
var beyond = map[string]string{
	"GET /search":         "a list of objects in style form, which OpenAPI leaves open",
	"POST /oauth2/revoke": "a required field that the schema of the form does not describe",
	"GET /api/v1/database/{pk}/select_star/{table_name}/":                 "a path parameter that is not in the path",
	"POST /v2/Services/{ServiceSid}/Entities/{Identity}/Challenges":       "a list in a form whose items have no type",
	"POST /v2/Services/{ServiceSid}/Entities/{Identity}/Challenges/{Sid}": "a field of a form without a type",
	"POST /v2/Services/{ServiceSid}/Entities/{Identity}/Factors":          "a field of a form without a type",
	"POST /v2/Services/{ServiceSid}/Verifications":                        "a field of a form without a type",
}

// TestEveryOperation: an example request of every operation of a document is sent
// through its client, and another implementation of OpenAPI validates what arrives;
// an example response is decoded without loss.
func TestEveryOperation(t *testing.T) {
	if testing.Short() {
		t.Skip("large documents take long")
	}
	corpus := folder(t)
	for _, name := range judged {
		t.Run(name, func(t *testing.T) {
			dir := module(t)
			api, files, err := generate(spec.Options{Spec: filepath.Join(corpus, name), Package: "client"})
			require.NoError(t, err)
			writeAll(t, filepath.Join(dir, "client"), files)
			buildDriver(t, dir, []string{"client"})

			judge := newJudge(t, filepath.Join(corpus, name))
			server := httptest.NewServer(judge)
			defer server.Close()
			var calls []call
			for _, op := range api.Operations {
				calls = append(calls, judge.example(op))
			}
			judge.check(drive(t, dir, server.URL, calls))
		})
	}
}

// judge is a server that validates requests against a document.
type judge struct {
	t        *testing.T
	doc      *openapi3.T
	served   map[string]json.RawMessage // by operation
	verdicts map[string]error
}

func newJudge(t *testing.T, file string) *judge {
	openapi3filter.RegisterBodyDecoder("application/apply-patch+yaml", func(io.Reader, http.Header, *openapi3.SchemaRef, openapi3filter.EncodingFn) (any, error) {
		return map[string]any{}, nil // bytes of ours are no YAML
	})
	openapi3filter.RegisterBodyDecoder("image/jpeg", openapi3filter.FileBodyDecoder)
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromFile(file)
	require.NoError(t, err)
	return &judge{t, doc, map[string]json.RawMessage{}, map[string]error{}}
}

// operation finds what "POST /pets" is. A further content type may follow, as in
// "PATCH /pets application/merge-patch+json".
func (j *judge) operation(id string) (route, method string, item *openapi3.PathItem, op *openapi3.Operation) {
	words := strings.Split(id, " ")
	method, route = words[0], words[1]
	item = j.doc.Paths.Value(route)
	return route, method, item, item.GetOperation(method)
}

// parameters are those of an operation and of its path that it does not replace.
func parameters(item *openapi3.PathItem, op *openapi3.Operation) map[string]*openapi3.Parameter {
	all := map[string]*openapi3.Parameter{}
	for _, list := range []openapi3.Parameters{item.Parameters, op.Parameters} {
		for _, p := range list {
			all[p.Value.In+" "+p.Value.Name] = p.Value
		}
	}
	return all
}

// example is a call of an operation, with a value for everything.
func (j *judge) example(op *spec.Operation) call {
	id := op.Method + " " + op.Route
	if f := op.Further; f != nil {
		id = strings.TrimSpace(id + " " + f.Sends + " " + f.Reads)
	}
	_, _, item, described := j.operation(id)
	known := parameters(item, described)
	c := call{Client: "client", Operation: id, Method: op.Name.Go, Args: []json.RawMessage{}}
	value := func(p *spec.Param) json.RawMessage {
		if described := known[p.In+" "+p.Name.Wire]; described != nil {
			return encoded(j.t, exampleOf(parameterSchema(described), request))
		}
		return json.RawMessage(`"x"`)
	}
	for _, p := range op.PathParams {
		c.Args = append(c.Args, value(p))
	}
	if op.ParamsType != "" {
		c.Params = map[string]json.RawMessage{}
		for _, p := range append(op.Query, op.Headers...) {
			c.Params[p.Name.Go] = value(p)
		}
	}
	if body := op.Body; body != nil {
		c.Body = j.body(body, described.RequestBody.Value)
	}
	return c
}

func parameterSchema(p *openapi3.Parameter) *openapi3.Schema {
	for _, media := range p.Content {
		return media.Schema.Value
	}
	return p.Schema.Value
}

func (j *judge) body(body *spec.Body, described *openapi3.RequestBody) json.RawMessage {
	media := described.Content[body.ContentType]
	if media == nil {
		media = described.Content["*/*"]
	}
	switch {
	case body.Type == nil, media == nil || media.Schema == nil:
		return json.RawMessage(`"aGVsbG8="`) // bytes
	case body.Encoding == spec.Multipart:
		return encoded(j.t, exampleOf(media.Schema.Value, form))
	}
	return encoded(j.t, exampleOf(media.Schema.Value, request))
}

func encoded(t *testing.T, v any) json.RawMessage {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

func (j *judge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("X-Operation")
	route, method, item, op := j.operation(id)
	values, err := pathValues(route, r.URL.EscapedPath())
	if err == nil {
		err = openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{
			Request: r, PathParams: values,
			Route:   &routers.Route{Spec: j.doc, Path: route, PathItem: item, Method: method, Operation: op},
			Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, SkipSettingDefaults: true},
		})
	}
	j.verdicts[id] = err
	j.answer(w, id, op)
}

var placeholder = regexp.MustCompile(`\\\{([^/]*?)\\\}`)

// pathValues are the values of the parameters in a path.
func pathValues(route, path string) (map[string]string, error) {
	route, _, _ = strings.Cut(route, "#")
	pattern := regexp.MustCompile("^" + placeholder.ReplaceAllString(regexp.QuoteMeta(route), "([^/]*)") + "$")
	found := pattern.FindStringSubmatch(path)
	if found == nil {
		return nil, fmt.Errorf("the path %s is not %s", path, route)
	}
	values := map[string]string{}
	for i, name := range placeholder.FindAllStringSubmatch(regexp.QuoteMeta(route), -1) {
		value, err := url.PathUnescape(found[i+1])
		if err != nil {
			return nil, err
		}
		values[strings.ReplaceAll(name[1], `\`, "")] = value
	}
	return values, nil
}

// answer is the example of the first success.
func (j *judge) answer(w http.ResponseWriter, id string, op *openapi3.Operation) {
	for status := 200; status < 300; status++ {
		response := op.Responses.Status(status)
		if response == nil {
			continue
		}
		for name, media := range response.Value.Content {
			if strings.HasPrefix(name, "application/json") && media.Schema != nil {
				j.served[id] = encoded(j.t, exampleOf(media.Schema.Value, answer))
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				_, _ = w.Write(j.served[id])
				return
			}
		}
		w.WriteHeader(status)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// check compares what the driver prints with what was served, and reports what the
// judge has found.
func (j *judge) check(results []result) {
	for _, r := range results {
		verdict, arrived := j.verdicts[r.Operation]
		switch {
		case !arrived:
			j.t.Errorf("%s was not sent: %s", r.Operation, r.Error)
		case verdict != nil && beyond[r.Operation] == "":
			j.t.Errorf("%s: the request does not fit the document: %.3000s", r.Operation, verdict)
		case r.Error != "":
			j.t.Errorf("%s: %.600s", r.Operation, r.Error)
		case j.served[r.Operation] != nil:
			require.JSONEq(j.t, string(j.served[r.Operation]), string(r.Value), r.Operation)
		}
	}
	j.t.Logf("%d operations", len(results))
}
