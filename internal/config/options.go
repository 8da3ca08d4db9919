package config

import "github.com/retrygen/retrygen/internal/spec"

// Options are what a configuration says of the document.
func (c *Config) Options() spec.Options {
	return spec.Options{
		Spec:         c.Spec,
		Overlays:     c.Overlays,
		Roots:        c.Roots,
		Package:      c.Package,
		Interface:    c.Interface,
		FakeOf:       c.ImportPath,
		ContentTypes: spec.ContentTypes(c.ContentTypes),
		OnAmbiguous:  c.OnAmbiguous,
		Include:      spec.Selection(c.Include),
		Exclude:      spec.Selection(c.Exclude),
		Names:        c.Names,
		Types:        c.Types,
		Formats:      c.Formats,
		Unreferenced: c.Unreferenced(),
		Places:       c.Places(),
	}
}
