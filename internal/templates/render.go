// Package templates prints the Go client that an API describes. It decides
// nothing: names, types, order and contracts are final in spec.API.
package templates

import (
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/templates/printer"
)

// Options selects what is printed.
type Options struct {
	TypesOnly bool // models alone: no client, no operations
	ByTag     bool // operations of each tag in a file of their own
}

// Render prints the files of a client: their names, and formatted Go. A file
// that would declare nothing is left out. Equal APIs give equal bytes. The error
// is a source.Diagnostics for what Go cannot express of the document; any other
// error is a fault of the generator.
func Render(api *spec.API, options Options) (map[string][]byte, error) {
	return printer.Files(api, options.TypesOnly, options.ByTag)
}

// Signature is what call sites see of an operation.
type Signature = printer.Signature

// Signatures are those of all operations, in their order.
func Signatures(api *spec.API) []Signature {
	signatures := make([]Signature, len(api.Operations))
	for i, op := range api.Operations {
		signatures[i] = printer.SignatureOf(op)
	}
	return signatures
}

// FakeFile is a file that every fake has, and no client.
const FakeFile = printer.FakeFile

// RenderFake prints the files of the package that fakes an API for tests, as Render
// does those of a client. There are none where the API has no Fake.
func RenderFake(api *spec.API) (map[string][]byte, error) {
	if api.Fake == nil {
		return nil, nil
	}
	return printer.FakeFiles(api)
}
