// Package fake holds the tests of what generated fakes do, beside their clients.
package fake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/runtime"
	"github.com/retrygen/retrygen/runtime/retrytest"
	"github.com/retrygen/retrygen/runtime/wire"
	parcels "github.com/retrygen/retrygen/testdata/golden/typed-fake"
	parcelstest "github.com/retrygen/retrygen/testdata/golden/typed-fake/typedfaketest"
)

var (
	noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
	rich = parcels.Filter{Name: ptr("a,b|c d=e&f;g"), Since: &noon, Big: ptr(int64(1 << 60)), Tags: []string{"x", "y"}, Inner: &parcels.FilterInner{A: ptr("ä/%")}}
	// flat is what styles can hold that know no way to write their separators.
	flat = parcels.Filter{Name: ptr("name"), Since: &noon, Big: ptr(int64(-1))}
)

// TestFakeDecodesParameters: whatever a client writes, in each style, the handler
// gets.
func TestFakeDecodesParameters(t *testing.T) {
	for _, protocol := range []retrytest.Protocol{retrytest.HTTP1, retrytest.HTTP2} {
		t.Run(protocol.String(), func(t *testing.T) {
			fake := parcelstest.NewWith(t, retrytest.Config{Protocol: protocol})
			client := fake.Client(parcels.Config{})

			fake.GetPath.Answer(parcelstest.GetPath204())
			require.NoError(t, client.GetPath(t.Context(), -7, wire.NewDate(2026, 2, 3), []string{"a,b", "c/d"}, rich, []int64{1, 2}, rich,
				[]string{"m;n", "o"}, rich, "r s"))
			path := fake.GetPath.Attempts()[0].Request
			path.HTTP = nil
			require.Equal(t, parcelstest.GetPathRequest{ID: -7, Day: wire.NewDate(2026, 2, 3), List: []string{"a,b", "c/d"}, Pair: rich,
				Dots: []int64{1, 2}, Matrix: rich, Matrices: []string{"m;n", "o"}, JSON: rich, RequestParam: "r s"}, path)

			fake.GetQuery.Answer(parcelstest.GetQuery204())
			for _, params := range []parcels.GetQueryParams{
				{Text: "only what must be"},
				{
					Text: "a&b=c+d é", At: &noon, Bytes: []byte{0xfb, 0xff}, Kind: ptr(parcels.KindBox), Flag: ptr(false),
					Many: []string{"1", "a,b"}, Joined: []string{"a,b", "c"}, Pipes: []int64{3, 4}, Spaces: []string{"e", "f"},
					Deep: &rich, Form: &rich, JSON: &rich, Others: map[string]string{"more": "& =", "less": "1"},
					XCount: ptr(int64(5)), XList: []string{"g", "h"}, XFilter: &flat, XJoined: &flat, XJSON: &rich,
					Sid: ptr("s; d=1"), IDs: []int64{6, 7},
				},
			} {
				require.NoError(t, client.GetQuery(t.Context(), params))
				attempts := fake.GetQuery.Attempts()
				require.Equal(t, params, attempts[len(attempts)-1].Request.Params)
			}

			fake.GetExploded.Answer(parcelstest.GetExploded204())
			require.NoError(t, client.GetExploded(t.Context(), parcels.GetExplodedParams{Filter: &rich}))
			require.Equal(t, &rich, fake.GetExploded.Attempts()[0].Request.Params.Filter)
		})
	}
}

