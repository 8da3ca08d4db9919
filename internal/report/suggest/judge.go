package suggest

import (
	"slices"
	"strings"

	"github.com/retrygen/retrygen/internal/spec/source"
)

// word is a word of the document, and where it stands.
type word struct {
	text string
	at   source.Pos
}

func (w word) String() string { return quote(w.text, w.at) }

// evidence is what a document says of one operation.
type evidence struct {
	method     string
	byID       bool   // the path ends with a parameter
	verb       string // an acting word of its id
	keys       []word // headers that are called after the key that they bear
	keyRules   []word // of the schema of its one key
	requests   []word // headers that may bear one, and may not
	fields     []word // of the body, that have to do with a key
	hints      []hint
	sharedKeys []word // what an operation that takes a key takes, as the root says
	delays     []word // statuses with a Retry-After
}

// judge is the proposal that the evidence bears. In doubt nothing is repeated.
func (e evidence) judge() (class Class, key, because string) {
	if h, ok := e.hint(unsafe); ok {
		return Doubtful, "", h.String() + " asks for no retries"
	}
	if header, reason, ok := e.keyHeader(); ok && !e.safeMethod() {
		return Evident, header, reason
	}
	class, because = e.harmless()
	switch {
	case class == Doubtful:
		return Doubtful, "", e.doubt()
	case e.verb != "":
		return Doubtful, "", "its id says " + e.verb + ", which seems to happen once more each time"
	}
	return class, "", because
}

// harmless is who says that repeating an operation does no harm; Doubtful: nobody.
func (e evidence) harmless() (class Class, because string) {
	switch h, hinted := e.hint(safe); {
	case hinted:
		return Evident, h.String() + " says that repeating it does no harm"
	case e.safeMethod():
		return ByMethod, "a " + e.method + " changes nothing, where the provider keeps to RFC 9110"
	case e.method == "PUT" && e.byID:
		return ByMethod, "a PUT by id replaces the whole, where the provider keeps to RFC 9110"
	case e.method == "DELETE" && e.byID:
		return ByMethod, "a DELETE by id finds nothing to delete twice, where the provider keeps to RFC 9110"
	}
	return Doubtful, ""
}

// keyHeader is the header that bears the key of an operation, and who says so.
func (e evidence) keyHeader() (header, reason string, ok bool) {
	if len(e.keys) == 1 {
		return e.keys[0].text, "the header " + e.keys[0].String() + " is documented", true
	}
	h, ok := e.hint(takesKey)
	if ok && len(e.keys) == 0 && len(e.sharedKeys) == 1 && bearsKey(e.sharedKeys[0].text) {
		return e.sharedKeys[0].text, h.String() + " says that it takes the header " + e.sharedKeys[0].String(), true
	}
	return "", "", false
}

// doubt is why an operation that is sent to act is left alone.
func (e evidence) doubt() string {
	switch h, hinted := e.hint(takesKey); {
	case len(e.keys) > 1:
		return "several headers may bear its key: " + list(e.keys)
	case hinted:
		return h.String() + " says that it takes a key, and not clearly in which header"
	case len(e.fields) > 0:
		return list(e.fields) + " of the body may be its key: if the provider acts once per value, true is right"
	case len(e.requests) > 0:
		return list(e.requests) + " may bear its key, or be for tracing: if the provider acts once per value, name it as the key's header"
	case e.method == "PUT" || e.method == "DELETE":
		return "a " + e.method + " whose path does not end with an id may do more than it says"
	}
	return "nothing says that a " + e.method + " may be sent twice"
}

// also is what does not decide and helps whoever does.
func (e evidence) also() (also []string) {
	if e.safeMethod() && len(e.keys) > 0 {
		also = append(also, list(e.keys)+" is documented, too")
	}
	if len(e.keyRules) > 0 && !e.safeMethod() {
		also = append(also, "a drawn key is 26 letters and digits: where that breaks its "+list(e.keyRules)+", write a template")
	}
	for _, h := range e.hints {
		switch h.says {
		case retried:
			also = append(also, h.String()+" "+saysRetried)
		case unclear:
			also = append(also, h.String()+" has to do with it")
		}
	}
	if len(e.delays) > 0 {
		also = append(also, "Retry-After is documented on "+list(e.delays)+", and heeded without an annotation")
	}
	return also
}

func (e evidence) hint(says claim) (hint, bool) {
	i := slices.IndexFunc(e.hints, func(h hint) bool { return h.says == says })
	if i < 0 {
		return hint{}, false
	}
	return e.hints[i], true
}

// safeMethod reports whether the method asks for nothing to change (RFC 9110, 9.2.1).
func (e evidence) safeMethod() bool {
	return slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE"}, e.method)
}

func list(words []word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.String()
	}
	return strings.Join(texts, ", ")
}
