package runtime

import (
	"context"
	"errors"
	"iter"
	"math"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime/wire"
)

// list is a page of numbers.
type list struct {
	Items []int64 `json:"items,omitzero"`
	Next  *string `json:"next,omitzero"`
	More  *bool   `json:"more,omitzero"`
}

// turning asks a server for pages.
type turning struct {
	*Upstream
	op *Operation
}

func (u turning) list(ctx context.Context, q wire.Query, opts []CallOption) (*list, error) {
	return Do(ctx, u.Upstream, u.op, Request{Path: []string{"/pets"}, Query: q}, ReadJSON[*list], opts)
}

func (u turning) byCursor(ctx context.Context, from *string, opts ...CallOption) iter.Seq2[*list, error] {
	return CursorPages[*list, string]{
		From: from,
		Call: func(cursor *string, opts []CallOption) (*list, error) {
			var q wire.Query
			if cursor != nil {
				q.Add("cursor", *cursor)
			}
			return u.list(ctx, q, opts)
		},
		Next: func(page *list) *string { return page.Next },
		More: func(page *list) *bool { return page.More },
	}.All(opts)
}

func (u turning) byOffset(ctx context.Context, from *int32, more func(*list) *bool, opts ...CallOption) iter.Seq2[*list, error] {
	return OffsetPages[*list, int32]{
		From: from,
		Call: func(offset *int32, opts []CallOption) (*list, error) {
			return u.list(ctx, counted("offset", offset), opts)
		},
		Count: func(page *list) int { return len(page.Items) },
		More:  more,
	}.All(opts)
}

func (u turning) byNumber(ctx context.Context, from *int32, first int32, more func(*list) *bool, opts ...CallOption) iter.Seq2[*list, error] {
	return NumberedPages[*list, int32]{
		From:  from,
		First: first,
		Call: func(number *int32, opts []CallOption) (*list, error) {
			return u.list(ctx, counted("page", number), opts)
		},
		Count: func(page *list) int { return len(page.Items) },
		More:  more,
	}.All(opts)
}

func (u turning) byLink(ctx context.Context, opts ...CallOption) iter.Seq2[*list, error] {
	return LinkedPages[*list]{
		Call: func(opts []CallOption) (*list, error) { return u.list(ctx, query("limit", "1"), opts) },
	}.All(opts)
}

func counted(name string, value *int32) (q wire.Query) {
	if value != nil {
		q.Add(name, strconv.Itoa(int(*value)))
	}
	return q
}

func says(page *list) *bool { return page.More }

// linked is a page with a link to the next.
func linked(link, body string) turn {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Link", `</>; rel="first"`)
		w.Header().Add("Link", "<"+link+`>; rel="next"`)
		text(body)(w, r)
	}
}

