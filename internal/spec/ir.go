package spec

import (
	"cmp"
	"time"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// API is one generated package: all that templates and reports read. Every name
// in it is a finished Go name, every list is in its final order, and every
// decision is taken.
type API struct {
	Package     string // Go package name
	Interface   string // the name of the interface that the client has; "" for none
	Title       string
	Version     string // info.version
	Description string
	Servers     []*Server      // document order; the first is the default
	Others      []*OtherServer // of single operations, sorted by Go name
	Upstream    Upstream
	Schemes     []*Scheme    // in use only, sorted by Go name
	Operations  []*Operation // sorted by Go name
	Types       []*Type      // named types, sorted by Go name
	Fake        *Fake        // nil: none is asked for
	Notes       []source.Diagnostic
}

// Name is a thing's name in the document and in Go.
type Name struct{ Wire, Go string }

// Server is one entry of servers.
type Server struct {
	URL         string // with {variables}
	Description string
	Variables   []*ServerVariable
	Pos         source.Pos
}

// OtherServer is a server that only some operations have; Name.Go is its Config
// field, and Name.Wire its URL with the defaults of its variables.
type OtherServer struct {
	Name        Name
	Description string
	Pos         source.Pos
}

// ServerVariable is one variable of a server URL; Name.Go is its Config field.
type ServerVariable struct {
	Name        Name
	Default     string
	Enum        []string
	Description string
}

// Origin is who said a contract value.
type Origin uint8

const (
	FromDefault       Origin = iota // nobody: the rule book's default
	FromDocument                    // the document's root
	FromOperation                   // the operation, its body, media type or property
	FromConfiguration               // the user
)

// Value is one value of a contract and who said it. Pos is zero for a default;
// an overlay shows in Pos.File.
type Value[T any] struct {
	V      T
	Origin Origin
	Pos    source.Pos
}

// Nearer is the position of the value that is written nearer to the operation: of
// two that exclude each other, it made the difference. It is zero where nobody said
// either.
func Nearer[A, B any](a Value[A], b Value[B]) source.Pos {
	if b.Origin > a.Origin {
		return cmp.Or(b.Pos, a.Pos)
	}
	return cmp.Or(a.Pos, b.Pos)
}

// Upstream is what x-upstream declares.
type Upstream struct {
	Name                   Value[string]
	BudgetRatio            Value[float64]
	BudgetWindow           Value[time.Duration]
	BudgetDeposit          Value[Deposit]
	BudgetMinPerWindow     Value[int]
	MaxConnections         Value[int]           // 0: no limit
	AcquireTimeout         Value[time.Duration] // 0: the call's deadline
	MaxConcurrent          Value[int]           // 0: no bulkhead
	BulkheadAcquireTimeout Value[time.Duration] // 0: the call's deadline
}

type Deposit uint8

const (
	DepositRequest Deposit = iota
	DepositSuccess
)

type Idempotency uint8

const (
	Undeclared Idempotency = iota
	NotIdempotent
	Idempotent
	IdempotentByKey
)

type Replayability uint8

const (
	NoBody Replayability = iota
	Replayable
	Reopenable
	OneShot
)

type Jitter uint8

const (
	FullJitter Jitter = iota
	DecorrelatedJitter
)

type Malformed uint8

const (
	IgnoreMalformed Malformed = iota
	DenyMalformed
)

// Contract is the whole retry meaning of one operation.
type Contract struct {
	Idempotency         Value[Idempotency]
	Key                 Key // zero unless IdempotentByKey
	Replayability       Value[Replayability]
	Transient500        Value[bool]
	TransientStatuses   Value[[]int] // sorted
	DeniedStatuses      Value[[]int] // sorted
	MaxAttempts         Value[int]
	Deadline            Value[time.Duration] // 0: none
	AttemptTimeout      Value[time.Duration] // 0: none
	MinAttemptBudget    Value[time.Duration]
	BackoffBase         Value[time.Duration]
	BackoffMax          Value[time.Duration]
	BackoffMultiplier   Value[float64]
	BackoffJitter       Value[Jitter]
	RetryAfterMax       Value[time.Duration]
	RetryAfterMalformed Value[Malformed]
	OnAmbiguous         Value[bool] // required; never of an operation that does not end ambiguous
	ReconcileTimeout    Value[time.Duration]
}

// Key is the idempotency key of an operation.
type Key struct {
	Header    Value[string]
	Template  Value[string] // "" draws one random key per call
	Retention Value[time.Duration]
	Parts     []KeyPart // the template, literals and values in turn; nil without a template
}

// KeyPart is a literal, or a value named by the template.
type KeyPart struct {
	Literal string
	Param   *Param   // the value is a parameter,
	Fields  []*Field // or a (nested) field of the body: the path to it
}

// Operation is one method of the client. An operation of the document is one for
// its preferred content types, and one for each combination of further ones.
type Operation struct {
	Name        Name   // Go: the method's name; Wire: the operationId, or METHOD /path without one
	Var         string // the contract's variable
	ParamsType  string // the struct of query and header parameters; "" without any
	ResultType  string // the struct that a method with several success types returns; "" otherwise
	ReadFunc    string // the function that reads its responses
	OnAmbiguous string // the argument that the contract requires; "" otherwise
	Method      string // "GET"
	Route       string // "/pets/{petId}"
	Path        []PathPart
	FixedQuery  string   // encoded, of a path that has one
	PathParams  []*Param // in the order of the path
	Query       []*Param // document order, required first
	Headers     []*Param // headers and cookies
	Body        *Body
	Responses   []*Response // sorted: codes, then ranges, then default
	Stream      *Stream     // of an operation whose success is one; nil for others
	Further     *Further    // of a method for further content types; nil for others
	HeaderType  string      // the struct of the headers of its successful responses; "" without any
	HeaderFunc  string      // the function that reads them
	Header      []*Field    // of HeaderType; what may be absent is a pointer or has a nil
	Security    []Requirement
	Server      *OtherServer // nil: the document's
	Contract    Contract
	Pagination  *Pagination    // nil: not in pages, as far as the document says
	Fake        *FakeOperation // nil without API.Fake
	Tags        []string
	Summary     string
	Description string
	Deprecated  Deprecation
	Pos         source.Pos
}

// ID is the operationId; "" without one.
func (op *Operation) ID() string {
	if op.Name.Wire == op.Method+" "+op.Route {
		return ""
	}
	return op.Name.Wire
}

// Deprecation says whether something is deprecated, and why; "" where the document
// does not say.
type Deprecation struct {
	Is     bool
	Reason string
}

// Pagination is how a response of an operation leads to the next one: its page.
type Pagination struct {
	Kind       PaginationKind
	Pages      string   // the method that yields pages
	All        string   // the method that yields items; "" where they are not known
	Param      *Param   // what asks for a page: a parameter,
	BodyFields []*Field // or a (nested) field of the body: the path to it; nil of both: ByLink
	Type       *Type    // of what asks for a page
	First      string   // ByOffset, ByNumber: what the first page has, where nothing asks for one
	Next       []*Field // ByCursor: the path to the next cursor in a page
	Item       *Ref     // an item; nil where they are not known
	Items      []*Field // the path to the items; nil: the page is the list
	More       []*Field // the path to the flag that says whether more follow; nil without one
	NilPage    bool     // a page may be nil: a success without a body
}

type PaginationKind uint8

const (
	ByCursor PaginationKind = iota
	ByOffset
	ByNumber
	ByLink
)

// Further is what makes a method one for further content types. It shares
// parameters, and so their types, with the one that it is of.
type Further struct {
	Of     *Operation
	Reader *Operation // has the same responses, and so types and function; nil: none has
	Sends  string     // the content type of the body; "" for the preferred one
	Reads  string     // the content type that is asked for; "" for the preferred one
}

// PathPart is a literal piece of a path, already escaped, or a parameter.
type PathPart struct {
	Literal string
	Param   *Param
}

// Param is a parameter. Name.Go is an argument's name for path parameters, a
// field's name for others.
type Param struct {
	Name        Name
	In          string // "path", "query", "header", "cookie"
	Required    bool
	Style       Style
	Explode     bool
	Type        *Ref
	Default     string // as the document writes it; it is the upstream's to apply
	Description string
	Deprecated  Deprecation
	Pos         source.Pos
}

// Style is how a parameter writes an array or an object.
type Style uint8

const (
	StyleSimple Style = iota
	StyleLabel
	StyleMatrix
	StyleForm
	StyleSpaceDelimited
	StylePipeDelimited
	StyleDeepObject
	StyleJSON // the value as JSON: a parameter with content
)

// Flat reports whether the type is a scalar or a list of scalars, whose form the
// generated code spells out; other types are written as their JSON says.
func (t *Type) Flat() bool {
	if t.Kind == Slice {
		t = t.Elem.Type
	}
	return t.Scalar()
}

// Scalar reports whether the type is one text on the wire.
func (t *Type) Scalar() bool {
	known := t.Import == "" || t.Import == "time" || t.Import == wireImport
	return t.Kind == Enum || t.Kind == Primitive && known
}

// Body is a request body.
type Body struct {
	Arg         string // the argument's name
	Required    bool
	ContentType string
	Encoding    Encoding
	Form        Replayability // Replayable: Type is the argument's; else runtime.Opener or io.Reader
	Type        *Ref          // of JSON and forms; a multipart form's is the argument's in any case
	Properties  []*PropertyEncoding
	Description string
	Pos         source.Pos
}

// Encoding is how a body is written or read.
type Encoding uint8

const (
	JSON       Encoding = iota
	Raw                 // bytes as they are
	URLEncoded          // application/x-www-form-urlencoded
	Multipart           // a struct of files and other parts
	Text                // a scalar as text
	Own                 // a runtime.Body that the caller makes: the media type is not known
)

// PropertyEncoding is how a form writes one property, where that is not the usual
// way.
type PropertyEncoding struct {
	Name        string
	Style       Style  // URLEncoded
	Explode     bool   // URLEncoded
	ContentType string // Multipart; "" for the usual one
}

// Response is one documented response.
type Response struct {
	Status      Status
	ContentType string
	Encoding    Encoding
	Type        *Ref   // nil: no body that is read; with Raw: []byte or string
	Field       string // its field in Operation.ResultType
	Others      []*Other
	Description string
	Pos         source.Pos
	binary      bool
}

// Other is JSON of another type than its response has, which the upstream may send
// in its place.
type Other struct {
	ContentType string
	Type        *Ref
}

// Stream is a success that is read as it comes.
type Stream struct {
	ContentType string
	Kind        StreamKind
	Type        *Ref // of a value; JSONValues only
}

type StreamKind uint8

const (
	ServerSentEvents StreamKind = iota
	JSONValues
	RawBytes
)

// Status is a code, a range, or the default.
type Status struct {
	Code    int // 201; 0 for a range or the default
	Class   int // 4 for 4XX
	Default bool
}

// Success reports whether the status is a 2xx.
func (s Status) Success() bool { return s.Code/100 == 2 || s.Class == 2 }

// Scheme is a security scheme; Name.Go is its Config field.
type Scheme struct {
	Name        Name
	Kind        SchemeKind
	Header      string // APIKey in header
	Query       string // APIKey in query
	Cookie      string // APIKey in a cookie
	Description string
	Pos         source.Pos
}

type SchemeKind uint8

const (
	APIKey SchemeKind = iota
	Bearer
	Basic
)

// Requirement is one alternative: all of its schemes together. One without
// schemes means that no credential is needed.
type Requirement struct{ Schemes []*Scheme }

// Ref is a use of a type.
type Ref struct {
	Type      *Type
	Form      Form
	NilIsNull bool // Plain, and always there: null is permitted, and nil is it
}

// Form is how a use holds its type.
type Form uint8

const (
	Plain    Form = iota // T
	Pointer              // *T: may be absent, or may be null, not both
	Nullable             // wire.Nullable[T]: absent and null differ
	Omitted              // T of a scalar: absent where it is zero
)

type Kind uint8

const (
	Primitive Kind = iota // Go (and Import) name it
	Struct
	Slice
	Map
	Enum
	Any   // json.RawMessage-free "any"
	Union // one of Variants
)

// Type is a Go type. Named ones are declared once, in API.Types, and shared by
// pointer, so a recursive type is a pointer cycle.
type Type struct {
	Kind        Kind
	Name        Name   // zero for an anonymous primitive, slice or map
	Go          string // Primitive and Enum: the Go spelling of the base, "int64", "Time"
	Import      string // where Go comes from: "time"; "" for predeclared
	Description string
	Deprecated  Deprecation
	Fields      []*Field     // Struct
	Tuple       bool         // Struct: an array on the wire, of the fields in turn
	Extra       *Ref         // Struct: additionalProperties beside fields; Tuple: items after them
	ExtraField  string       // Struct: the Go field that holds them
	Elem        *Ref         // Slice, Map
	Values      []*EnumValue // Enum
	// Constant is the only value of an Enum, as which its zero value is sent; nil where
	// there are others, or the zero value is one of its own.
	Constant *EnumValue
	Variants []*Variant // Union
	// Discriminator is the property that tells the variants of a Union apart; ""
	// without one.
	Discriminator string
	Rules         Rules
	Pos           source.Pos
}

// Variant is one type of a union.
type Variant struct {
	Name   string // the variant's: Cat of PetFromCat
	From   string // the function that makes a union of it
	Type   *Ref
	Values []string // of the discriminator
	Preset *Field   // the discriminator, where it has one value only; nil otherwise
}

// Field is one property of a struct.
type Field struct {
	Name        Name
	Type        *Ref
	Required    bool // must be present on the wire
	ReadOnly    bool
	WriteOnly   bool
	Default     string // as the document writes it; it is the upstream's to apply
	Tags        []Name // more struct tags, sorted: their keys and values
	Description string
	Deprecated  Deprecation
	Pos         source.Pos
}

// EnumValue is one constant of an enum. Literal is ready Go: "\"a\"", "5" or
// "true".
type EnumValue struct {
	Name        Name
	Literal     string
	Description string
}

// Rules are the constraints that a request's value must meet. Numbers are exact
// decimal texts, "" where there is none.
type Rules struct {
	MinLength, MaxLength *int
	Pattern              string // compiles with RE2
	Minimum, Maximum     string
	ExclusiveMinimum     bool
	ExclusiveMaximum     bool
	MultipleOf           string
	MinItems, MaxItems   *int // of a Tuple: where it can have more items than fields
	UniqueItems          bool
	MinProperties        *int
	MaxProperties        *int
}
