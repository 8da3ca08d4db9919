package runtime

import "time"

// Operation is the contract of one operation: the constants that decide its
// retries. The generator prints one literal per operation; its zero value makes
// one attempt and repeats nothing.
type Operation struct {
	// Name is the operation's id in the OpenAPI document.
	Name string
	// Route is the method and the path template, "GET /pets/{petId}".
	Route string

	// Idempotency is what the document declares. It is never derived from the
	// method.
	Idempotency Idempotency
	// KeyHeader is the header that bears the idempotency key, and KeyTemplate
	// how it is built; an empty template draws one random key per call. Both
	// are empty unless Idempotency is IdempotentByKey.
	KeyHeader   string
	KeyTemplate string
	// KeyRetention is how long the upstream remembers a key; NoRetention where
	// the document does not say.
	KeyRetention time.Duration

	// Replayability is the declared replayability of the request body.
	Replayability Replayability

	// Transient500 registers status 500 as transient, TransientStatuses other
	// 5xx. DeniedStatuses are never retried, whatever the rules permit.
	Transient500      bool
	TransientStatuses []int
	DeniedStatuses    []int

	// MaxAttempts counts attempts, the first included: 1 to 5. 0 means 1.
	MaxAttempts int
	// Deadline bounds the whole call; NoDeadline leaves it to the context.
	Deadline time.Duration
	// AttemptTimeout bounds one attempt; NoTimeout leaves it to the deadline.
	AttemptTimeout time.Duration
	// MinAttemptBudget is the time that must remain for a further attempt.
	MinAttemptBudget time.Duration

	// The delay before an attempt: see RULE-BACKOFF.
	BackoffBase       time.Duration
	BackoffMax        time.Duration
	BackoffMultiplier float64
	BackoffJitter     Jitter

	// RetryAfterMax is the longest Retry-After that is waited for, and
	// RetryAfterMalformed what a malformed one means.
	RetryAfterMax       time.Duration
	RetryAfterMalformed Malformed

	// ReconcileTimeout is how long OnAmbiguous may take to find out what happened;
	// 0 where the method has none.
	ReconcileTimeout time.Duration
}

// Values of an Operation's durations where the document sets none.
const (
	NoDeadline  time.Duration = 0
	NoTimeout   time.Duration = 0
	NoRetention time.Duration = 0
)

// Idempotency is what a document declares of an operation (RULE-IDEMPOTENCY).
type Idempotency uint8

const (
	// Undeclared operations are decided like NotIdempotent ones.
	Undeclared Idempotency = iota
	NotIdempotent
	Idempotent
	// IdempotentByKey operations are idempotent for requests that bear a key.
	IdempotentByKey
)

// Replayability tells whether a request body can be sent twice (RULE-BODY).
type Replayability uint8

const (
	NoBody Replayability = iota
	// Replayable bodies are held in memory.
	Replayable
	// Reopenable bodies are opened anew for each attempt.
	Reopenable
	// OneShot bodies are read once.
	OneShot
)

// Jitter is how a backoff delay is drawn (RULE-BACKOFF).
type Jitter uint8

const (
	FullJitter Jitter = iota
	DecorrelatedJitter
)

// Malformed is what a malformed Retry-After means (RULE-RETRY-AFTER).
type Malformed uint8

const (
	// IgnoreMalformed waits the drawn delay, as if there were no header.
	IgnoreMalformed Malformed = iota
	// DenyMalformed denies the retry.
	DenyMalformed
)