// TestPages: which pages are asked for, what is yielded, and how it ends
// (RULE-PAGE-CALL, RULE-PAGE-END, RULE-PAGE-CIRCLE, RULE-PAGE-LINK).
func TestPages(t *testing.T) {
	type pages = iter.Seq2[*list, error]
	cursor := func(ctx context.Context, u turning) pages { return u.byCursor(ctx, nil) }
	from := func(at string) func(context.Context, turning) pages {
		return func(ctx context.Context, u turning) pages { return u.byCursor(ctx, &at) }
	}
	offset := func(ctx context.Context, u turning) pages { return u.byOffset(ctx, nil, nil) }
	offsetMore := func(ctx context.Context, u turning) pages { return u.byOffset(ctx, nil, says) }
	number := func(ctx context.Context, u turning) pages { return u.byNumber(ctx, nil, 1, nil) }
	numberMore := func(ctx context.Context, u turning) pages { return u.byNumber(ctx, nil, 0, says) }
	link := func(ctx context.Context, u turning) pages { return u.byLink(ctx) }
	for name, test := range map[string]struct {
		over  func(context.Context, turning) pages
		steps []turn
		asked []string
		items []int64
		says  string // the error that ends it
	}{
		"a cursor until it is absent":  {cursor, []turn{text(`{"items":[1,2],"next":"a b"}`), text(`{"items":[3]}`)}, []string{"", "cursor=a%20b"}, []int64{1, 2, 3}, ""},
		"until it is null":             {cursor, []turn{text(`{"items":[1],"next":null}`)}, []string{""}, []int64{1}, ""},
		"until it is empty":            {cursor, []turn{text(`{"items":[1],"next":""}`)}, []string{""}, []int64{1}, ""},
		"empty pages go on":            {cursor, []turn{text(`{"items":[],"next":"a"}`), text(`{"next":"b"}`), text(`{"items":[1]}`)}, []string{"", "cursor=a", "cursor=b"}, []int64{1}, ""},
		"from the caller's cursor":     {from("x"), []turn{text(`{"items":[1],"next":"y"}`), text(`{}`)}, []string{"cursor=x", "cursor=y"}, []int64{1}, ""},
		"no more, whatever the cursor": {cursor, []turn{text(`{"items":[1],"next":"a","more":false}`)}, []string{""}, []int64{1}, ""},
		"more, and no cursor":          {cursor, []turn{text(`{"items":[1],"more":true}`)}, []string{""}, []int64{1}, "more pages follow, and has no cursor"},
		"the same cursor again":        {cursor, []turn{text(`{"items":[1],"next":"a"}`), text(`{"items":[2],"next":"a"}`)}, []string{"", "cursor=a"}, []int64{1, 2}, "was sent before"},
		"the first cursor again":       {from("x"), []turn{text(`{"items":[1],"next":"x"}`)}, []string{"cursor=x"}, []int64{1}, "was sent before"},
		"a circle of two": {cursor, []turn{text(`{"next":"a"}`), text(`{"next":"b"}`), text(`{"next":"a"}`), text(`{"next":"b"}`)},
			[]string{"", "cursor=a", "cursor=b", "cursor=a"}, nil, "was sent before"},
		"an offset until nothing":      {offset, []turn{text(`{"items":[1,2]}`), text(`{"items":[3]}`), text(`{"items":[]}`)}, []string{"", "offset=2", "offset=3"}, []int64{1, 2, 3}, ""},
		"an offset until no more":      {offsetMore, []turn{text(`{"items":[1,2],"more":true}`), text(`{"items":[3],"more":false}`)}, []string{"", "offset=2"}, []int64{1, 2, 3}, ""},
		"an offset that cannot move":   {offsetMore, []turn{text(`{"items":[1],"more":true}`), text(`{"items":[],"more":true}`)}, []string{"", "offset=1"}, []int64{1}, "the offset cannot advance"},
		"an offset that has no effect": {offset, []turn{text(`{"items":[1]}`), text(`{"items":[1]}`)}, []string{"", "offset=1"}, []int64{1, 1}, "does not heed"},
		"numbers until nothing":        {number, []turn{text(`{"items":[1,2]}`), text(`{"items":[3]}`), text(`{}`)}, []string{"", "page=2", "page=3"}, []int64{1, 2, 3}, ""},
		"numbers until no more":        {numberMore, []turn{text(`{"items":[],"more":true}`), text(`{"items":[3],"more":false}`)}, []string{"", "page=1"}, []int64{3}, ""},
		"a number that has no effect":  {numberMore, []turn{text(`{"more":true}`), text(`{"more":true}`)}, []string{"", "page=1"}, nil, "does not heed"},
		"links until there is none":    {link, []turn{linked("?limit=1&page=2", `{"items":[1]}`), linked("/pets?page=3", `{"items":[2]}`), text(`{"items":[3]}`)}, []string{"limit=1", "limit=1&page=2", "page=3"}, []int64{1, 2, 3}, ""},
		"a link to the page itself":    {link, []turn{linked("?limit=1", `{"items":[1]}`)}, []string{"limit=1"}, []int64{1}, "was followed before"},
		"a link once more":             {link, []turn{linked("?page=2", `{"items":[1]}`), linked("?page=2", `{"items":[2]}`)}, []string{"limit=1", "page=2"}, []int64{1, 2}, "was followed before"},
		"a link elsewhere":             {link, []turn{linked("https://127.0.0.1/pets?page=2", `{"items":[1]}`)}, []string{"limit=1"}, []int64{1}, "another origin"},
		"a malformed link":             {link, []turn{status(200, "Link", "<a; rel=next")}, []string{"limit=1"}, nil, "Link header is malformed"},
		"a page that is none":          {cursor, []turn{text(`{"items":[1],"next":"a"}`), text(`[]`), ok}, []string{"", "cursor=a"}, []int64{1}, "not the JSON that was expected"},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, test.steps...)
			u := turning{connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), quick(Idempotent)}
			u.op.Route = "GET /pets"
			all := test.over(t.Context(), u)
			var items []int64
			var failed error
			for page, err := range all {
				require.NoError(t, failed, "an error is the last that is yielded")
				if failed = err; err != nil {
					require.Nil(t, page)
					continue
				}
				items = append(items, page.Items...)
				if page.Next != nil {
					*page.Next = "changed" // the page is the caller's
				}
				*page = list{}
			}
			require.Equal(t, test.items, items)
			var asked []string
			for _, r := range server.read() {
				asked = append(asked, r.uri)
			}
			for i := range test.asked {
				if test.asked[i] != "" {
					test.asked[i] = "?" + test.asked[i]
				}
				test.asked[i] = "/pets" + test.asked[i]
			}
			require.Equal(t, test.asked, asked)
			if test.says == "" {
				require.NoError(t, failed)
				return
			}
			var malformed *MalformedError
			require.ErrorAs(t, failed, &malformed)
			require.ErrorContains(t, failed, test.says)
			require.Equal(t, Executed, malformed.Effect)
			require.Equal(t, 200, malformed.Status)
			require.Equal(t, CodeMalformedResponse, ProblemOf(failed).Code)
		})
	}
}

