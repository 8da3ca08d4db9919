package golden

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime"
	"github.com/retrygen/retrygen/runtime/wire"
	extra "github.com/retrygen/retrygen/testdata/golden/additional-properties"
	"github.com/retrygen/retrygen/testdata/golden/enums"
	answers "github.com/retrygen/retrygen/testdata/golden/errors-and-statuses"
	free "github.com/retrygen/retrygen/testdata/golden/free-form"
	oneof "github.com/retrygen/retrygen/testdata/golden/one-of"
)

func textual(status int, body string) answer { return answer{status, "text/plain", body} }

func jsonal(status int, body string) answer { return answer{status, "application/json", body} }

// TestAnswersBecomeValues: what each documented 2xx is decoded to.
func TestAnswersBecomeValues(t *testing.T) {
	thing := &answers.Thing{ID: "a"}
	for name, test := range map[string]struct {
		answer answer
		call   func(context.Context, *answers.Client) (any, error)
		want   any
	}{
		"an object":               {json200(`{"id":"a","new":[1]}`), func(ctx context.Context, c *answers.Client) (any, error) { return c.One(ctx) }, thing},
		"in any charset":          {answer{200, "application/json; charset=utf-8", `{"id":"a"}`}, func(ctx context.Context, c *answers.Client) (any, error) { return c.One(ctx) }, thing},
		"of the second status":    {jsonal(201, `{"id":"a"}`), func(ctx context.Context, c *answers.Client) (any, error) { return c.Same(ctx) }, thing},
		"of the status without":   {answer{status: 204}, func(ctx context.Context, c *answers.Client) (any, error) { return c.Same(ctx) }, (*answers.Thing)(nil)},
		"one of several":          {json200(`{"id":"a"}`), func(ctx context.Context, c *answers.Client) (any, error) { return c.Several(ctx) }, &answers.SeveralResult{StatusCode: 200, OK: thing}},
		"another of several":      {jsonal(202, `"later"`), func(ctx context.Context, c *answers.Client) (any, error) { return c.Several(ctx) }, &answers.SeveralResult{StatusCode: 202, Accepted: "later"}},
		"none of several":         {answer{status: 204}, func(ctx context.Context, c *answers.Client) (any, error) { return c.Several(ctx) }, &answers.SeveralResult{StatusCode: 204}},
		"a range":                 {jsonal(226, `{"id":"a"}`), func(ctx context.Context, c *answers.Client) (any, error) { return c.Ranged(ctx) }, thing},
		"only a default":          {json200(`{"id":"a"}`), func(ctx context.Context, c *answers.Client) (any, error) { return c.OnlyDefault(ctx) }, thing},
		"bytes":                   {answer{200, "application/pdf", "%PDF\x00"}, download, []byte("%PDF\x00")},
		"text":                    {textual(200, "hi"), func(ctx context.Context, c *answers.Client) (any, error) { return c.GetText(ctx) }, "hi"},
		"a number":                {json200(`9007199254740993`), func(ctx context.Context, c *answers.Client) (any, error) { return c.Count(ctx) }, int64(9007199254740993)},
		"an instant":              {json200(`"2026-01-02T03:04:05Z"`), func(ctx context.Context, c *answers.Client) (any, error) { return c.When(ctx) }, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		"bytes beside an object":  {answer{206, "application/octet-stream", "xy"}, func(ctx context.Context, c *answers.Client) (any, error) { return c.Mixed(ctx) }, &answers.MixedResult{StatusCode: 206, PartialContent: []byte("xy")}},
		"nothing, with a body":    {textual(200, "ignored"), func(ctx context.Context, c *answers.Client) (any, error) { return nil, c.Nothing(ctx) }, nil},
		"an answer with a banner": {json200("\ufeff" + `{"id":"a"}`), func(ctx context.Context, c *answers.Client) (any, error) { return c.One(ctx) }, thing},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, test.answer)
			got, err := test.call(t.Context(), client[*answers.Client](t)(answers.New(answers.Config{BaseURL: server.URL})))
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

// download reads a stream to its end.
func download(ctx context.Context, c *answers.Client) (any, error) {
	stream, err := c.GetBytes(ctx)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(stream)
}

// TestErrorBodiesAreTyped by the most exact status that the document has.
func TestErrorBodiesAreTyped(t *testing.T) {
	title := "no"
	problem := &answers.Problem{Title: &title}
	for name, test := range map[string]struct {
		answer answer
		call   func(context.Context, *answers.Client) error
		body   func(error) (any, bool)
		want   any
	}{
		"the default":               {jsonal(418, `{"title":"no"}`), func(ctx context.Context, c *answers.Client) error { _, err := c.One(ctx); return err }, body[answers.Problem], problem},
		"a status":                  {jsonal(409, `{"title":"no"}`), func(ctx context.Context, c *answers.Client) error { _, err := c.Same(ctx); return err }, body[answers.Problem], problem},
		"a range":                   {jsonal(422, `{"title":"no"}`), func(ctx context.Context, c *answers.Client) error { _, err := c.Several(ctx); return err }, body[answers.Problem], problem},
		"a status before its range": {jsonal(404, `["gone"]`), func(ctx context.Context, c *answers.Client) error { _, err := c.Several(ctx); return err }, body[[]string], &[]string{"gone"}},
		"not what was documented":   {textual(404, "<html>"), func(ctx context.Context, c *answers.Client) error { _, err := c.Several(ctx); return err }, body[[]string], (*[]string)(nil)},
		"not documented":            {jsonal(404, `{"title":"no"}`), func(ctx context.Context, c *answers.Client) error { return c.Nothing(ctx) }, body[answers.Problem], (*answers.Problem)(nil)},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, test.answer)
			err := test.call(t.Context(), client[*answers.Client](t)(answers.New(answers.Config{BaseURL: server.URL})))
			var status *runtime.StatusError
			require.ErrorAs(t, err, &status)
			require.Equal(t, test.answer.status, status.Status)
			require.Equal(t, test.answer.body, string(status.Body))
			got, _ := test.body(err)
			require.Equal(t, test.want, got)
		})
	}
}

