package plugin_test

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"github.com/stretchr/testify/require"

	_ "github.com/retrygen/retrygen/retryvet/plugin"
)

// names are the checks that the linter runs under the given settings.
func names(t *testing.T, settings any) (names []string) {
	t.Helper()
	build, err := register.GetPlugin("retryvet")
	require.NoError(t, err)
	linter, err := build(settings)
	require.NoError(t, err)
	require.Equal(t, register.LoadModeTypesInfo, linter.GetLoadMode())
	analyzers, err := linter.BuildAnalyzers()
	require.NoError(t, err)
	for _, analyzer := range analyzers {
		names = append(names, analyzer.Name)
	}
	return names
}

func TestPluginIsRegistered(t *testing.T) {
	require.Equal(t, []string{"ambiguous", "freshkey", "nestedretry", "oneshot", "retryloop"}, names(t, nil))
	require.Equal(t, []string{"ambiguous", "nestedretry", "retryloop"},
		names(t, map[string]any{"disable": []string{"oneshot", "freshkey"}}))
}

func TestPluginRefusesUnknownChecks(t *testing.T) {
	build, err := register.GetPlugin("retryvet")
	require.NoError(t, err)
	_, err = build(map[string]any{"disable": []string{"loops"}})
	require.EqualError(t, err, `retryvet: disable: there is no check "loops"`)
	_, err = build(map[string]any{"only": "ambiguous"})
	require.Error(t, err)
}