// TestPagesAreCalls: each has attempts, options and a report of its own
// (RULE-PAGE-CALL).
func TestPagesAreCalls(t *testing.T) {
	server := serve(t, text(`{"items":[1],"next":"a"}`), status(503), lost, text(`{"items":[2],"next":"b"}`), status(503), status(404))
	u := turning{connect(t, server.URL, UpstreamConfig{Budget: plenty{}}), quick(Idempotent)}
	var o Outcome
	var attempts []int
	var calls []CallID
	var failed error
	for _, err := range u.byCursor(t.Context(), nil, Report(&o), Header("X-Trace", "7")) {
		failed = err
		attempts, calls = append(attempts, len(o.Attempts)), append(calls, o.CallID)
	}
	var status *StatusError
	require.ErrorAs(t, failed, &status)
	require.Equal(t, 404, status.Status)
	require.Equal(t, []int{1, 3, 2}, attempts)
	require.Len(t, calls, 3)
	require.NotEqual(t, calls[0], calls[1])
	for _, r := range server.read() {
		require.Equal(t, []string{"7"}, r.header["X-Trace"])
	}
}

// TestPagesCanBeIteratedAgain: each iteration begins at the first page, and one
// that is left asks for no further page (RULE-PAGE-END).
func TestPagesCanBeIteratedAgain(t *testing.T) {
	server := serve(t, text(`{"items":[1],"next":"a"}`), text(`{"items":[2],"next":"b"}`), text(`{"items":[1],"next":"a"}`), text(`{"items":[1,2,3],"next":"a"}`))
	u := turning{connect(t, server.URL, UpstreamConfig{}), quick(Idempotent)}
	start := "s"
	pages := u.byCursor(t.Context(), &start)
	turned := 0
	for _, err := range pages {
		require.NoError(t, err)
		if turned++; turned == 2 {
			break
		}
	}
	for _, err := range pages {
		require.NoError(t, err)
		break
	}
	for item, err := range Items(pages, func(page *list) []int64 { return page.Items }) {
		require.NoError(t, err)
		if item == 2 {
			break
		}
	}
	var asked []string
	for _, r := range server.read() {
		asked = append(asked, r.uri)
	}
	require.Equal(t, []string{"/pets?cursor=s", "/pets?cursor=a", "/pets?cursor=s", "/pets?cursor=s"}, asked)
	require.Equal(t, "s", start)
}

// TestItems: the error of a page comes after the items before it, once.
func TestItems(t *testing.T) {
	broken := errors.New("broken")
	pages := func(yield func([]string, error) bool) {
		_ = yield([]string{"a", "b"}, nil) && yield(nil, nil) && yield([]string{"c"}, nil) && yield([]string{"z"}, broken)
	}
	var items []string
	var errs []error
	for item, err := range Items(pages, func(page []string) []string { return page }) {
		items, errs = append(items, item), append(errs, err)
	}
	require.Equal(t, []string{"a", "b", "c", ""}, items)
	require.Equal(t, []error{nil, nil, nil, broken}, errs)
}

