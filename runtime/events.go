package runtime

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
)

// ServerSentEvent is one event of a stream of type text/event-stream.
type ServerSentEvent struct {
	ID   string // the last one that the stream has named
	Name string // of the event; "message" if the stream names none
	Data string // its lines joined by "\n"
}

// EventStream is a stream of server-sent events. It must be closed, or read to
// its end.
type EventStream struct{ *StreamResponse }

// DoEvents is [DoStream] for server-sent events.
func DoEvents(ctx context.Context, u *Upstream, op *Operation, req Request,
	read func(*Response) error, opts []CallOption) (*EventStream, error) {
	stream, err := DoStream(ctx, u, op, req, read, opts)
	if err != nil {
		return nil, err
	}
	return &EventStream{stream}, nil
}

// All yields the events and closes the stream. It ends with an error where the
// stream breaks, as [StreamResponse.Read] does; an event that is cut off is not
// yielded. The client does not connect again: what the upstream has sent is
// delivered, and a second call would be another one.
func (s *EventStream) All() iter.Seq2[ServerSentEvent, error] {
	return func(yield func(ServerSentEvent, error) bool) {
		defer s.Close()
		events := eventReader{lines: lineReader{r: bufio.NewReader(s), limit: s.call.upstream.maxBytes}}
		for {
			event, err := events.next()
			if err == io.EOF {
				return
			}
			if !yield(event, err) || err != nil {
				return
			}
		}
	}
}

// eventReader follows the HTML standard, section "Server-sent events".
type eventReader struct {
	lines lineReader
	id    string
	begun bool
}

// next is the next event that has data.
func (e *eventReader) next() (ServerSentEvent, error) {
	event := ServerSentEvent{Name: "message"}
	var data []string
	var size int64
	for {
		line, err := e.lines.next()
		if err != nil {
			return ServerSentEvent{}, err
		}
		if !e.begun {
			line, e.begun = strings.TrimPrefix(line, "\ufeff"), true
		}
		if size += int64(len(line)); size > e.lines.limit {
			return ServerSentEvent{}, errOversized
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "data":
			data = append(data, value)
		case "event":
			event.Name = value
		case "id":
			if !strings.Contains(value, "\x00") {
				e.id = value
			}
		}
		if line == "" && data != nil {
			event.ID, event.Data = e.id, strings.Join(data, "\n")
			return event, nil
		}
		if line == "" {
			event.Name = "message"
		}
	}
}

// lineReader reads lines that end with CR, LF or both. A last line without an end
// is cut off, and no line.
type lineReader struct {
	r      *bufio.Reader
	limit  int64
	skipLF bool
}

func (l *lineReader) next() (string, error) {
	var line []byte
	for {
		b, err := l.r.ReadByte()
		if err != nil {
			return "", err
		}
		if l.skipLF {
			l.skipLF = false
			if b == '\n' {
				continue
			}
		}
		switch {
		case b == '\r':
			l.skipLF = true
			return string(line), nil
		case b == '\n':
			return string(line), nil
		case int64(len(line)) >= l.limit:
			return "", errOversized
		}
		line = append(line, b)
	}
}

// JSONStream is a stream of JSON values: lines (application/x-ndjson,
// application/jsonl) or a sequence (RFC 7464). It must be closed, or read to its
// end.
type JSONStream[T any] struct{ *StreamResponse }

// DoJSONStream is [DoStream] for JSON values.
func DoJSONStream[T any](ctx context.Context, u *Upstream, op *Operation, req Request,
	read func(*Response) error, opts []CallOption) (*JSONStream[T], error) {
	stream, err := DoStream(ctx, u, op, req, read, opts)
	if err != nil {
		return nil, err
	}
	return &JSONStream[T]{stream}, nil
}

// All yields the values and closes the stream. It ends with an error where the
// stream breaks, as [StreamResponse.Read] does, or where a value does not decode.
func (s *JSONStream[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		defer s.Close()
		source := &records{r: s, limit: s.call.upstream.maxBytes}
		values := json.NewDecoder(source)
		values.UseNumber()
		for n := 1; ; n++ {
			var v T
			err := values.Decode(&v)
			source.done = values.InputOffset()
			switch {
			case err == nil:
			case err == io.EOF:
				return
			case source.err != nil && source.err != io.EOF:
				err = source.err // how the stream broke, and not what that made of the value
			default:
				err = fmt.Errorf("value %d of the stream: %w", n, err)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// records turns the marks between records into white space, and bounds how much
// is read for one value.
type records struct {
	r     io.Reader
	limit int64
	read  int64
	done  int64 // of what was read, before the value at hand
	err   error
}

const recordSeparator = 0x1e

// Read is asked only while a value is incomplete: so all that is not done belongs
// to it.
func (r *records) Read(p []byte) (int, error) {
	if r.read-r.done > r.limit {
		r.err = errOversized
		return 0, r.err
	}
	n, err := r.r.Read(p)
	r.read += int64(n)
	for i, b := range p[:n] {
		if b == recordSeparator {
			p[i] = ' '
		}
	}
	if n > 0 && err == io.EOF {
		err = nil // it comes again
	}
	r.err = err
	return n, err
}
