package golden

import (
	"context"
	"math"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime"
	kinds "github.com/retrygen/retrygen/testdata/golden/idempotency-kinds"
	"github.com/retrygen/retrygen/testdata/golden/keys"
	paths "github.com/retrygen/retrygen/testdata/golden/path-parameters"
	"github.com/retrygen/retrygen/testdata/golden/payments"
	"github.com/retrygen/retrygen/testdata/golden/validation"
)

// rejected requires that a call sent nothing, and said why.
func rejected(t *testing.T, server *server, err error, says string) {
	t.Helper()
	var rejection *runtime.RejectedError
	require.ErrorAs(t, err, &rejection)
	require.Equal(t, runtime.ByValidation, rejection.By)
	require.ErrorContains(t, err, says)
	require.Empty(t, rejection.Attempts)
	require.Equal(t, runtime.NotExecuted, rejection.Effect)
	require.Empty(t, server.read())
}

// TestPathsThatWouldBeOthersAreRefused (RULE-KEY-VALUES).
func TestPathsThatWouldBeOthersAreRefused(t *testing.T) {
	for says, call := range map[string]func(context.Context, *paths.Client) error{
		"path parameter name is empty":           func(ctx context.Context, c *paths.Client) error { return c.GetFile(ctx, 1, "") },
		"path parameter ids is empty":            func(ctx context.Context, c *paths.Client) error { return c.GetSets(ctx, nil, []string{"a"}) },
		`path parameter kinds makes a segment "`: func(ctx context.Context, c *paths.Client) error { return c.GetSets(ctx, []int64{1}, []string{".."}) },
	} {
		server := serve(t)
		rejected(t, server, call(t.Context(), client[*paths.Client](t)(paths.New(paths.Config{BaseURL: server.URL}))), says)
	}
}

// TestRequestsAreValidated before anything is sent: each rule of the document,
// with a pointer to the value.
func TestRequestsAreValidated(t *testing.T) {
	thing := func(change func(*validation.Thing)) *validation.Thing {
		valid := &validation.Thing{Name: "a", Kind: validation.ThingKindA, List: []string{}}
		change(valid)
		return valid
	}
	tags := validation.PutThingParams{Tag: []string{"ab"}}
	for says, test := range map[string]struct {
		id     string
		params validation.PutThingParams
		thing  *validation.Thing
	}{
		"/id: ":           {"12", tags, nil},
		"/tag: ":          {"123", validation.PutThingParams{}, nil},
		"/tag/1: ":        {"123", validation.PutThingParams{Tag: []string{"ab", "c"}}, nil},
		"/page: ":         {"123", validation.PutThingParams{Tag: tags.Tag, Page: ptr(int64(0))}, nil},
		"/X-Id: ":         {"123", validation.PutThingParams{Tag: tags.Tag, XID: ptr("")}, nil},
		"/name: ":         {"123", tags, thing(func(v *validation.Thing) { v.Name = "a/b" })},
		"/kind: ":         {"123", tags, thing(func(v *validation.Thing) { v.Kind = "" })},
		"/list: ":         {"123", tags, thing(func(v *validation.Thing) { v.List = nil })},
		"/odd~1na~0me: ":  {"123", tags, thing(func(v *validation.Thing) { v.OddNaMe = ptr(int32(7)) })},
		"/price: ":        {"123", tags, thing(func(v *validation.Thing) { v.Price = ptr(0.005) })},
		"/half: ":         {"123", tags, thing(func(v *validation.Thing) { v.Half = ptr(float32(-0.5)) })},
		"/tags: ":         {"123", tags, thing(func(v *validation.Thing) { v.Tags = []string{"a", "a"} })},
		"/grid/0/1: ":     {"123", tags, thing(func(v *validation.Thing) { v.Grid = [][]int64{{1, 0}} })},
		"/labels/k~1: ":   {"123", tags, thing(func(v *validation.Thing) { v.Labels = map[string]string{"k/": "abcdef"} })},
		"/next/name: ":    {"123", tags, thing(func(v *validation.Thing) { v.Next = thing(func(n *validation.Thing) { n.Name = "" }) })},
		"/parts/p/kind: ": {"123", tags, thing(func(v *validation.Thing) { v.Parts = map[string]validation.Thing{"p": {Name: "a", List: []string{}}} })},
		"/open/other: ": {"123", tags, thing(func(v *validation.Thing) {
			v.Open = &validation.Open{AdditionalProperties: map[string]int64{"other": 8}}
		})},
		"/price: must be ": {"123", tags, thing(func(v *validation.Thing) { v.Price = ptr(math.NaN()) })},
	} {
		t.Run(says, func(t *testing.T) {
			server := serve(t, json200(`{}`))
			c := client[*validation.Client](t)(validation.New(validation.Config{BaseURL: server.URL}))
			_, err := c.PutThing(t.Context(), test.id, test.params, test.thing)
			rejected(t, server, err, says)
		})
	}
	server := serve(t, json200(`{"n":99}`))
	c := client[*validation.Client](t)(validation.New(validation.Config{BaseURL: server.URL}))
	answer, err := c.PutThing(t.Context(), "123", tags, thing(func(v *validation.Thing) { v.Unsigned = ptr(uint64(math.MaxUint64)) }))
	require.NoError(t, err)
	require.EqualValues(t, 99, *answer.N, "answers are not held to ranges")
	require.Equal(t, `{"name":"a","kind":"a","list":[],"unsigned":18446744073709551615}`, server.only(t).body)
}

