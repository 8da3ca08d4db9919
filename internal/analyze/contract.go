package analyze

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Runtime is the import path of the engine that generated clients link.
const Runtime = "github.com/retrygen/retrygen/runtime"

// Contract is the fact of a function whose error is that of a call: a method of
// a generated client or of its interface, or a function of the user's own that
// hands such an error on.
type Contract struct {
	// Method is the generated method, "Client.CreatePayment"; of a function that
	// hands errors of several on, the one that matters most.
	Method string
	// Package is the import path of the generated client.
	Package string
	// Route is the operation's method and path template.
	Route string

	Idempotency   string // as the contract's literal says: "IdempotentByKey"
	Replayability string
	KeyTemplate   string
	MaxAttempts   int64

	// Direct is set for generated methods, and not for what wraps them.
	Direct bool
}

// AFact marks a fact.
func (*Contract) AFact() {}

func (c *Contract) String() string {
	words := []string{c.Method, c.Idempotency, c.Replayability}
	if c.KeyTemplate != "" {
		words = append(words, fmt.Sprintf("key %q", c.KeyTemplate))
	}
	if !c.Direct {
		words = append(words, "handed on")
	}
	return strings.Join(words, ", ")
}

// mayEndAmbiguous follows RULE-AMBIGUOUS-1, but for reads of which the document
// says nothing: GET is safe (RFC 9110), so there is no effect to be in doubt of.
func (c *Contract) mayEndAmbiguous() bool {
	switch c.Idempotency {
	case "Idempotent":
		return false
	case "Undeclared":
		return !c.reads()
	}
	return true
}

// reads reports whether the method is one of those that are safe.
func (c *Contract) reads() bool {
	method, _, _ := strings.Cut(c.Route, " ")
	return slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace}, method)
}

func (c *Contract) keyed() bool { return c.Idempotency == "IdempotentByKey" }

// heaviest is the largest weight.
const heaviest = 2

// weight orders contracts by how much harm a mistake does.
func (c *Contract) weight() int {
	switch {
	case c.mayEndAmbiguous() && !c.keyed():
		return heaviest
	case c.mayEndAmbiguous():
		return 1
	}
	return 0
}

// handedOn is the contract of a function that hands on errors of c.
func (c *Contract) handedOn() *Contract {
	further := *c
	further.Direct = false
	return &further
}
