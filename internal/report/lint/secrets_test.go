package lint

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The secrets are put together here, so that no scanner of repositories takes them
// for real ones.
func manySecrets() map[string]string {
	random := "q9Zk2Lm7Xw4Tb8Rc5Vn1Hs6Jd3Fg0Py2Ua7Ei4Oo9Zx"
	return map[string]string{
		"an AWS access key": "AKIA" + "Q9ZK2LM7XW4TB8RC",
		"a GitHub token":    "gh" + "p_" + random[:36],
		"a GitLab token":    "glp" + "at-" + random[:20],
		"a Stripe key":      "sk_" + "live_" + random[:24],
		"a Slack token":     "xox" + "b-" + random[:24],
		"a Google API key":  "AI" + "za" + random[:35],
		"a SendGrid key":    "S" + "G." + random[:22] + "." + random[:43],
		"an npm token":      "np" + "m_" + random[:36],
		"a JSON web token":  "ey" + "J" + random[:20] + "." + random[:20] + "." + random[:20],
		"a private key":     "-----BEGIN RSA PRIVATE" + " KEY-----MIIEvQIBADANBgkqh",
		"a bearer token":    "Authorization: Bearer " + random[:30],
	}
}

// TestSecrets: each kind is named at its place, wherever it stands, and is shown
// whole in no form of the report.
func TestSecrets(t *testing.T) {
	require.Len(t, manySecrets(), len(secretKinds))
	for kind, secret := range manySecrets() {
		t.Run(kind, func(t *testing.T) {
			document := head + "paths: {}\ncomponents:\n  schemas:\n    A:\n      type: string\n      description: \"look: " + secret + "\"\n" +
				"      enum: [\"" + secret + "\"]\nx-transient-500: \"" + secret[:min(len(secret), 39)] + "\"\nx-retrygen-ignore: [{rule: \"" + secret + "\", reason: a}]\n"
			report := lintText(t, document, Options{Strict: true})
			found := ofRule(report, "secret-in-document")
			require.GreaterOrEqual(t, len(found), 3)
			require.Contains(t, found[0], "8:20: this looks like "+kind)
			require.Contains(t, found[1], "9:14: this looks like "+kind)
			for _, format := range everyForm(t, report) {
				require.NotContains(t, format, secret)
			}
		})
	}
}

func TestPlaceholdersAreNoSecrets(t *testing.T) {
	for _, text := range []string{
		"AKIA" + "IOSFODNN7EXAMPLE", "Bearer <token>", "Bearer YOUR_ACCESS_TOKEN_GOES_HERE", "sk_" + "test_xxxxxxxxxxxxxxxxxxxxxxxx", "eyJhbGci...",
		"-----BEGIN PUBLIC KEY-----MIIEvQIBADANBgkqh", "gh" + "p_short", strings.Repeat("a", 60),
	} {
		document := head + "paths: {}\ncomponents: {schemas: {A: {type: string, example: \"" + text + "\"}}}\n"
		require.Empty(t, ofRule(lintText(t, document, Options{}), "secret-in-document"), text)
	}
}

// everyForm is a report in every form.
func everyForm(t testing.TB, report Report) []string {
	t.Helper()
	var text, coloured, asJSON, sarif bytes.Buffer
	require.NoError(t, report.WriteText(&text, TextOptions{Verbose: true}))
	require.NoError(t, report.WriteText(&coloured, TextOptions{Colour: true}))
	require.NoError(t, report.WriteJSON(&asJSON))
	require.NoError(t, report.WriteSARIF(&sarif, "v1.0.0", "openapi.yaml"))
	return []string{text.String(), coloured.String(), asJSON.String(), sarif.String()}
}
