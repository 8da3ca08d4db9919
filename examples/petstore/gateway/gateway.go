// Package gateway answers a rental shop's questions with the help of a pet
// provider that fails in interesting ways. It turns what is known of a call into
// an answer of its own, and never invents a value.
package gateway

import (
	"context"
	"errors"
	"net/http"

	"github.com/retrygen/retrygen/examples/petstore/pets"
	"github.com/retrygen/retrygen/runtime"
)

// Code is the gateway's word for an outcome.
type Code string

const (
	OK                  Code = "ok"
	MissingRecord       Code = "missing_record"
	ProviderRateLimited Code = "provider_rate_limited"
	IntegrationRejected Code = "integration_rejected"
	InvalidRequest      Code = "invalid_request"
	Unavailable         Code = "unavailable"
	Ambiguous           Code = "ambiguous"
)

// Answer is what the gateway tells its own caller.
type Answer[T any] struct {
	Status int // of the gateway's own response
	Code   Code
	Value  T // meaningful with OK only
}

// Gateway asks the provider.
type Gateway struct{ provider *pets.Client }

// New builds a gateway on a client of the provider.
func New(provider *pets.Client) *Gateway { return &Gateway{provider} }

// Pet looks up one pet: a read, so it may be repeated within its budget.
func (g *Gateway) Pet(ctx context.Context, id string, opts ...runtime.CallOption) Answer[*pets.Pet] {
	pet, err := g.provider.GetPet(ctx, id, opts...)
	return answer(pet, http.StatusOK, err)
}

// Reserve reserves a pet: a write, so it is sent once. An ambiguous answer means
// that the shop must look before it reserves again.
func (g *Gateway) Reserve(ctx context.Context, r pets.NewReservation, opts ...runtime.CallOption) Answer[*pets.Reservation] {
	reservation, err := g.provider.CreateReservation(ctx, r, opts...)
	return answer(reservation, http.StatusCreated, err)
}

// answer maps a call's result to the gateway's answer. Only a success carries a
// value.
func answer[T any](value T, success int, err error) Answer[T] {
	if err == nil {
		return Answer[T]{Status: success, Code: OK, Value: value}
	}
	var (
		ambiguous *runtime.AmbiguousError
		status    *runtime.StatusError
		rejected  *runtime.RejectedError
	)
	switch {
	case errors.As(err, &ambiguous):
		return Answer[T]{Status: http.StatusBadGateway, Code: Ambiguous}
	case errors.As(err, &rejected) && rejected.By == runtime.ByValidation:
		return Answer[T]{Status: http.StatusBadRequest, Code: InvalidRequest}
	case errors.As(err, &status):
		return Answer[T]{Status: localStatus(status.Status), Code: code(status.Status)}
	}
	return Answer[T]{Status: http.StatusServiceUnavailable, Code: Unavailable}
}

// code is the gateway's word for a status of the provider.
func code(status int) Code {
	switch status {
	case http.StatusNotFound:
		return MissingRecord
	case http.StatusTooManyRequests:
		return ProviderRateLimited
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden:
		return IntegrationRejected
	}
	return Unavailable
}

// localStatus is the gateway's own status: only a missing record is the shop's
// business, anything else is the gateway's trouble with its provider.
func localStatus(status int) int {
	switch code(status) {
	case MissingRecord:
		return http.StatusNotFound
	case IntegrationRejected:
		return http.StatusBadGateway
	}
	return http.StatusServiceUnavailable
}
