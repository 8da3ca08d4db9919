package lint

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// secretKind is a kind of credential that can be told by its form.
type secretKind struct {
	name   string
	begins []string // one of these is in it: most texts need no closer look
	form   *regexp.Regexp
	shown  int // how many characters say nothing but the kind
}

var secretKinds = []secretKind{
	{"an AWS access key", []string{"AKIA", "ASIA"}, regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`), 4},
	{"a GitHub token", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, regexp.MustCompile(`\b(?:gh[pousr]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{40,})\b`), 4},
	{"a GitLab token", []string{"glpat-"}, regexp.MustCompile(`\bglpat-[0-9A-Za-z_-]{20,}`), 6},
	{"a Stripe key", []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_"}, regexp.MustCompile(`\b[sr]k_(?:live|test)_[0-9A-Za-z]{16,}`), 8},
	{"a Slack token", []string{"xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-"}, regexp.MustCompile(`\bxox[abprs]-[0-9A-Za-z-]{16,}`), 5},
	{"a Google API key", []string{"AIza"}, regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`), 4},
	{"a SendGrid key", []string{"SG."}, regexp.MustCompile(`\bSG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}`), 3},
	{"an npm token", []string{"npm_"}, regexp.MustCompile(`\bnpm_[0-9A-Za-z]{36}`), 4},
	{"a JSON web token", []string{"eyJ"}, regexp.MustCompile(`\beyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}`), 3},
	{"a private key", []string{"PRIVATE KEY-----"}, regexp.MustCompile(`-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[^-]*`), 10},
	{"a bearer token", []string{"earer "}, regexp.MustCompile(`\b[Bb]earer +[0-9A-Za-z._~+/-]{20,}=*`), 6},
}

// placeholder are texts of the form of a secret that are known to be none.
var placeholder = regexp.MustCompile(`(?i)example|x{4}|\*{3}|0{6}|1234567|abcdef|redacted|your[_-]?|placeholder`)

// find is the first secret of the kind in a text, or "".
func (k secretKind) find(text string) string {
	for _, begin := range k.begins {
		if !strings.Contains(text, begin) {
			continue
		}
		for _, found := range k.form.FindAllString(text, -1) {
			if !placeholder.MatchString(found) {
				return found
			}
		}
	}
	return ""
}

// secrets looks at every text of a document: examples, defaults, descriptions.
func secrets(in *spec.Inspection, say say) {
	for _, file := range in.Documents.Files() {
		at := in.Documents.At(file)
		eachText(in.Documents.Node(file, ""), func(node *yaml.Node) {
			for _, kind := range secretKinds {
				if secret := kind.find(node.Value); secret != "" {
					say(at(node), "this looks like %s (%s...)", kind.name, secret[:kind.shown])
					return
				}
			}
		})
	}
}

func eachText(node *yaml.Node, visit func(*yaml.Node)) {
	if node.Kind == yaml.ScalarNode {
		visit(node)
	}
	for _, child := range node.Content {
		eachText(child, visit)
	}
}

// redacted is a text without the secrets in it.
func redacted(text string) string {
	for _, kind := range secretKinds {
		for secret := kind.find(text); secret != ""; secret = kind.find(text) {
			text = strings.ReplaceAll(text, secret, secret[:kind.shown]+"...")
		}
	}
	return source.Printable(text)
}
