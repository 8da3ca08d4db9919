package runtime

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func eventStream(t *testing.T, body string, well bool) *EventStream {
	t.Helper()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, body)
		if !well {
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
	})
	u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}, MaxResponseBytes: 200})
	stream, err := DoEvents(t.Context(), u, quick(Idempotent), Request{Path: []string{"/pets"}}, func(*Response) error { return nil }, nil)
	require.NoError(t, err)
	return stream
}

// TestServerSentEvents follows the examples of the HTML standard.
func TestServerSentEvents(t *testing.T) {
	message := func(data string) ServerSentEvent { return ServerSentEvent{Name: "message", Data: data} }
	for name, test := range map[string]struct {
		body string
		want []ServerSentEvent
	}{
		"lines":               {"data: a\ndata: b\n\n", []ServerSentEvent{message("a\nb")}},
		"one space goes":      {"data:a\n\ndata:  b\n\n", []ServerSentEvent{message("a"), message(" b")}},
		"empty data":          {"data\n\ndata:\n\n", []ServerSentEvent{message(""), message("")}},
		"comments":            {": hello\n\ndata: a\n: x\n\n", []ServerSentEvent{message("a")}},
		"CR and CRLF":         {"data: a\r\rdata: b\r\n\r\n", []ServerSentEvent{message("a"), message("b")}},
		"byte order mark":     {"\ufeffdata: a\n\n", []ServerSentEvent{message("a")}},
		"names":               {"event: end\ndata: a\n\ndata: b\n\n", []ServerSentEvent{{Name: "end", Data: "a"}, message("b")}},
		"no data":             {"event: end\n\ndata: b\n\n", []ServerSentEvent{message("b")}},
		"ids stay":            {"id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", []ServerSentEvent{{"1", "message", "a"}, {"1", "message", "b"}, message("c")}},
		"cut off":             {"data: a\n\ndata: b\n", []ServerSentEvent{message("a")}},
		"unknown and retry":   {"retry: 10\nfoo: bar\ndata: a\n\n", []ServerSentEvent{message("a")}},
		"a colon in the data": {"data: a: b\n\n", []ServerSentEvent{message("a: b")}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []ServerSentEvent
			for event, err := range eventStream(t, test.body, true).All() {
				require.NoError(t, err)
				got = append(got, event)
			}
			require.Equal(t, test.want, got)
		})
	}
}

// TestEventStreamBreaks: what was delivered counts, and the end tells how it came
// (RULE-DECIDE-4).
func TestEventStreamBreaks(t *testing.T) {
	var got []string
	var last error
	for event, err := range eventStream(t, "data: a\n\ndata: b", false).All() {
		if last = err; err == nil {
			got = append(got, event.Data)
		}
	}
	require.Equal(t, []string{"a"}, got)
	var broken *TransportError
	require.ErrorAs(t, last, &broken)
	require.Equal(t, PartialResponse, broken.Evidence())
}

// TestEventIsTooLarge: the memory for one event is bounded.
func TestEventIsTooLarge(t *testing.T) {
	for name, body := range map[string]string{
		"one line":   "data: " + strings.Repeat("a", 300) + "\n\n",
		"many lines": strings.Repeat("data: aaaaaaaaaaaaaaaaaa\n", 20) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			for _, err := range eventStream(t, body, true).All() {
				require.ErrorIs(t, err, errOversized)
			}
		})
	}
}

// TestEventStreamLeftEarly gives back its connection and its place.
func TestEventStreamLeftEarly(t *testing.T) {
	stream := eventStream(t, "data: a\n\ndata: b\n\n", true)
	for _, err := range stream.All() {
		require.NoError(t, err)
		break
	}
	require.NoError(t, stream.call.upstream.Drain(t.Context()))
}

func TestJSONStream(t *testing.T) {
	type record struct{ N int }
	for name, test := range map[string]struct {
		body string
		want []int
		err  string
	}{
		"lines":          {"{\"N\":1}\n{\"N\":2}\n", []int{1, 2}, ""},
		"no last end":    {"{\"N\":1}\n{\"N\":2}", []int{1, 2}, ""},
		"a sequence":     {"\x1e{\"N\":1}\n\x1e{\"N\":2}\n", []int{1, 2}, ""},
		"empty lines":    {"\n{\"N\":1}\n\n", []int{1}, ""},
		"nothing":        {"", nil, ""},
		"no JSON":        {"{\"N\":1}\n<html>", []int{1}, "value 2 of the stream: invalid character"},
		"another type":   {"{\"N\":\"a\"}\n", nil, "value 1 of the stream: json: cannot unmarshal"},
		"cut off":        {"{\"N\":1}\n{\"N\"", []int{1}, "value 2 of the stream: unexpected EOF"},
		"larger than is": {"{\"N\":1}\n\"" + strings.Repeat("a", 300), []int{1}, errOversized.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, test.body) })
			u := connect(t, server.URL, UpstreamConfig{Budget: plenty{}, MaxResponseBytes: 200})
			stream, err := DoJSONStream[record](t.Context(), u, quick(Idempotent), Request{Path: []string{"/pets"}}, func(*Response) error { return nil }, nil)
			require.NoError(t, err)
			var got []int
			var last error
			for v, err := range stream.All() {
				if last = err; err == nil {
					got = append(got, v.N)
				}
			}
			require.Equal(t, test.want, got)
			if test.err == "" {
				require.NoError(t, last)
			} else {
				require.ErrorContains(t, last, test.err)
			}
			require.NoError(t, u.Drain(t.Context()))
		})
	}
}