// TestFakeDecodesBodies: in each encoding, whatever they are for the client.
func TestFakeDecodesBodies(t *testing.T) {
	fake := parcelstest.New(t)
	client := fake.Client(parcels.Config{})
	ctx := t.Context()

	fake.PatchParcel.Answer(parcelstest.PatchParcel204())
	for _, body := range []*parcels.Parcel{nil, {To: "me", Note: wire.Null[string]()}} {
		_, err := client.PatchParcel(ctx, "1", body)
		require.NoError(t, err)
		attempts := fake.PatchParcel.Attempts()
		require.Equal(t, body, attempts[len(attempts)-1].Request.Body)
	}

	fake.SendForm.Answer(parcelstest.SendForm204())
	form := parcels.SendFormRequest{Name: "a&b", Count: ptr(int64(3)), Many: []string{"x", "y,z"}, Joined: []string{"1,2", "3"}, Deep: &rich, JSON: &rich}
	require.NoError(t, client.SendForm(ctx, form))
	require.Equal(t, form, fake.SendForm.Attempts()[0].Request.Body)

	fake.SendFree.Answer(parcelstest.SendFree204())
	require.NoError(t, client.SendFree(ctx, map[string]string{"a": "1", "b[c]": "x"}))
	require.Equal(t, map[string]string{"a": "1", "b[c]": "x"}, fake.SendFree.Attempts()[0].Request.Body)

	fake.Upload.Answer(parcelstest.Upload204())
	photo := []byte("\x89PNG\r\n--x")
	require.NoError(t, client.Upload(ctx, parcels.UploadForm{
		Photo: runtime.FileOpener{Name: `a"b.png`, ContentType: "image/png", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(photo)), nil }},
		More:  []runtime.File{{Data: []byte("1")}, {Name: "2", Data: []byte("22")}},
		Title: "5", Count: ptr(int64(5)), Tags: []string{"a", "true"}, Filter: &rich, Filters: []parcels.Filter{rich, {}},
	}))
	upload := fake.Upload.Attempts()[0].Request.Body
	opened, err := upload.Photo.Open()
	require.NoError(t, err)
	data, err := io.ReadAll(opened)
	require.NoError(t, err)
	require.Equal(t, photo, data)
	require.Equal(t, []string{`a"b.png`, "image/png"}, []string{upload.Photo.Name, upload.Photo.ContentType})
	require.Equal(t, []runtime.File{{Name: "more", ContentType: "application/octet-stream", Data: []byte("1")},
		{Name: "2", ContentType: "application/octet-stream", Data: []byte("22")}}, upload.More)
	upload.Photo, upload.More = runtime.FileOpener{}, nil
	require.Equal(t, parcels.UploadForm{Title: "5", Count: ptr(int64(5)), Tags: []string{"a", "true"}, Filter: &rich, Filters: []parcels.Filter{rich, {}}}, upload)

	fake.SendText.Handle(func(_ context.Context, r parcelstest.SendTextRequest) (parcelstest.SendTextResponse, error) {
		return parcelstest.SendText200(strings.ToUpper(r.Body)), nil
	})
	text, err := client.SendText(ctx, " 1\n")
	require.NoError(t, err)
	require.Equal(t, " 1\n", text)

	fake.PutNumber.Handle(func(_ context.Context, r parcelstest.PutNumberRequest) (parcelstest.PutNumberResponse, error) {
		return parcelstest.PutNumber200(r.Body + 1), nil
	})
	number, err := client.PutNumber(ctx, 41)
	require.NoError(t, err)
	require.Equal(t, int64(42), number)

	fake.PutBytes.Answer(parcelstest.PutBytes204())
	require.NoError(t, client.PutBytes(ctx, photo))
	require.Equal(t, photo, fake.PutBytes.Attempts()[0].Request.Body)
	fake.PutOnce.Answer(parcelstest.PutOnce204())
	require.NoError(t, client.PutOnce(ctx, bytes.NewReader(photo)))
	require.Equal(t, photo, fake.PutOnce.Attempts()[0].Request.Body)
	fake.PutOwn.Answer(parcelstest.PutOwn204())
	require.NoError(t, client.PutOwn(ctx, runtime.Bytes("image/gif", photo)))
	own := fake.PutOwn.Attempts()[0].Request
	require.Equal(t, photo, own.Body)
	require.Equal(t, "image/gif", own.HTTP.Header.Get("Content-Type"))
}

