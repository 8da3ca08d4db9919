package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxBody is more than any request of the gateway needs.
const maxBody = 16 << 10

// decode reads a body of JSON, strictly: a field that nobody knows is a wish that
// nobody would fulfil, and of one that comes twice, nobody knows which is meant. Its
// errors hold no value of the body.
func decode[T any](w http.ResponseWriter, r *http.Request) (wanted T, err error) {
	err = json.UnmarshalRead(http.MaxBytesReader(w, r.Body, maxBody), &wanted, json.RejectUnknownMembers(true))
	var (
		wrong     *json.SemanticError
		malformed *jsontext.SyntacticError
		tooLong   *http.MaxBytesError
	)
	switch {
	case err == nil:
		return wanted, nil
	case errors.As(err, &tooLong):
		err = fmt.Errorf("the body has more than %d KiB", maxBody>>10)
	case errors.Is(err, json.ErrUnknownName):
		err = errors.New("the body has a field that is none of this request")
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &malformed):
		err = fmt.Errorf("%s: comes twice", malformed.JSONPointer)
	case !errors.As(err, &wrong):
		err = errors.New("the body is not JSON")
	case wrong.JSONPointer == "":
		err = errors.New("the body must be an object")
	default:
		err = fmt.Errorf("%s: must be a %s", wrong.JSONPointer, kindOf(wrong.GoType))
	}
	return wanted, err
}

func kindOf(t reflect.Type) string {
	if t.Kind() == reflect.Int {
		return "whole number"
	}
	return "string"
}
