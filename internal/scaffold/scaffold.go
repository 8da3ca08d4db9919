// Package scaffold is what a client begins with, before the first one is generated.
package scaffold

import (
	"fmt"

	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/config"
)

// Overlay is the name of the overlay that a new configuration lists.
const Overlay = "retries.yaml"

// Start is what is known of a client.
type Start struct {
	Spec    string // the document, relative to the folder
	Package string
	Overlay []byte // of the document; nil where there is none yet
}

// Files are the files of the folder, by name.
func (s Start) Files() (map[string][]byte, error) {
	settings, err := yaml.Marshal(struct {
		Spec     string
		Overlays []string `yaml:",flow"`
		Package  string
	}{s.Spec, []string{Overlay}, s.Package})
	if err != nil {
		return nil, err
	}
	overlay := s.Overlay
	if overlay == nil {
		overlay = []byte(emptyOverlay)
	}
	return map[string][]byte{
		config.FileName:  append([]byte(aboutSettings), settings...),
		Overlay:          overlay,
		"doc.go":         fmt.Appendf(nil, "package %s\n\n//go:generate go tool retrygen generate\n", s.Package),
		".gitattributes": []byte(attributes),
	}, nil
}

const aboutSettings = "# What is generated, and of what: retrygen generate --help has all keys.\n"

// emptyOverlay says nothing that is not so without it.
const emptyOverlay = `# What the document leaves open: which of its operations may be repeated, how often
# and for how long. retrygen suggest prints what the document itself says of that.
overlay: 1.0.0
info: {title: Retry semantics, version: 1.0.0}
actions:
  - {target: $, update: {x-retry: {max-attempts: 3}}}
  #- {target: "$.paths['/payments'].post", update: {x-idempotent: {key: {header: Idempotency-Key, retention: 24h}}}}
`

const attributes = `# Generated code is reviewed like any other: code hosts must not fold it.
*.gen.go -linguist-generated
`
