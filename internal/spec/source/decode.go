package source

import (
	"errors"
	"net/url"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v4"
)

// kin-openapi decodes the root document from its tree. As text it reads the files
// that references lead to, and the root document where something is wrong with it:
// it tells positions in texts alone.

// resolve lets kin-openapi decode the document and follow its references.
func (d *Documents) resolve() error {
	doc, err := d.decodeTree()
	if misfit := (*yaml.LoadError)(nil); errors.As(err, &misfit) {
		doc, err = d.decodeText(false)
	}
	if err != nil {
		return d.explainLoad(err)
	}
	d.Doc = doc
	return nil
}

func (d *Documents) decodeTree() (*openapi3.T, error) {
	defer d.writeFamiliarVersion()()
	d.last = d.root()
	loader := d.loader()
	// References of other files lead back to a document that the loader has read, so
	// it reads an empty one, which is filled.
	doc, err := loader.LoadFromDataWithPath([]byte("{}"), d.location())
	if err == nil {
		err = d.root().tree.Decode(doc)
	}
	if err == nil {
		err = loader.ResolveRefsIn(doc, d.location())
	}
	return doc, err
}

// decodeText reads all anew, with or without the positions of every element.
func (d *Documents) decodeText(origins bool) (*openapi3.T, error) {
	text, err := d.read(d.location())
	if err != nil {
		return nil, err
	}
	loader := d.loader()
	loader.IncludeOrigin = origins
	return loader.LoadFromDataWithPath(text, d.location())
}

func (d *Documents) loader() *openapi3.Loader {
	loader := openapi3.NewLoader()
	// Setting ReadFromURIFunc gives the policy to it and switches the flag off.
	loader.ReadFromURIFunc = func(_ *openapi3.Loader, location *url.URL) ([]byte, error) {
		return d.read(location)
	}
	loader.IsExternalRefsAllowed = true
	return loader
}

func (d *Documents) location() *url.URL { return &url.URL{Path: d.rootName} }

// read is the text of a file that a reference names.
func (d *Documents) read(location *url.URL) ([]byte, error) {
	f, err := d.open(location)
	if err != nil {
		return nil, err
	}
	d.last = f
	if f.text != nil {
		return f.text, nil
	}
	if f == d.root() {
		defer d.writeFamiliarVersion()()
	}
	err = f.print()
	return f.text, err
}

// print makes the text of a file from its tree.
func (f *file) print() error {
	text, err := yaml.Marshal(blockStyle(f.tree))
	if err != nil {
		return one(Pos{File: f.path}, "the document cannot be printed with its changes", "")
	}
	printed, err := Parse(f.path, text)
	if err != nil {
		return err
	}
	f.text, f.printed = text, printed
	return nil
}

// blockStyle is a copy to print, as the YAML library takes the tags off a tree
// that it prints. Every mapping and list has its own lines: a JSON document
// would be printed on one.
func blockStyle(node *yaml.Node) *yaml.Node {
	same := *node
	same.Style &^= yaml.FlowStyle
	same.Content = make([]*yaml.Node, len(node.Content))
	for i, child := range node.Content {
		same.Content[i] = blockStyle(child)
	}
	return &same
}