func body[E any](err error) (any, bool) {
	e, ok := runtime.ErrorBody[E](err)
	return e, ok
}

// TestAnswersThatAreNotDocumented: after a 2xx the effect is known, and the body
// is kept.
func TestAnswersThatAreNotDocumented(t *testing.T) {
	one := func(ctx context.Context, c *answers.Client) error { _, err := c.One(ctx); return err }
	for name, test := range map[string]struct {
		answer answer
		call   func(context.Context, *answers.Client) error
		says   string
	}{
		"no JSON":                    {json200(`{"id":`), one, "not the JSON that was expected"},
		"another type":               {json200(`{"id":1}`), one, "not the JSON that was expected"},
		"a required property lacks":  {json200(`{}`), one, "/id"},
		"null":                       {json200(`null`), one, "the body is null"},
		"empty":                      {json200(``), one, "the body is empty"},
		"a 2xx where errors have it": {jsonal(202, `{"title":"no"}`), func(ctx context.Context, c *answers.Client) error { _, err := c.Mixed(ctx); return err }, "status 202 is not documented"},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, test.answer)
			err := test.call(t.Context(), client[*answers.Client](t)(answers.New(answers.Config{BaseURL: server.URL})))
			var malformed *runtime.MalformedError
			require.ErrorAs(t, err, &malformed)
			require.ErrorContains(t, err, test.says)
			require.Equal(t, runtime.Executed, malformed.Effect)
			require.Equal(t, test.answer.body, string(malformed.Body))
			server.only(t)
		})
	}
}

