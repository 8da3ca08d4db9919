// Package plugin makes the checks of retryvet a linter of golangci-lint, by its
// module plugin system. It is a module of its own, so that users of the client
// inherit nothing of it.
package plugin

import (
	"fmt"
	"slices"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/retrygen/retrygen/retryvet"
)

func init() { register.Plugin("retryvet", New) }

// Settings are the linter's settings in .golangci.yml.
type Settings struct {
	// Disable names checks that are not run.
	Disable []string `json:"disable"`
}

// New builds the linter. The error names a check that there is not.
func New(raw any) (register.LinterPlugin, error) {
	settings, err := register.DecodeSettings[Settings](raw)
	if err != nil {
		return nil, err
	}
	checks := slices.Clone(retryvet.Analyzers)
	for _, name := range settings.Disable {
		named := func(check *analysis.Analyzer) bool { return check.Name == name }
		if !slices.ContainsFunc(checks, named) {
			return nil, fmt.Errorf("retryvet: disable: there is no check %q", name)
		}
		checks = slices.DeleteFunc(checks, named)
	}
	return linter(checks), nil
}

type linter []*analysis.Analyzer

// BuildAnalyzers yields the checks that are not disabled.
func (l linter) BuildAnalyzers() ([]*analysis.Analyzer, error) { return l, nil }

// GetLoadMode: contracts are read from types.
func (linter) GetLoadMode() string { return register.LoadModeTypesInfo }
