package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// Opener opens a body from its start; the runtime closes what it returns. It is
// called once per attempt.
type Opener func() (io.ReadCloser, error)

// Body is a request body and its replayability (RULE-BODY). The zero Body sends
// none.
type Body struct {
	replayability Replayability
	contentType   string
	length        int64 // -1: unknown
	json          bool  // value is encoded to data when the call begins,
	value         any
	encoder       func() ([]byte, error) // or what this yields
	data          []byte
	open          Opener
	reader        io.Reader
	multipart     *multipartBody // becomes one of the above when the call begins
}

// JSON is a body that is encoded once per call; every attempt sends the same
// bytes.
func JSON(v any) Body { return JSONAs("application/json", v) }

// JSONAs is [JSON] for one of its relatives, such as application/merge-patch+json.
func JSONAs(contentType string, v any) Body {
	return Body{replayability: Replayable, contentType: contentType, json: true, value: v}
}

// Bytes is a body in memory. The caller must not change data during the call.
func Bytes(contentType string, data []byte) Body {
	return Body{replayability: Replayable, contentType: contentType, data: data, length: int64(len(data))}
}

// Reopen is a body that open yields anew for every attempt, always with the same
// bytes. A nil open rejects the call.
func Reopen(contentType string, open Opener) Body {
	return Body{replayability: Reopenable, contentType: contentType, open: open, length: -1}
}

// Stream is a body that can be read once: there is no second attempt after one
// has begun to read it. The reader is closed with the call if it is an
// [io.Closer].
func Stream(contentType string, r io.Reader) Body {
	return Body{replayability: OneShot, contentType: contentType, reader: r, length: -1}
}

// Seeker opens a body that is rewound for every attempt. It is for callers that
// have an [io.ReadSeeker], a file say, and keep it open during the call.
func Seeker(s io.ReadSeeker) Opener {
	return func() (io.ReadCloser, error) {
		if _, err := s.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		return io.NopCloser(s), nil
	}
}

// encode turns a DTO into the bytes that every attempt sends, and refuses a body
// that cannot be read at all.
func (b *Body) encode() error {
	switch {
	case b.multipart != nil:
		return b.multipart.join(b)
	case b.json:
		data, err := json.Marshal(b.value)
		if err != nil {
			return fmt.Errorf("the body cannot be encoded as JSON: %w", err)
		}
		b.data, b.length = data, int64(len(data))
	case b.encoder != nil:
		data, err := b.encoder()
		if err != nil {
			return err
		}
		b.data, b.length = data, int64(len(data))
	case b.replayability == Reopenable && b.open == nil:
		return errors.New("the body has no function that opens it")
	case b.replayability == OneShot && b.reader == nil:
		return errors.New("the body has no reader")
	}
	return nil
}

// attempt yields the body for one attempt.
func (b *Body) attempt() (io.ReadCloser, error) {
	switch b.replayability {
	case Replayable:
		return io.NopCloser(bytes.NewReader(b.data)), nil // which net/http knows to be in memory
	case Reopenable:
		body, err := b.open()
		if err == nil && body == nil {
			err = errors.New("the function that opens the body returned nothing")
		}
		return body, err
	case OneShot:
		return &oneShot{reader: b.reader}, nil
	}
	return nil, nil
}

// oneShot lends a reader to one attempt. An attempt that never read it, because
// the connection failed first, leaves it whole for the next.
type oneShot struct {
	reader io.Reader
	state  atomic.Int32
}

const (
	untouched int32 = iota
	touched         // read at least once
	revoked         // never read, and never will be
)

var errRevoked = errors.New("the attempt is over")

func (o *oneShot) Read(p []byte) (int, error) {
	if !o.state.CompareAndSwap(untouched, touched) && o.state.Load() == revoked {
		return 0, errRevoked
	}
	return o.reader.Read(p)
}

// Close ends the loan; the reader itself is closed when the call ends.
func (o *oneShot) Close() error {
	o.revoke()
	return nil
}

// revoke keeps a transport that is late from reading what the next attempt
// sends, and reports whether the reader was read at all. It never waits for a
// reader that blocks.
func (o *oneShot) revoke() (read bool) {
	return !o.state.CompareAndSwap(untouched, revoked) && o.state.Load() == touched
}

// opened reports whether an attempt's body can no longer be sent whole by
// another attempt, unless it is opened anew.
func opened(body io.ReadCloser) bool {
	lent, ok := body.(*oneShot)
	return body != nil && (!ok || lent.revoke())
}

// finish closes one-shot readers, where they can be closed.
func (b *Body) finish() {
	if closer, ok := b.reader.(io.Closer); ok {
		closer.Close()
	}
	if b.multipart != nil {
		for i := range b.multipart.parts {
			b.multipart.parts[i].Body.finish()
		}
	}
}