// TestUnknownValuesOfAnswersAreKept: a new enum value, or a property that nobody
// described, makes no failure of a success.
func TestUnknownValuesOfAnswersAreKept(t *testing.T) {
	server := serve(t, json200(`{"kind":"brand-new","state":null}`))
	doc, err := client[*enums.Client](t)(enums.New(enums.Config{BaseURL: server.URL})).ListDocs(t.Context(), enums.ListDocsParams{Op: enums.ListDocsOpSpace})
	require.NoError(t, err)
	require.EqualValues(t, "brand-new", *doc.Kind)
	require.False(t, doc.Kind.Known())
	require.True(t, doc.State.IsNull())

	server = serve(t, json200(`{"fixed":"a","x":1,"y":null}`))
	labels, err := client[*extra.Client](t)(extra.New(extra.Config{BaseURL: server.URL})).PutLabels(t.Context(),
		extra.Labels{Fixed: "b", ExtraProperties: map[string]*int64{"z": ptr(int64(2)), "n": nil}})
	require.NoError(t, err)
	require.Equal(t, &extra.Labels{Fixed: "a", ExtraProperties: map[string]*int64{"x": ptr(int64(1)), "y": nil}}, labels)
	require.Equal(t, `{"fixed":"b","n":null,"z":2}`, server.only(t).body)
}

// TestNullIsAnAnswerWhereItIsPermitted.
func TestNullIsAnAnswerWhereItIsPermitted(t *testing.T) {
	server := serve(t, json200(` null `))
	value, err := client[*free.Client](t)(free.New(free.Config{BaseURL: server.URL})).PostFree(t.Context(), free.PostFreeRequest{})
	require.NoError(t, err)
	require.Nil(t, value)
}

// TestChoiceOfTypes: what fits two variants, or none, is no failure.
func TestChoiceOfTypes(t *testing.T) {
	for body, fits := range map[string][]bool{
		`{"a":"x"}`:         {true, false}, // B needs b
		`{"b":"x"}`:         {true, true},  // A needs nothing
		`{"a":"x","b":"y"}`: {true, true},
		`"text"`:            {false, false},
	} {
		server := serve(t, json200(body))
		u, err := client[*oneof.Client](t)(oneof.New(oneof.Config{BaseURL: server.URL})).P(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, body, string(u.Raw()))
		_, errA := u.AsA()
		_, errB := u.AsB()
		require.Equal(t, fits, []bool{errA == nil, errB == nil}, body)
	}
}

// TestVariantsOnTheWire: a variant with one value of the discriminator has it set;
// where there are several the caller says which.
func TestVariantsOnTheWire(t *testing.T) {
	server := serve(t)
	c := client[*oneof.Client](t)(oneof.New(oneof.Config{BaseURL: server.URL}))
	size := wire.Value(oneof.PutPRequestSizeFromInt64(3))
	require.NoError(t, c.PutP(t.Context(), oneof.PutPRequest{
		Pet:  oneof.PetFromCat(oneof.Cat{Lives: ptr(int64(9))}),
		Pets: []oneof.Pet{oneof.PetFromDog(oneof.Dog{Kind: "hound", Good: ptr(true)})},
		Size: size,
	}))
	require.Equal(t, `{"pet":{"kind":"cat","lives":9},"pets":[{"kind":"hound","good":true}],"size":3}`, server.only(t).body)

	err := c.PutP(t.Context(), oneof.PutPRequest{Pet: oneof.PetFromCat(oneof.Cat{Lives: ptr(int64(10))}), Pets: []oneof.Pet{}})
	require.ErrorContains(t, err, "/pet/lives", "a cat has nine at most")

	for body, want := range map[string]any{
		`{"kind":"cat"}`:   oneof.Cat{Kind: "cat"},
		`{"kind":"hound"}`: oneof.Dog{Kind: "hound"},
		`{"kind":"fish"}`:  nil,
	} {
		var pet oneof.Pet
		require.NoError(t, json.Unmarshal([]byte(body), &pet))
		value, err := pet.Value()
		require.NoError(t, err)
		require.Equal(t, want, value)
	}
}

// TestRedirectIsNoSuccess for an operation that nobody declared idempotent.
func TestRedirectIsNoSuccess(t *testing.T) {
	server := serve(t, answer{status: http.StatusFound})
	err := client[*answers.Client](t)(answers.New(answers.Config{BaseURL: server.URL})).Nothing(t.Context())
	var status *runtime.StatusError
	require.ErrorAs(t, err, &status)
	require.Equal(t, http.StatusFound, status.Status)
}