// TestFakeAnswers: each kind of answer is what the client reads.
func TestFakeAnswers(t *testing.T) {
	fake := parcelstest.New(t)
	client := fake.Client(parcels.Config{})
	ctx := t.Context()

	fake.CreateParcel.Answer(parcelstest.CreateParcel201(parcels.Parcel{To: "me"}).With(parcels.CreateParcelHeader{
		XQueue: ptr(int64(0)), XTags: []string{"a", "b"}, XAt: &noon}))
	var outcome runtime.Outcome
	created, err := client.CreateParcel(ctx, parcels.Parcel{To: "me"}, runtime.Report(&outcome))
	require.NoError(t, err)
	require.Equal(t, &parcels.Parcel{To: "me"}, created.Created)
	header, err := parcels.ParseCreateParcelHeader(outcome.Header)
	require.NoError(t, err)
	require.Equal(t, parcels.CreateParcelHeader{XQueue: ptr(int64(0)), XTags: []string{"a", "b"}, XAt: &noon}, header)

	fake.CreateParcel.Answer(parcelstest.CreateParcel202(parcels.Ticket{Number: 7}))
	created, err = client.CreateParcel(ctx, parcels.Parcel{To: "you"})
	require.NoError(t, err)
	require.Equal(t, &parcels.CreateParcelResult{StatusCode: 202, Accepted: &parcels.Ticket{Number: 7}}, created)

	for status, answer := range map[int]parcelstest.CreateParcelResponse{
		409: parcelstest.CreateParcel4XX(409, parcels.Problem{Title: "no"}),
		500: parcelstest.CreateParcelDefault(500, parcels.Problem{Title: "no"}),
	} {
		fake.CreateParcel.Answer(answer)
		_, err = client.CreateParcel(ctx, parcels.Parcel{To: "them"})
		problem, ok := runtime.ErrorBody[parcels.Problem](err)
		require.True(t, ok, "%d: %v", status, err)
		require.Equal(t, "no", problem.Title)
	}

	fake.Watch.Answer(parcelstest.Watch200(slices.Values([]runtime.ServerSentEvent{{ID: "1", Name: "moved", Data: "a\nb"}, {ID: "1", Name: "message", Data: "c"}})))
	events, err := client.Watch(ctx)
	require.NoError(t, err)
	require.Equal(t, []runtime.ServerSentEvent{{ID: "1", Name: "moved", Data: "a\nb"}, {ID: "1", Name: "message", Data: "c"}}, gathered(t, events.All()))
	fake.List.Answer(parcelstest.List200(slices.Values([]parcels.Ticket{{Number: 1}, {Number: 2}})))
	values, err := client.List(ctx)
	require.NoError(t, err)
	require.Equal(t, []*parcels.Ticket{{Number: 1}, {Number: 2}}, gathered(t, values.All()))
	fake.Sequence.Answer(parcelstest.Sequence200(slices.Values([]parcels.Ticket{{Number: 3}})))
	values, err = client.Sequence(ctx)
	require.NoError(t, err)
	require.Equal(t, []*parcels.Ticket{{Number: 3}}, gathered(t, values.All()))
	fake.Download.Answer(parcelstest.Download200(strings.NewReader("pdf")))
	for range 2 { // an answer can be given again
		stream, err := client.Download(ctx)
		require.NoError(t, err)
		data, err := io.ReadAll(stream)
		require.NoError(t, err)
		require.Equal(t, "pdf", string(data))
	}

	fake.GetMine.Answer(parcelstest.GetMine200(nil))
	mine, err := client.GetMine(ctx) // and not the parcel "mine"
	require.NoError(t, err)
	require.Empty(t, mine)
	fake.ActTwo.Answer(parcelstest.ActTwo204())
	require.NoError(t, client.ActTwo(ctx))
	require.Len(t, fake.ActTwo.Attempts(), 1)
	fake.HeadParcel.Answer(parcelstest.HeadParcel200())
	require.NoError(t, client.HeadParcel(ctx, "1"))
	fake.ServerOperation.Answer(parcelstest.Server204())
	require.NoError(t, client.Server(ctx))
}

func gathered[T any](t *testing.T, values func(func(T, error) bool)) (list []T) {
	for v, err := range values {
		require.NoError(t, err)
		list = append(list, v)
	}
	return list
}

// store is an upstream that does what it is asked to.
type store struct{ sent []string }

func (s *store) create(_ context.Context, r parcelstest.CreateParcelRequest) (parcelstest.CreateParcelResponse, error) {
	s.sent = append(s.sent, r.Body.To)
	return parcelstest.CreateParcel201(parcels.Parcel{To: r.Body.To, Note: wire.Value(fmt.Sprint("parcel ", len(s.sent)))}), nil
}

