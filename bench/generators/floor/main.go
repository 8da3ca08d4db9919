// Floor loads a document with kin-openapi, and makes nothing of it: what a generator
// takes at least that reads texts with it.
package main

import (
	"log"
	"os"

	"github.com/getkin/kin-openapi/openapi3"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("name one document")
	}
	if _, err := openapi3.NewLoader().LoadFromFile(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}
