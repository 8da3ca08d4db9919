// Package annotation decodes the retry annotations of a document, strictly:
// unknown keys, wrong types and values out of range are diagnostics at their
// place, and all of them are found (RULE-ANNOTATION-STRICT).
package annotation

import (
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// The annotations.
const (
	KeyIdempotent    = "x-idempotent"
	KeyTransient500  = "x-transient-500"
	KeyReplayability = "x-replayability"
	KeyRetry         = "x-retry"
	KeyUpstream      = "x-upstream"
	KeyOnAmbiguous   = "x-on-ambiguous"
	KeyPagination    = "x-pagination"
)

// The annotations that have an effect on the root, an operation, and a request
// body, a media type of one or a property: those that are decoded there.
var (
	OfRoot      = new(decoder).root(new(Root)).names()
	OfOperation = new(decoder).operation(new(Operation)).names()
	OfBody      = new(decoder).body(new(Field[string])).names()
)

// Values of the annotations that choose one of several words.
const (
	Replayable = "replayable"
	Reopenable = "reopenable"
	OneShot    = "one-shot"

	OnAmbiguousError    = "error"
	OnAmbiguousRequired = "required"

	JitterFull         = "full"
	JitterDecorrelated = "decorrelated"

	MalformedIgnore = "ignore"
	MalformedDeny   = "deny"

	DepositRequest = "request"
	DepositSuccess = "success"
)

// Field is one value, and where it is written: the position of its key. A Field
// that is not Set has a default's value, or none.
type Field[T any] struct {
	Value T
	Set   bool
	Pos   source.Pos
}

// Root is what the root of a document declares for all operations.
type Root struct {
	Transient500 Field[bool]
	Retry        Retry
	Upstream     Upstream
	OnAmbiguous  Field[string]
}

// Operation is what one operation declares.
type Operation struct {
	Idempotent    Idempotent
	Transient500  Field[bool]
	Replayability Field[string]
	Retry         Retry
	OnAmbiguous   Field[string]
	Pagination    Pagination
}

// Idempotent is x-idempotent. Not Set means Undeclared.
type Idempotent struct {
	Set   bool
	Pos   source.Pos // also of one that is wrong, and so not Set
	Value bool       // true or false, as written; true with a Key
	Key   *Key       // nil unless idempotent by key
}

// Key is how an operation's idempotency key is made.
type Key struct {
	Header    Field[string]        // Idempotency-Key where it is not Set
	Template  Field[[]Part]        // not Set: one random key per call
	Retention Field[time.Duration] // not Set: not declared
}

// Retry is x-retry.
type Retry struct {
	MaxAttempts      Field[int]
	Deadline         Field[time.Duration] // 0: none
	AttemptTimeout   Field[time.Duration] // 0: none
	MinAttemptBudget Field[time.Duration]
	ReconcileTimeout Field[time.Duration]
	Backoff          Backoff
	RetryAfter       RetryAfter
	Denied           Field[[]int] // sorted
	Transient        Field[[]int] // sorted
}

// Backoff is x-retry.backoff.
type Backoff struct {
	Base       Field[time.Duration]
	Max        Field[time.Duration]
	Multiplier Field[float64]
	Jitter     Field[string]
}

// RetryAfter is x-retry.retry-after.
type RetryAfter struct {
	Max       Field[time.Duration] // 0 where it is not Set: the deadline
	Malformed Field[string]
}

// Upstream is x-upstream.
type Upstream struct {
	Name     Field[string]
	Budget   Budget
	Pool     Pool
	Bulkhead Bulkhead
}

// Budget is x-upstream.budget.
type Budget struct {
	Ratio        Field[float64]
	Window       Field[time.Duration]
	Deposit      Field[string]
	MinPerWindow Field[int]
}

// Pool is x-upstream.pool.
type Pool struct {
	MaxConnections Field[int]           // 0: no limit
	AcquireTimeout Field[time.Duration] // 0: the call's deadline
}

// Bulkhead is x-upstream.bulkhead.
type Bulkhead struct {
	MaxConcurrent  Field[int]           // 0: no bulkhead
	AcquireTimeout Field[time.Duration] // 0: the call's deadline
}

// DecodeRoot decodes the annotations at a document's root. at tells where a node
// stands.
func DecodeRoot(node *yaml.Node, at func(*yaml.Node) source.Pos) (Root, source.Diagnostics) {
	d := decoder{at: at}
	var root Root
	d.annotations("the root", node, d.root(&root))
	return root, d.found
}

func (d *decoder) root(into *Root) fields {
	return fields{
		KeyTransient500: transient500(d, &into.Transient500),
		KeyRetry:        d.retry(&into.Retry),
		KeyUpstream:     d.upstream(&into.Upstream),
		KeyOnAmbiguous:  onAmbiguous(d, &into.OnAmbiguous),
	}
}

// DecodeOperation decodes the annotations of an operation.
func DecodeOperation(node *yaml.Node, at func(*yaml.Node) source.Pos) (Operation, source.Diagnostics) {
	d := decoder{at: at}
	var op Operation
	d.annotations("an operation", node, d.operation(&op))
	return op, d.found
}

func (d *decoder) operation(into *Operation) fields {
	return fields{
		KeyIdempotent:    d.idempotent(&into.Idempotent).is("Whether doing it twice is the same as doing it once", "undeclared, and treated as false"),
		KeyTransient500:  transient500(d, &into.Transient500),
		KeyReplayability: replayability(d, &into.Replayability),
		KeyRetry:         d.retry(&into.Retry),
		KeyOnAmbiguous:   onAmbiguous(d, &into.OnAmbiguous),
		KeyPagination:    d.pagination(&into.Pagination).is("How one page leads to the next: by cursor, offset, page or link", ""),
	}
}

// DecodeReplayability decodes x-replayability of a request body, a media type or
// a property.
func DecodeReplayability(node *yaml.Node, at func(*yaml.Node) source.Pos) (Field[string], source.Diagnostics) {
	d := decoder{at: at}
	var hint Field[string]
	d.annotations("a request body, a media type or a property", node, d.body(&hint))
	return hint, d.found
}

func (d *decoder) body(into *Field[string]) fields {
	return fields{KeyReplayability: replayability(d, into)}
}

// Refuse refuses annotations on an element where they would have no effect.
// place is what the element is: "a path item".
func Refuse(place string, node *yaml.Node, at func(*yaml.Node) source.Pos) source.Diagnostics {
	d := decoder{at: at}
	d.annotations(place, node, fields{})
	return d.found
}

// CheckNames refuses as Refuse does, and permits the annotations that are named.
func CheckNames(place string, permitted []string, node *yaml.Node, at func(*yaml.Node) source.Pos) source.Diagnostics {
	d := decoder{at: at}
	known := fields{}
	for _, name := range permitted {
		known[name] = field{decode: func(string, *yaml.Node, *yaml.Node) {}}
	}
	d.annotations(place, node, known)
	return d.found
}

func transient500(d *decoder, into *Field[bool]) field {
	return boolean(d, into).is("Whether an idempotent call is repeated after a 500", "false")
}

func replayability(d *decoder, into *Field[string]) field {
	return word(d, into, Replayable, Reopenable, OneShot).is("How a binary body, or a file of a form, can be sent again", Replayable)
}

func onAmbiguous(d *decoder, into *Field[string]) field {
	return word(d, into, OnAmbiguousError, OnAmbiguousRequired).
		is("What a method does when nobody can know whether it was done, return the error or require its caller to decide", OnAmbiguousError)
}
