package golden

import (
	"context"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime"
	"github.com/retrygen/retrygen/runtime/retrytest"
	"github.com/retrygen/retrygen/runtime/wire"
	pages "github.com/retrygen/retrygen/testdata/golden/pagination"
)

// collect is all that an iteration yields, and how it ends.
func collect[T any](all iter.Seq2[T, error]) (values []T, err error) {
	for value, err := range all {
		if err != nil {
			return values, err
		}
		values = append(values, value)
	}
	return values, nil
}

// asked are the requests that a server has read: "GET /events?page=1".
func asked(s *retrytest.Server) (lines []string) {
	for _, r := range s.Requests() {
		line := r.Method + " " + r.Path
		if r.Body != "" {
			line += " " + r.Body
		}
		lines = append(lines, line)
	}
	return lines
}

// TestPagesOnTheWire: each kind of pagination, over pages and over items
// (RULE-ANNOTATION-PAGINATION).
func TestPagesOnTheWire(t *testing.T) {
	ok := func(body string) retrytest.Fault { return retrytest.JSON(200, body) }
	linked := func(link, body string) retrytest.Fault {
		return retrytest.Answer(200, body, "Content-Type", "application/json", "Link", "<"+link+`>; rel="next"`)
	}
	for name, test := range map[string]struct {
		answers []retrytest.Fault
		over    func(context.Context, *pages.Client) (any, error)
		asked   []string
		want    any
	}{
		"a cursor in the query": {
			[]retrytest.Fault{ok(`{"data":[{"id":"1"},{"id":"2"}],"meta":{"next":"a/b","more":true}}`), ok(`{"data":[],"meta":{"next":"c"}}`), ok(`{"data":[{"id":"3"}],"meta":{"next":null}}`)},
			func(ctx context.Context, c *pages.Client) (any, error) {
				return collect(c.ListPaymentsAll(ctx, pages.ListPaymentsParams{Limit: ptr(int64(2))}))
			},
			[]string{"GET /payments?limit=2&key=k", "GET /payments?after=a%2Fb&limit=2&key=k", "GET /payments?after=c&limit=2&key=k"},
			[]pages.Payment{{ID: "1"}, {ID: "2"}, {ID: "3"}},
		},
		"without what may hold it": {
			[]retrytest.Fault{ok(`{"data":[{"id":"1"}]}`)},
			func(ctx context.Context, c *pages.Client) (any, error) {
				return collect(c.ListPaymentsAll(ctx, pages.ListPaymentsParams{After: ptr("x")}))
			},
			[]string{"GET /payments?after=x&key=k"},
			[]pages.Payment{{ID: "1"}},
		},
		"a cursor in the body, with all its digits": {
			[]retrytest.Fault{ok(`{"next":9007199254740993,"found":[{"id":"1"}]}`), ok(`{"next":9007199254740995,"found":null}`), ok(`{"next":0,"found":[{"id":"2"}]}`)},
			func(ctx context.Context, c *pages.Client) (any, error) {
				search := pages.SearchPaymentsRequest{Page: pages.SearchPaymentsRequestPage{After: wire.Null[int64]()}}
				found, err := collect(c.SearchPaymentsAll(ctx, "card", pages.SearchPaymentsParams{Next: "n"}, search))
				if !search.Page.After.IsNull() {
					t.Error("the caller's body was changed")
				}
				return found, err
			},
			[]string{
				`POST /payments/card/search?next=n&key=k {"page":{"after":null}}`,
				`POST /payments/card/search?next=n&key=k {"page":{"after":9007199254740993}}`,
				`POST /payments/card/search?next=n&key=k {"page":{"after":9007199254740995}}`,
			},
			[]pages.Payment{{ID: "1"}, {ID: "2"}},
		},
		"a page without a body": {
			[]retrytest.Fault{retrytest.Status(204)},
			func(ctx context.Context, c *pages.Client) (any, error) {
				return collect(c.SearchPaymentsAll(ctx, "card", pages.SearchPaymentsParams{}, pages.SearchPaymentsRequest{}))
			},
			[]string{`POST /payments/card/search?next=&key=k {"page":{}}`},
			[]pages.Payment(nil),
		},
		"an offset": {
			[]retrytest.Fault{ok(`{"refunds":["a","b"]}`), ok(`{"refunds":["c"]}`), ok(`{"refunds":[]}`)},
			func(ctx context.Context, c *pages.Client) (any, error) {
				return collect(c.ListRefundsAll(ctx, pages.ListRefundsParams{Offset: ptr(int32(5))}))
			},
			[]string{"GET /refunds?offset=5&key=k", "GET /refunds?offset=7&key=k", "GET /refunds?offset=8&key=k"},
			[]string{"a", "b", "c"},
		},
		"numbers from the default, until no more": {
			[]retrytest.Fault{ok(`{"more":true}`), ok(`{"more":true,"last":"x"}`), ok(`{"more":false}`)},
			func(ctx context.Context, c *pages.Client) (any, error) {
				all, err := collect(c.ListEventsPages(ctx, pages.ListEventsParams{}))
				return len(all), err
			},
			[]string{"GET /events?key=k", "GET /events?page=1&key=k", "GET /events?page=2&key=k"},
			3,
		},
		"numbers that are required": {
			[]retrytest.Fault{ok(`[1,2]`), ok(`[3]`), ok(`[]`)},
			func(ctx context.Context, c *pages.Client) (any, error) {
				return collect(c.ListNumberedAll(ctx, pages.ListNumberedParams{Page: 7}))
			},
			[]string{"GET /events/numbered?page=7&key=k", "GET /events/numbered?page=8&key=k", "GET /events/numbered?page=9&key=k"},
			[]int64{1, 2, 3},
		},
		"links": {
			[]retrytest.Fault{linked("/shops/a%20b/orders?cursor=x&key=k", `["1",null]`), linked("?cursor=y", `["2"]`), ok(`[]`)},
			func(ctx context.Context, c *pages.Client) (any, error) {
				return collect(c.ListOrdersAll(ctx, "a b", pages.ListOrdersParams{Limit: ptr(int64(2))})) //nolint:staticcheck // deprecated ones have pages, too
			},
			[]string{"GET /shops/a%20b/orders?limit=2&key=k", "GET /shops/a%20b/orders?cursor=x&key=k", "GET /shops/a%20b/orders?cursor=y&key=k"},
			[]*string{ptr("1"), nil, ptr("2")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := retrytest.NewServer(t, test.answers...)
			got, err := test.over(t.Context(), client[*pages.Client](t)(pages.New(pages.Config{BaseURL: server.URL(), Key: runtime.Secret("k")})))
			require.NoError(t, err)
			require.Equal(t, test.want, got)
			require.Equal(t, test.asked, asked(server))
		})
	}
}