// TestKeysOnTheWire: a call has one key on all its attempts. Without a template
// it is random, and the caller may bring one (RULE-KEY-1).
func TestKeysOnTheWire(t *testing.T) {
	busy, done := answer{status: http.StatusServiceUnavailable}, answer{status: http.StatusNoContent}
	sent := func(c func(c *kinds.Client, opts ...runtime.CallOption) error, answers []answer, opts ...runtime.CallOption) []string {
		server := serve(t, answers...)
		require.NoError(t, c(client[*kinds.Client](t)(kinds.New(kinds.Config{BaseURL: server.URL, Upstream: runtime.UpstreamConfig{Budget: plenty{}}})), opts...))
		var all []string
		for _, r := range server.read() {
			all = append(all, r.header.Get("Idempotency-Key")+r.header.Get("X-Request-Key"))
		}
		return all
	}
	refund := func(c *kinds.Client, opts ...runtime.CallOption) error {
		return c.CreateRefund(t.Context(), kinds.CreateRefundRequest{OrderID: "a-1"}, opts...)
	}
	payout := func(c *kinds.Client, opts ...runtime.CallOption) error {
		return c.CreatePayout(t.Context(), kinds.CreatePayoutRequest{OrderID: "a-1"}, opts...)
	}
	require.Equal(t, []string{"refund-a-1", "refund-a-1"}, sent(refund, []answer{busy, done}))
	require.Equal(t, []string{"mine", "mine"}, sent(refund, []answer{busy, done}, runtime.Key("mine")))
	require.NotEqual(t, sent(payout, []answer{done}), sent(payout, []answer{done}))
}

// TestKeysThatCouldMeanAnotherCallAreRefused (RULE-KEY-VALUES).
func TestKeysThatCouldMeanAnotherCallAreRefused(t *testing.T) {
	server := serve(t)
	c := client[*keys.Client](t)(keys.New(keys.Config{BaseURL: server.URL}))
	for number, says := range map[string]string{
		"":       `to.number is ""`,
		"a b":    "not visible ASCII",
		"\r\nX:": "not visible ASCII",
	} {
		err := c.SendSMS(t.Context(), 7, keys.SendSMSParams{Session: "abc"}, keys.SendSMSRequest{To: keys.SendSMSRequestTo{Number: number}})
		rejected(t, server, err, says)
	}
}

// TestReplayBearsTheKeyOfTheFirstCall.
func TestReplayBearsTheKeyOfTheFirstCall(t *testing.T) {
	server := serve(t, answer{}, answer{http.StatusCreated, "application/json", `{"id":"p-1"}`})
	c := client[*payments.Client](t)(payments.New(payments.Config{BaseURL: server.URL, Token: runtime.Secret("t")}))
	order := payments.NewPayment{OrderID: "1042", Cents: 995}
	_, err := c.CreatePayment(t.Context(), order, runtime.MaxAttempts(1))
	var ambiguous *runtime.AmbiguousError
	require.ErrorAs(t, err, &ambiguous)
	again, refused := runtime.Replay(err)
	require.NoError(t, refused)
	payment, err := c.CreatePayment(t.Context(), order, again)
	require.NoError(t, err)
	require.Equal(t, "p-1", payment.ID)
	require.Len(t, server.read(), 2)
	for _, r := range server.read() {
		require.Equal(t, "pay-1042", r.header.Get("Idempotency-Key"))
	}
}