// TestFakeFaults strike before the handler runs, or after it has.
func TestFakeFaults(t *testing.T) {
	for name, test := range map[string]struct {
		script            func(*parcelstest.Server)
		opts              []runtime.CallOption
		attempts, handled int
		ambiguous         bool
		replayed          bool
	}{
		"503, then health":         {script: func(f *parcelstest.Server) { f.CreateParcel.Before(retrytest.Status(503)) }, attempts: 2, handled: 1},
		"lost, then its answer":    {script: func(f *parcelstest.Server) { f.CreateParcel.After(retrytest.LoseAnswer()) }, attempts: 2, handled: 1, replayed: true},
		"reset, then its answer":   {script: func(f *parcelstest.Server) { f.CreateParcel.After(retrytest.ResetAnswer()) }, attempts: 2, handled: 1, replayed: true},
		"cut, then its answer":     {script: func(f *parcelstest.Server) { f.CreateParcel.After(retrytest.CutBody(201)) }, attempts: 2, handled: 1, replayed: true},
		"hangs, then its answer":   {script: func(f *parcelstest.Server) { f.CreateParcel.After(retrytest.Hang()) }, attempts: 2, handled: 1, replayed: true},
		"503 after it was done":    {script: func(f *parcelstest.Server) { f.CreateParcel.After(retrytest.Status(503)) }, attempts: 2, handled: 1, replayed: true},
		"half read":                {script: func(f *parcelstest.Server) { f.CreateParcel.Before(retrytest.CloseHalfRead()) }, attempts: 2, handled: 1},
		"refused, then health":     {script: func(f *parcelstest.Server) { f.Connect(retrytest.RefuseConnection()) }, attempts: 1, handled: 1},
		"slow":                     {script: func(f *parcelstest.Server) { f.CreateParcel.Slow(time.Second) }, attempts: 1, handled: 1},
		"too slow":                 {script: func(f *parcelstest.Server) { f.CreateParcel.Slow(time.Minute) }, attempts: 2, handled: 1, replayed: true},
		"lost once, and no retry":  {script: func(f *parcelstest.Server) { f.CreateParcel.After(retrytest.LoseAnswer()) }, opts: []runtime.CallOption{runtime.MaxAttempts(1)}, attempts: 1, handled: 1, ambiguous: true},
		"never done, nobody knows": {script: func(f *parcelstest.Server) { f.CreateParcel.Before(retrytest.LoseAnswer()) }, opts: []runtime.CallOption{runtime.MaxAttempts(1)}, attempts: 1, ambiguous: true},
		"forgotten, done twice": {script: func(f *parcelstest.Server) {
			f.CreateParcel.After(retrytest.Doing(func(*http.Request) { f.CreateParcel.ForgetKeys() }, retrytest.Hang()))
		}, attempts: 2, handled: 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := parcelstest.NewWith(t, retrytest.Config{InMemory: true})
				upstream := &store{}
				fake.CreateParcel.Handle(upstream.create)
				client := fake.Client(parcels.Config{})
				test.script(fake)
				result, err := client.CreateParcel(t.Context(), parcels.Parcel{To: "me"}, test.opts...)
				require.Equal(t, test.ambiguous, errors.As(err, new(*runtime.AmbiguousError)), "%v", err)
				if !test.ambiguous {
					require.NoError(t, err)
					require.Equal(t, wire.Value(fmt.Sprint("parcel ", test.handled)), result.Created.Note)
				}
				attempts := fake.CreateParcel.Attempts()
				require.Len(t, attempts, test.attempts)
				require.Equal(t, test.handled, fake.CreateParcel.Handled())
				require.Len(t, upstream.sent, test.handled)
				require.Equal(t, test.replayed, attempts[len(attempts)-1].Replayed)
				for i, a := range attempts {
					require.NotEmpty(t, a.Key)
					require.Equal(t, attempts[0].Key, a.Key)
					require.Equal(t, i+1+attempts[0].Number-1, a.Number)
				}
			})
		})
	}
}

// TestFakeRemembersKeys as long as the document says, and while the handler of an
// earlier attempt still runs.
func TestFakeRemembersKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := parcelstest.NewWith(t, retrytest.Config{InMemory: true})
		client := fake.Client(parcels.Config{})
		upstream := &store{}
		fake.CreateParcel.Handle(func(ctx context.Context, r parcelstest.CreateParcelRequest) (parcelstest.CreateParcelResponse, error) {
			time.Sleep(3 * time.Second) // an attempt has two
			return upstream.create(ctx, r)
		})
		create := func(handled int) {
			_, err := client.CreateParcel(t.Context(), parcels.Parcel{To: "me"}, runtime.Key("k-1"))
			require.NoError(t, err)
			require.Equal(t, handled, fake.CreateParcel.Handled())
		}
		create(1)
		require.Len(t, fake.CreateParcel.Attempts(), 2)
		time.Sleep(59 * time.Minute)
		create(1)
		time.Sleep(time.Minute)
		create(2)
	})
}

