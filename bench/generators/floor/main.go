// Floor reads and checks a document with kin-openapi, and makes nothing of it: the
// least that a generator takes which does so.
package main

import (
	"context"
	"log"
	"os"

	"github.com/getkin/kin-openapi/openapi3"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("name one document")
	}
	document, err := openapi3.NewLoader().LoadFromFile(os.Args[1])
	if err == nil {
		err = document.Validate(context.Background(), openapi3.DisableExamplesValidation(),
			openapi3.DisableSchemaDefaultsValidation(), openapi3.DisableSchemaPatternValidation())
	}
	if err != nil {
		log.Fatal(err)
	}
}
