package config

import "github.com/retrygen/retrygen/internal/spec/source"

// places are where a configuration says what it says.
type places struct {
	options map[string]source.Pos // "include", "include.tags.pets", "names.Pet"
	paths   map[string]source.Pos // the files and folders that it names, as the user would type them
}

func newPlaces() places {
	return places{options: map[string]source.Pos{}, paths: map[string]source.Pos{}}
}

// Places are where the options for operations, names and types are written, as
// spec.Options takes them.
func (c *Config) Places() map[string]source.Pos { return c.places.options }

// Locate gives every diagnostic a line of the configuration where it has none
// of its own: what concerns a file or folder as a whole is said where that is
// named.
func (c *Config) Locate(found source.Diagnostics) source.Diagnostics {
	located := make(source.Diagnostics, len(found))
	for i, one := range found {
		if pos, named := c.places.paths[one.Pos.File]; named && one.Pos.Line == 0 {
			one.Message = one.Pos.File + ": " + one.Message
			one.Pos = pos
		} else if one.Pos == (source.Pos{}) {
			one.Pos.File = c.File
		}
		located[i] = one
	}
	return located.Sorted()
}