// TestFakeRunsTheHandlerAgain where it did not succeed: then nothing has happened.
func TestFakeRunsTheHandlerAgain(t *testing.T) {
	fake := parcelstest.New(t)
	client := fake.Client(parcels.Config{})
	upstream := &store{}
	fake.CreateParcel.Handle(func(ctx context.Context, r parcelstest.CreateParcelRequest) (parcelstest.CreateParcelResponse, error) {
		if len(fake.CreateParcel.Attempts()) == 1 {
			return parcelstest.CreateParcelDefault(503, parcels.Problem{Title: "busy"}), nil
		}
		return upstream.create(ctx, r)
	})
	_, err := client.CreateParcel(t.Context(), parcels.Parcel{To: "me"})
	require.NoError(t, err)
	require.Equal(t, 2, fake.CreateParcel.Handled())
	require.Len(t, upstream.sent, 1)
}

// spy is a test that notes its errors.
type spy struct {
	testing.TB
	errors []string
}

func (s *spy) Errorf(format string, args ...any) {
	s.errors = append(s.errors, fmt.Sprintf(format, args...))
}
func (s *spy) Fatalf(format string, args ...any) {
	s.Errorf(format, args...)
	panic(s)
}

// TestFakeFailsTheTest where the client, or the handler, breaks the contract, and
// says how.
func TestFakeFailsTheTest(t *testing.T) {
	send := func(method, path, body string, header ...string) func(*testing.T, *parcelstest.Server) int {
		return func(t *testing.T, fake *parcelstest.Server) int {
			r, err := http.NewRequestWithContext(t.Context(), method, fake.URL()+path, strings.NewReader(body))
			require.NoError(t, err)
			for i := 0; i < len(header); i += 2 {
				r.Header.Set(header[i], header[i+1])
			}
			response, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			response.Body.Close()
			return response.StatusCode
		}
	}
	both := func(sends ...func(*testing.T, *parcelstest.Server) int) func(*testing.T, *parcelstest.Server) int {
		return func(t *testing.T, fake *parcelstest.Server) (status int) {
			for _, send := range sends {
				status = send(t, fake)
			}
			return status
		}
	}
	handled := func(answer parcelstest.CreateParcelResponse, err error) func(*testing.T, *parcelstest.Server) int {
		return func(t *testing.T, fake *parcelstest.Server) int {
			fake.CreateParcel.Handle(func(context.Context, parcelstest.CreateParcelRequest) (parcelstest.CreateParcelResponse, error) {
				return answer, err
			})
			return send("POST", "/parcels", `{"to":"me"}`, "Content-Type", "application/json", "Idempotency-Key", "k")(t, fake)
		}
	}
	const json = "application/json"
	for name, test := range map[string]struct {
		send   func(*testing.T, *parcelstest.Server) int
		status int
		want   string
	}{
		"unknown path":   {send("GET", "/nope?a=b", ""), 404, "typedfaketest: GET /nope is no operation: the document has no such path, and the fake's base URL is BASE"},
		"unknown method": {send("DELETE", "/parcels/1", ""), 405, "typedfaketest: DELETE /parcels/1 is no operation: the document has GET, HEAD, PATCH there"},
		"no handler":     {send("GET", "/parcels/1", ""), 501, "typedfaketest: getParcel: no handler; set GetParcel.Handle or GetParcel.Answer"},
		"no key":         {send("POST", "/parcels", `{"to":"me"}`, "Content-Type", json, "X-Retry-Attempt", "1"), 400, "typedfaketest: createParcel: attempt 1 bears no Idempotency-Key"},
		"another key": {both(
			send("POST", "/parcels", `{"to":"me"}`, "Content-Type", json, "X-Retry-Attempt", "1", "Idempotency-Key", "secret-1"),
			send("POST", "/parcels", `{"to":"me"}`, "Content-Type", json, "X-Retry-Attempt", "2", "Idempotency-Key", "secret-2"),
		), 201, "typedfaketest: createParcel: attempt 2 bears another Idempotency-Key than attempt 1 of the same request: an upstream takes it for another call"},
		"a key for two contents": {both(
			send("POST", "/parcels", `{"to":"me"}`, "Content-Type", json, "X-Retry-Attempt", "1", "Idempotency-Key", "secret"),
			send("POST", "/parcels", `{"to":"you"}`, "Content-Type", json, "X-Retry-Attempt", "1", "Idempotency-Key", "secret"),
		), 422, "typedfaketest: createParcel: attempt 1: its idempotency key came with another content before: an upstream refuses it, or answers what it answered then"},
		"missing parameter": {send("GET", "/query", ""), 400, "typedfaketest: getQuery: query parameter text is missing"},
		"bad parameter":     {send("GET", "/query?text=a", "", "X-Count", "many"), 400, "typedfaketest: getQuery: header X-Count is not what the document describes: json: cannot unmarshal string into Go value of type int64"},
		"missing body":      {send("PUT", "/number", ""), 400, "typedfaketest: putNumber: the body is missing"},
		"bad body":          {send("POST", "/parcels", `{"kind":"box"}`, "Content-Type", json, "Idempotency-Key", "k"), 400, `typedfaketest: createParcel: the body is not what the document describes: required property "/to" is missing`},
		"another type":      {send("POST", "/parcels", `to: me`, "Content-Type", "text/yaml", "Idempotency-Key", "k"), 400, `typedfaketest: createParcel: the body is of type "text/yaml"; the document describes application/json`},
		"the handler fails": {handled(parcelstest.CreateParcelResponse{}, errors.New("disk full")), 500, "typedfaketest: createParcel: the handler failed: disk full"},
		"no answer":         {handled(parcelstest.CreateParcelResponse{}, nil), 500, "typedfaketest: createParcel: the handler answered with the zero typedfaketest.CreateParcelResponse: make it with a function of the package"},
		"another class":     {handled(parcelstest.CreateParcel4XX(500, parcels.Problem{}), nil), 500, "typedfaketest: createParcel: the answer cannot be sent: 500 is no 4XX"},
		"a handler panics": {func(t *testing.T, fake *parcelstest.Server) int {
			fake.GetParcel.Handle(func(context.Context, parcelstest.GetParcelRequest) (parcelstest.GetParcelResponse, error) {
				panic("ouch")
			})
			return send("GET", "/parcels/1", "")(t, fake)
		}, 500, "typedfaketest: getParcel: the handler panicked: ouch"},
	} {
		t.Run(name, func(t *testing.T) {
			noted := &spy{TB: t}
			fake := parcelstest.New(noted)
			fake.CreateParcel.Answer(parcelstest.CreateParcel201(parcels.Parcel{To: "me"}))
			fake.GetQuery.Answer(parcelstest.GetQuery204())
			fake.PutNumber.Answer(parcelstest.PutNumber200(1))
			require.Equal(t, test.status, test.send(t, fake))
			require.Len(t, noted.errors, 1)
			first, _, _ := strings.Cut(noted.errors[0], "\n")
			require.Equal(t, strings.ReplaceAll(test.want, "BASE", fake.URL()), first)
			require.NotContains(t, noted.errors[0], "secret")
		})
	}
}