// TestPagesAreRepeatedAsTheirOperation: a page that fails is repeated under the
// contract, and one that fails for good ends the iteration (RULE-PAGE-CALL).
func TestPagesAreRepeatedAsTheirOperation(t *testing.T) {
	server := retrytest.NewServer(t,
		retrytest.JSON(200, `{"data":[{"id":"1"}],"meta":{"next":"a"}}`),
		retrytest.LoseAnswer(),
		retrytest.Status(503),
		retrytest.JSON(200, `{"data":[{"id":"2"}],"meta":{"next":"b"}}`),
		retrytest.Status(404),
	)
	c := client[*pages.Client](t)(pages.New(pages.Config{BaseURL: server.URL(), Key: runtime.Secret("k"), Upstream: runtime.UpstreamConfig{Budget: plenty{}}}))
	var o runtime.Outcome
	var attempts []int
	after := ptr("first")
	for page, err := range c.ListPaymentsPages(t.Context(), pages.ListPaymentsParams{After: after}, runtime.Report(&o)) {
		attempts = append(attempts, len(o.Attempts))
		if len(attempts) < 3 {
			require.NoError(t, err)
			require.Len(t, page.Data, 1)
			continue
		}
		var status *runtime.StatusError
		require.ErrorAs(t, err, &status)
		require.Nil(t, page)
	}
	require.Equal(t, []int{1, 3, 1}, attempts)
	require.Equal(t, "first", *after)
	require.Equal(t, []string{
		"GET /payments?after=first&key=k", "GET /payments?after=a&key=k", "GET /payments?after=a&key=k",
		"GET /payments?after=a&key=k", "GET /payments?after=b&key=k",
	}, asked(server))
}

// TestLinksElsewhereAreNotFollowed: no credential ever gets there
// (RULE-PAGE-LINK).
func TestLinksElsewhereAreNotFollowed(t *testing.T) {
	stranger := serve(t, json200(`[]`))
	server := retrytest.NewServer(t, retrytest.Answer(200, `["1"]`, "Content-Type", "application/json", "Link", "<"+stranger.URL+`/shops/s/orders?page=2>; rel="next"`))
	c := client[*pages.Client](t)(pages.New(pages.Config{BaseURL: server.URL(), Key: runtime.Secret("k")}))
	orders, err := collect(c.ListOrdersAll(t.Context(), "s", pages.ListOrdersParams{})) //nolint:staticcheck // as above
	require.ErrorContains(t, err, "another origin")
	require.Equal(t, []*string{ptr("1")}, orders)
	require.Empty(t, stranger.read())
}
