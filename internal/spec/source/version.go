package source

import (
	"fmt"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v4"
)

// supported is what this package reads: its own check, as kin-openapi accepts
// documents of versions that it does not know.
var supported = regexp.MustCompile(`^3\.([012])\.\d+$`)

const supportedText = "OpenAPI 3.0.x to 3.2.x and Swagger 2.0 are supported"

// familiar are the versions that kin-openapi knows. A later patch release
// changes no meaning, so it is read as the last of these.
var familiar = []string{"3.0.0", "3.0.1", "3.0.2", "3.0.3", "3.0.4", "3.1.0", "3.1.1", "3.1.2", "3.2.0", "3.2.1"}

// checkVersion refuses documents of other versions and kinds.
func (d *Documents) checkVersion() error {
	root := d.root()
	_, version := Member(root.tree, "openapi")
	if version == nil {
		if _, version := Member(root.tree, "swagger"); version != nil {
			if d.isSwagger() {
				return nil
			}
			return one(d.posIn(root, version), fmt.Sprintf("this is a Swagger %s document; %s", version.Value, supportedText), "convert it to OpenAPI 3 first")
		}
		return one(d.posIn(root, root.tree), "there is no openapi key that names the version; "+supportedText, `write openapi: "3.0.3" at the top if that is what this is`)
	}
	if !supported.MatchString(version.Value) {
		return one(d.posIn(root, version), fmt.Sprintf("openapi is %s; %s", shown(version), supportedText), "")
	}
	return nil
}

// isSwagger reports whether the document is to be converted. YAML reads 2.0 as a
// number.
func (d *Documents) isSwagger() bool {
	version := value(d.root().tree, "swagger")
	return version != nil && version.Kind == yaml.ScalarNode && version.Value == "2.0"
}

func (d *Documents) familiarVersion() bool {
	return d.isSwagger() || slices.Contains(familiar, value(d.root().tree, "openapi").Value)
}

// writeFamiliarVersion writes a version that kin-openapi knows into the tree,
// until it is undone.
func (d *Documents) writeFamiliarVersion() (undo func()) {
	version := value(d.root().tree, "openapi")
	written := version.Value
	if !d.familiarVersion() {
		minor := supported.FindStringSubmatch(written)[1]
		version.Value = map[string]string{"0": "3.0.4", "1": "3.1.2", "2": "3.2.1"}[minor]
	}
	return func() { version.Value = written }
}