// TestFakeRefusesFaults that cannot strike where they are put.
func TestFakeRefusesFaults(t *testing.T) {
	for want, script := range map[string]func(*parcelstest.Server){
		"typedfaketest: RefuseConnection strikes before a request is read, of whatever operation: use Connect": func(f *parcelstest.Server) { f.List.Before(retrytest.RefuseConnection()) },
		"retrytest: GoAway 0, processed true happens over HTTP/2 only; this server speaks HTTP1":               func(f *parcelstest.Server) { f.List.After(retrytest.GoAway(0, true)) },
		"retrytest: LoseAnswer strikes when a request was read, and no connection before":                      func(f *parcelstest.Server) { f.Connect(retrytest.LoseAnswer()) },
	} {
		noted := &spy{TB: t}
		fake := parcelstest.New(noted)
		require.Panics(t, func() { script(fake) })
		require.Equal(t, []string{want}, noted.errors)
	}
}

// TestFakeClients have what they need of the test, and what the test gives them.
func TestFakeClients(t *testing.T) {
	fake := parcelstest.New(t)
	fake.CreateParcel.Answer(parcelstest.CreateParcel201(parcels.Parcel{To: "me"}))
	for range 2 { // a budget of its own would pay for no more than one
		client := fake.Client(parcels.Config{Token: runtime.Secret("mine")})
		fake.CreateParcel.Pass(1)
		fake.CreateParcel.Before(retrytest.Status(503), retrytest.Status(503))
		for range 2 {
			_, err := client.CreateParcel(t.Context(), parcels.Parcel{To: "me"})
			require.NoError(t, err)
		}
	}
	for _, a := range fake.CreateParcel.Attempts() {
		require.Equal(t, "Bearer mine", a.HTTP.Header.Get("Authorization"))
	}
	require.Len(t, fake.Requests(), 8)

	noted := &spy{TB: t}
	require.Panics(t, func() { parcelstest.New(noted).Client(parcels.Config{BaseURL: "nowhere"}) })
	require.Contains(t, noted.errors[0], `typedfaketest: retrygen: upstream parcels: the base URL "nowhere" must be http:// or https://`)
}

func ptr[T any](v T) *T { return &v }
