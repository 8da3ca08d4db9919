package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"
)

// The types of this file iterate over the pages of an operation; generated
// methods fill them. Each page is one call, with the caller's options. The error
// of a call, or of a page that leads nowhere, is yielded once and is the end
// (RULE-PAGE).

// CursorPages are pages of which each has the cursor of the next.
type CursorPages[P any, C comparable] struct {
	// From is the cursor of the first page; nil where the caller gives none.
	From *C
	// Call asks for the page at a cursor.
	Call func(cursor *C, opts []CallOption) (P, error)
	// Next is the cursor that a page has for the next one. Nil, an empty string and
	// 0 are none.
	Next func(page P) *C
	// More is what a page says of whether more follow; nil where pages do not say.
	More func(page P) *bool
}

// All yields page after page.
func (p CursorPages[P, C]) All(opts []CallOption) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		cursor, sent := p.From, circle[C]{}
		if cursor != nil {
			sent.closes(*cursor)
		}
		iterate(yield, opts, func(opts []CallOption) (P, error) { return p.Call(cursor, opts) }, func(page P, _ *pageCall) (bool, error) {
			var none C
			next, more := p.Next(page), ask(p.More, page)
			switch {
			case more == no:
				return false, nil
			case next == nil || *next == none:
				if more == yes {
					return false, errors.New("it says that more pages follow, and has no cursor of the next")
				}
				return false, nil
			case sent.closes(*next):
				return false, errors.New("its cursor of the next page was sent before, so the pages would never end")
			}
			value := *next // the page is the caller's from here
			cursor = &value
			return true, nil
		})
	}
}

// OffsetPages are pages that begin at the number of items before them.
type OffsetPages[P any, N integer] struct {
	// From is the offset of the first page; nil where the caller gives none, which
	// means First.
	From  *N
	First N
	// Call asks for the page at an offset.
	Call func(offset *N, opts []CallOption) (P, error)
	// Count is the number of items of a page; one without is the last.
	Count func(page P) int
	// More is what a page says of whether more follow; nil where pages do not say.
	More func(page P) *bool
}

// All yields page after page.
func (p OffsetPages[P, N]) All(opts []CallOption) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		offset, before := p.From, []byte(nil)
		iterate(yield, opts, func(opts []CallOption) (P, error) { return p.Call(offset, opts) }, func(page P, done *pageCall) (bool, error) {
			count, more := p.Count(page), ask(p.More, page)
			switch {
			case more == no:
				return false, nil
			case count == 0 && more == yes:
				return false, errors.New("it says that more items follow, and has none, so the offset cannot advance")
			case count == 0:
				return false, nil
			}
			next, err := advance(offset, p.First, count)
			offset = &next
			return err == nil, errors.Join(err, done.differs(&before))
		})
	}
}

// NumberedPages are pages that are counted.
type NumberedPages[P any, N integer] struct {
	// From is the number of the first page; nil where the caller gives none, which
	// means First.
	From  *N
	First N
	// Call asks for the page of a number.
	Call func(number *N, opts []CallOption) (P, error)
	// Count is the number of items of a page; nil where that is not known. Where
	// pages do not say whether more follow, one without items is the last.
	Count func(page P) int
	// More is what a page says of whether more follow; nil where pages do not say.
	More func(page P) *bool
}

// All yields page after page.
func (p NumberedPages[P, N]) All(opts []CallOption) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		number, before := p.From, []byte(nil)
		iterate(yield, opts, func(opts []CallOption) (P, error) { return p.Call(number, opts) }, func(page P, done *pageCall) (bool, error) {
			more := ask(p.More, page)
			if more == unsaid && p.Count != nil && p.Count(page) > 0 {
				more = yes
			}
			if more != yes {
				return false, nil
			}
			next, err := advance(number, p.First, 1)
			number = &next
			return err == nil, errors.Join(err, done.differs(&before))
		})
	}
}

// LinkedPages are pages whose header links to the next (RFC 8288). Of the link its
// query is used, and nothing is ever sent to where the operation is not
// (RULE-PAGE-LINK).
type LinkedPages[P any] struct {
	// Call asks for a page.
	Call func(opts []CallOption) (P, error)
}

