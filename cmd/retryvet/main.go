// Command retryvet checks how generated clients are called:
//
//	retryvet ./...
//	go vet -vettool=$(which retryvet) ./...
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/retrygen/retrygen/retryvet"
)

func main() { multichecker.Main(retryvet.Analyzers...) }
