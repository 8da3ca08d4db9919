package spec

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// initialisms are the words that Go spells in capitals.
var initialisms = knownInitialisms()

func knownInitialisms() map[string]string {
	known := map[string]string{}
	for word := range strings.FieldsSeq(`ACL API ASCII AWS CPU CSS CSV DB DNS EOF GUID HTML HTTP HTTPS ID IP ISO JSON JWT
		MMS OTP PDF PIN QPS RAM RPC SDK SIP SLA SMS SMTP SQL SSH SSL SSO TCP TLS TTL UDP UI UID URI URL UTC UTF8 UUID VM
		XML XMPP XSRF XSS`) {
		known[strings.ToLower(word)] = word
	}
	for word := range strings.FieldsSeq(`API ID IP PDF PIN URI URL UUID VM`) {
		known[strings.ToLower(word)+"s"] = word + "s"
	}
	return known
}

// exported is a wire name as an exported Go name: its words with capitals,
// without what separates them. A name that would lose all that makes it
// recognisable ("+", "-1") is spelled instead.
func exported(wire string) string { return begin(bare(wire)) }

// spelled is an exported name in which nothing of the wire name is lost:
// foo-bar is FooDashBar. It is the second choice of a name that lost its first.
func spelled(wire string) string { return begin(spell(wire)) }

// begin makes an exported identifier of what may begin with a digit, or with a
// letter of a script without capitals.
func begin(name string) string {
	switch first, _ := utf8.DecodeRuneInString(name); {
	case unicode.IsDigit(first):
		return "N" + name
	case !unicode.IsUpper(first):
		return "X" + name
	}
	return name
}

// bare is exported for the end of a name: it may begin with a digit.
func bare(wire string) string {
	words := split(wire)
	if len(words) == 0 || signed(wire) {
		return spell(wire)
	}
	return join(words)
}

// spell is spelled for the end of a name.
func spell(wire string) string {
	if wire == "" {
		return "Empty"
	}
	var b strings.Builder
	for i, char := range wire {
		switch {
		case char == '-' && i == 0 && (len(wire) == 1 || signed(wire)):
			b.WriteString("Minus ")
		case isWordRune(char):
			b.WriteRune(char)
		case symbols[char] != "":
			b.WriteString(" " + symbols[char] + " ")
		default:
			fmt.Fprintf(&b, " U%04X ", char)
		}
	}
	return join(split(b.String()))
}

var symbols = map[rune]string{
	' ': "Space", '+': "Plus", '-': "Dash", '_': "Underscore", '.': "Dot", ',': "Comma", ':': "Colon", ';': "Semicolon", '/': "Slash",
	'\\': "Backslash", '*': "Star", '=': "Equal", '<': "Less", '>': "Greater", '!': "Not", '?': "Question", '%': "Percent",
	'&': "And", '|': "Or", '^': "Caret", '~': "Tilde", '@': "At", '#': "Hash", '$': "Dollar", '(': "Open", ')': "Close",
	'[': "OpenBracket", ']': "CloseBracket", '{': "OpenBrace", '}': "CloseBrace", '\'': "Quote", '"': "DoubleQuote", '`': "Backquote",
}

// signed reports whether a name is a number with its sign, or the like: -1.
func signed(wire string) bool {
	first, size := utf8.DecodeRuneInString(wire)
	second, _ := utf8.DecodeRuneInString(wire[size:])
	return strings.ContainsRune("+-<>=!", first) && unicode.IsDigit(second)
}

func isWordRune(char rune) bool { return unicode.IsLetter(char) || unicode.IsDigit(char) }

// split separates the words of a name: petId, pet_id and pet-id have two.
func split(name string) []string {
	var words []string
	for field := range strings.FieldsFuncSeq(name, func(r rune) bool { return !isWordRune(r) }) {
		runes := []rune(field)
		start := 0
		for i := 1; i < len(runes); i++ {
			lowerToUpper := !unicode.IsUpper(runes[i-1]) && unicode.IsUpper(runes[i])
			lastOfRun := unicode.IsUpper(runes[i-1]) && unicode.IsUpper(runes[i]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if lowerToUpper || lastOfRun && !plural(runes[start:]) {
				words = append(words, string(runes[start:i]))
				start = i
			}
		}
		words = append(words, string(runes[start:]))
	}
	return words
}

// plural reports whether runes are an initialism with its plural's s, as in IDs.
func plural(runes []rune) bool {
	return initialisms[strings.ToLower(string(runes))] == string(runes)
}

// join writes words together, each with a capital.
func join(words []string) string {
	var b strings.Builder
	for _, word := range words {
		if known := initialisms[strings.ToLower(word)]; known != "" {
			b.WriteString(known)
			continue
		}
		first, size := utf8.DecodeRuneInString(word)
		if endsInDigit(b.String()) && unicode.IsDigit(first) {
			b.WriteByte('_') // 1.0 is not 10
		}
		b.WriteRune(unicode.ToUpper(first))
		b.WriteString(word[size:])
	}
	return b.String()
}

// follow appends to a name what may begin with a digit.
func follow(name, next string) string {
	if first, _ := utf8.DecodeRuneInString(next); endsInDigit(name) && unicode.IsDigit(first) {
		return name + "_" + next
	}
	return name + next
}

func endsInDigit(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsDigit(last)
}

// unexported is an exported name with a small first word: PetID is petID, URL is
// url, APIKey is apiKey, IDs is ids.
func unexported(name string) string {
	runes := []rune(name)
	small := slices.Clone(runes)
	for i := range runes {
		if !unicode.IsUpper(runes[i]) {
			break
		}
		last := i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !plural(runes[:min(i+2, len(runes))])
		if last {
			break
		}
		small[i] = unicode.ToLower(runes[i])
	}
	return string(small)
}