// All yields page after page.
func (p LinkedPages[P]) All(opts []CallOption) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		sent := circle[string]{}
		iterate(yield, opts, p.Call, func(_ P, done *pageCall) (bool, error) {
			target, found, err := nextLink(done.outcome.Header.Values("Link"))
			if err != nil || !found {
				return false, err
			}
			query, err := done.queryOf(target)
			if err != nil {
				return false, err
			}
			if !done.linked {
				sent.closes(done.url.RawQuery)
			}
			if sent.closes(query) {
				return false, errors.New("its link to the next page was followed before, so the pages would never end")
			}
			done.linked, done.query = true, query
			return true, nil
		})
	}
}

// Items yields the items of pages, one by one. The error of a page comes after
// the items of the pages before it.
func Items[P, I any](pages iter.Seq2[P, error], items func(page P) []I) iter.Seq2[I, error] {
	return func(yield func(I, error) bool) {
		for page, err := range pages {
			if err != nil {
				var none I
				yield(none, err)
				return
			}
			for _, item := range items(page) {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// iterate calls for page after page, until the caller has enough or next, which
// finds the page after one, tells that there is none. next looks at a page before
// the caller does, who may change it.
func iterate[P any](yield func(P, error) bool, opts []CallOption,
	call func([]CallOption) (P, error), next func(P, *pageCall) (bool, error)) {
	var none P
	done := &pageCall{}
	for {
		page, err := call(slices.Concat(opts, []CallOption{done.option}))
		if err != nil {
			yield(none, err)
			return
		}
		more, err := next(page, done)
		if !yield(page, nil) {
			return
		}
		if err != nil {
			yield(none, done.leadsNowhere(err))
			return
		}
		if !more {
			return
		}
	}
}

// pageCall is what an iteration wants of the call of a page, and learns from it.
type pageCall struct {
	linked bool   // the query is that of a link, in place of the request's
	query  string // encoded

	url        url.URL // without the credential
	credential string  // the credential's part of the query
	outcome    Outcome
	body       []byte
}

func (p *pageCall) option(s *settings) { s.page = p }

// learn takes what is needed of a call that has ended.
func (p *pageCall) learn(c *call) {
	p.url, p.credential, p.outcome = c.url, c.token.query, c.outcome
	if c.response != nil {
		p.body = c.response.Body
	}
}

// differs reports a page that is the one before once more: the upstream does not
// heed what it was asked for, and would go on for ever.
func (p *pageCall) differs(before *[]byte) error {
	if *before != nil && bytes.Equal(*before, p.body) {
		return errors.New("it is the same as the page before, byte for byte: the upstream does not heed which page it is asked for")
	}
	*before = p.body
	return nil
}

// leadsNowhere is the error of a page after which there is no right one.
func (p *pageCall) leadsNowhere(cause error) error {
	o := p.outcome
	o.Attempts = slices.Clone(o.Attempts) // else the error keeps the whole call
	return &MalformedError{Outcome: o, Body: p.body, Cause: cause}
}

// promise is what a page says of whether more follow.
type promise uint8

const (
	unsaid promise = iota
	no
	yes
)

func ask[P any](more func(P) *bool, page P) promise {
	if more == nil {
		return unsaid
	}
	switch said := more(page); {
	case said == nil:
		return unsaid
	case *said:
		return yes
	}
	return no
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// advance is a position n further on.
func advance[N integer](at *N, first N, n int) (N, error) {
	if at == nil {
		at = &first
	}
	next := *at + N(n)
	if next <= *at {
		return next, fmt.Errorf("the page after %d cannot be counted", *at)
	}
	return next, nil
}

// circle finds out that values repeat themselves, whatever the period, and
// remembers only two of them: the last, and one that is replaced after 1, 2, 4, 8
// and so on (Brent's algorithm).
type circle[T comparable] struct {
	last, mark  T
	steps, turn int
}

// closes adds a value, and reports whether it was there before.
func (c *circle[T]) closes(v T) bool {
	if c.turn > 0 && (v == c.mark || v == c.last) {
		return true
	}
	if c.steps == c.turn {
		c.mark, c.steps, c.turn = v, 0, max(1, 2*c.turn)
	}
	c.last = v
	c.steps++
	return false
}
