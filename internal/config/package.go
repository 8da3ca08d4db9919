package config

import (
	"cmp"
	"go/build"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// notPackage ends the sentence about a package name that is none.
const notPackage = "is not the name of a Go package; expected a word of letters and digits that is no keyword"

// packageFix suggests a name that is near.
func packageFix(name string) string {
	if near := folderName(name); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

func validPackage(name string) bool { return token.IsIdentifier(name) && name != "_" }

// packageOf is the name for a package without one in its configuration: that of
// the file with the go:generate line if its folder is the output folder, else of
// the Go package that is there already, else the folder's own name. It is empty
// where that has no letters.
func packageOf(output string) string {
	dir, err := filepath.Abs(output)
	if err != nil {
		return ""
	}
	if working, err := os.Getwd(); err == nil && working == dir {
		if name := strings.TrimSuffix(os.Getenv("GOPACKAGE"), "_test"); validPackage(name) {
			return name
		}
	}
	return cmp.Or(ExistingPackage(dir), folderName(filepath.Base(dir)))
}

// ExistingPackage is the name of the Go package that a folder holds; empty without
// one, or with several.
func ExistingPackage(dir string) string {
	existing, err := build.ImportDir(dir, 0)
	if err != nil || !validPackage(existing.Name) {
		return ""
	}
	return existing.Name
}

// folderName is a folder's name without what no package name has.
func folderName(base string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, base)
	if !validPackage(name) {
		return ""
	}
	return name
}
