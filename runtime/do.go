package runtime

import "context"

// Do makes one call of an operation and returns its answer, as read understands
// it. read is called with the whole 2xx, or with a response that is none where the
// call ends or is reconciled, so that it can keep a documented error body
// ([ReadError]).
//
// The error is one of this package's error types; see [AmbiguousError] for the
// one that is neither success nor failure.
func Do[T any](ctx context.Context, u *Upstream, op *Operation, req Request,
	read func(*Response) (T, error), opts []CallOption) (T, error) {
	c := typedCall[T]{reading: reading[T]{read: read}}
	c.begin(ctx, u, op, &req, opts, &c.reading)
	if err := c.finish(); err != nil {
		var none T
		return none, err
	}
	return c.value, nil
}

// typedCall is a call and what it reads, in one piece of memory.
type typedCall[T any] struct {
	call
	reading[T]
}

// reader reads the response of a call, or takes the value that OnAmbiguous has in
// its place.
type reader interface {
	readResponse(*Response) error
	// fits reports whether an OnAmbiguous is one of the same result.
	fits(asker) bool
	take(value any)
}

// reading keeps what was read.
type reading[T any] struct {
	read  func(*Response) (T, error)
	value T
}

func (a *reading[T]) readResponse(r *Response) (err error) {
	a.value, err = a.read(r)
	return err
}

func (a *reading[T]) fits(ask asker) bool {
	_, fits := ask.(OnAmbiguous[T])
	return fits
}

func (a *reading[T]) take(value any) { a.value, _ = value.(T) }

// readFunc reads a response that has no value.
type readFunc func(*Response) error

func (f readFunc) readResponse(r *Response) error { return f(r) }

func (f readFunc) fits(ask asker) bool {
	_, fits := ask.(OnAmbiguous[NoResult])
	return fits
}

func (f readFunc) take(any) {}

// Exec is [Do] for operations whose success has no body.
func Exec(ctx context.Context, u *Upstream, op *Operation, req Request,
	read func(*Response) error, opts []CallOption) error {
	var c call
	c.begin(ctx, u, op, &req, opts, readFunc(read))
	return c.finish()
}

// finish runs a call to its end.
func (c *call) finish() error {
	err := c.run()
	if report := c.settings.report; report != nil {
		*report = c.outcome
	}
	if page := c.settings.page; page != nil {
		page.learn(c)
	}
	return err
}
