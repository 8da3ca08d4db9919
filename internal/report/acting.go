package report

import (
	"slices"
	"strings"
	"unicode"
)

// acting are words that name what happens once more each time it is done.
var acting = []string{
	"add", "append", "buy", "capture", "charge", "clone", "copy", "create", "credit", "debit", "deposit", "dispatch", "duplicate", "email",
	"enqueue", "generate", "increment", "insert", "invite", "issue", "launch", "new", "notify", "order", "pay", "place", "post", "publish",
	"purchase", "push", "refund", "send", "submit", "topup", "transfer", "trigger", "withdraw",
}

// ActingVerb is the acting word of an operation's id: its first, or the last after
// a separator, as in payments.create. The words of a path are no evidence: they
// name things, as in /accounts/{id}/order.
func ActingVerb(id string) string {
	separated := strings.FieldsFunc(id, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(separated) == 0 {
		return ""
	}
	for _, name := range []string{separated[0], separated[len(separated)-1]} {
		if first := firstWord(name); slices.Contains(acting, first) {
			return first
		}
	}
	return ""
}

// firstWord is send of sendMessage and of SendMessage.
func firstWord(name string) string {
	runes := []rune(name)
	end := 1
	for end < len(runes) && !unicode.IsUpper(runes[end]) {
		end++
	}
	return strings.ToLower(string(runes[:end]))
}