// TestPagesEndWithTheirContext: whoever cancels between two pages gets no other.
func TestPagesEndWithTheirContext(t *testing.T) {
	server := serve(t, text(`{"next":"a"}`))
	u := turning{connect(t, server.URL, UpstreamConfig{}), quick(Idempotent)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range u.byCursor(ctx, nil) {
		last = err
		cancel()
	}
	require.ErrorIs(t, last, context.Canceled)
	require.Len(t, server.read(), 1)
}

// TestPagesHaveNoCommonKey: random keys are one per page, and a caller's is
// refused (RULE-PAGE-KEY).
func TestPagesHaveNoCommonKey(t *testing.T) {
	server := serve(t, text(`{"next":"a"}`), text(`{}`))
	u := turning{connect(t, server.URL, UpstreamConfig{}), quick(IdempotentByKey)}
	for _, err := range u.byCursor(t.Context(), nil) {
		require.NoError(t, err)
	}
	requests := server.read()
	require.Len(t, requests, 2)
	require.NotEqual(t, requests[0].header.Get("Idempotency-Key"), requests[1].header.Get("Idempotency-Key"))
	yielded := 0
	for _, err := range u.byCursor(t.Context(), nil, Key("k-1")) {
		var rejected *RejectedError
		require.ErrorAs(t, err, &rejected)
		require.ErrorIs(t, err, errKeyOfPages)
		require.Equal(t, ByValidation, rejected.By)
		yielded++
	}
	require.Equal(t, 1, yielded)
	require.Len(t, server.read(), 2)
}

// TestCredentialsOfLinkedPages: a credential in the query is sent once, also where
// the upstream's links have it (RULE-PAGE-LINK).
func TestCredentialsOfLinkedPages(t *testing.T) {
	server := serve(t, linked("?api_key=s%26&page=2", `{}`), linked("?page=2&api_key=s%26", `{}`))
	u := connect(t, server.URL, UpstreamConfig{})
	op := quick(Idempotent)
	op.Route = "GET /pets"
	auth := AnyOf(AllOf(APIKeyQuery("Key", "api_key", Secret("s&"))))
	pages := LinkedPages[*list]{Call: func(opts []CallOption) (*list, error) {
		return Do(t.Context(), u, op, Request{Path: []string{"/pets"}, Auth: auth}, ReadJSON[*list], opts)
	}}
	var last error
	for _, err := range pages.All(nil) {
		last = err
	}
	require.ErrorContains(t, last, "was followed before")
	require.NotContains(t, last.Error(), "s&")
	requests := server.read()
	require.Len(t, requests, 2)
	require.Equal(t, "/pets?page=2&api_key=s%26", requests[1].uri)
}

// TestAdvance: integers lose no digit, and never begin anew.
func TestAdvance(t *testing.T) {
	big := int64(1) << 60
	next, err := advance(&big, 0, 1)
	require.NoError(t, err)
	require.Equal(t, big+1, next)
	next32, err := advance(nil, uint32(7), 2)
	require.NoError(t, err)
	require.Equal(t, uint32(9), next32)
	last := int32(math.MaxInt32)
	_, err = advance(&last, 0, 1)
	require.ErrorContains(t, err, "cannot be counted")
}

// TestCircle: a sequence that repeats itself is found out, whatever its period,
// and no other is (RULE-PAGE-CIRCLE).
func TestCircle(t *testing.T) {
	for before := range 20 {
		for period := 1; period < 20; period++ {
			c, closed := circle[int]{}, 0
			for n := range 200 {
				v := n
				if n >= before {
					v = before + (n-before)%period
				}
				if c.closes(v) {
					closed = n
					break
				}
			}
			require.GreaterOrEqual(t, closed, before+period)
			require.LessOrEqual(t, closed, 3*(before+period)+2)
		}
	}
	c := circle[int]{}
	for n := range 10_000 {
		require.False(t, c.closes(n))
	}
}
