package spec

import (
	"cmp"
	"maps"
	"mime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// mediaKind is how a media type is treated.
type mediaKind uint8

const (
	mediaJSON mediaKind = iota
	mediaText
	mediaBinary
	mediaWild   // a range such as */*
	mediaStream // events or lines that arrive one by one
	mediaForm
	mediaXML
)

// kindOfMedia classifies a media type by its name without parameters.
func kindOfMedia(name string) mediaKind {
	base, _, err := mime.ParseMediaType(name)
	if err != nil {
		base = strings.ToLower(strings.TrimSpace(strings.SplitN(name, ";", 2)[0]))
	}
	switch {
	case base == "application/json" || base == "text/json" || strings.HasSuffix(base, "+json"):
		return mediaJSON
	case base == "text/event-stream" || base == "application/x-ndjson" || base == "application/jsonl" || base == "application/json-seq":
		return mediaStream
	case base == "application/x-www-form-urlencoded" || strings.HasPrefix(base, "multipart/"):
		return mediaForm
	case base == "application/xml" || base == "text/xml" || strings.HasSuffix(base, "+xml") && base != "image/svg+xml":
		return mediaXML
	case strings.Contains(base, "*"):
		return mediaWild
	case strings.HasPrefix(base, "text/"):
		return mediaText
	}
	return mediaBinary
}

// media is one entry of content.
type media struct {
	name string
	kind mediaKind
	at   cursor
}

// ranked are the media types of content, the one that is preferred first: JSON if
// there is one, and application/json before its relatives; else the first by name
// of the best kind.
func ranked(content cursor) []media {
	var all []media
	for name, at := range content.members() {
		all = append(all, media{name: name, kind: kindOfMedia(name), at: at})
	}
	slices.SortFunc(all, compareMedia)
	return all
}

// preferred is the first of them; it does not exist where there is none.
func preferred(content cursor) media {
	if all := ranked(content); all != nil {
		return all[0]
	}
	return media{}
}

func compareMedia(a, b media) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(order(a.name), order(b.name)), cmp.Compare(a.name, b.name))
}

func order(name string) int {
	if strings.HasPrefix(name, "application/json") {
		return 0
	}
	return 1
}

// aliases are names of media types that mean another one, and look like it on the
// wire.
var aliases = map[string]string{
	"application/jsonl":  "application/x-ndjson",
	"application/x-yaml": "application/yaml",
	"image/jpg":          "image/jpeg",
	"text/json":          "application/json",
	"text/x-yaml":        "application/yaml",
	"text/xml":           "application/xml",
	"text/yaml":          "application/yaml",
}

// essence is a media type without what changes nothing: how it is written, its
// charset, its other names. Media types with one essence are one.
func (m media) essence() string {
	base, params, err := mime.ParseMediaType(m.name)
	if err != nil {
		base, rest, _ := strings.Cut(strings.ToLower(m.name), ";")
		base = strings.TrimSpace(base)
		return strings.TrimRight(cmp.Or(aliases[base], base)+"; "+strings.TrimSpace(rest), "; ")
	}
	delete(params, "charset")
	delete(params, "boundary")
	base = cmp.Or(aliases[base], base)
	for _, name := range slices.Sorted(maps.Keys(params)) {
		base += "; " + name + "=" + strings.ToLower(params[name])
	}
	return base
}

// mediaWords are the words of media types that are called otherwise than by their
// subtype.
var mediaWords = map[string]string{
	"*/*":                               "Any",
	"text/plain":                        "Text",
	"text/event-stream":                 "Stream",
	"application/x-www-form-urlencoded": "Form",
	"multipart/form-data":               "Multipart",
	"image/svg+xml":                     "SVG",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         "XLSX",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   "DOCX",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "PPTX",
}

// abbreviations are the words of media types that are written in capitals, beside
// those of all names.
var abbreviations = strings.Fields("CBOR GIF GZIP HAL JPEG JSONL LD MP3 MP4 MPEG NDJSON OGG PNG RTF SCIM SDP SVG TAR TIFF VTT WAV WEBP YAML ZIP")

// word is what a media type is called in a Go name: its subtype without what
// most of them have. exact leaves nothing out.
func (m media) word() (word, exact string) {
	essence := m.essence()
	base, params, _ := strings.Cut(essence, ";")
	exact = bare(essence)
	if word = mediaWords[base]; word == "" {
		kind, subtype, _ := strings.Cut(base, "/")
		for _, prefix := range []string{"vnd.", "prs.", "x-"} {
			subtype = strings.TrimPrefix(subtype, prefix)
		}
		subtype = strings.TrimSuffix(subtype, "+json")
		if subtype == "*" || kind == "multipart" {
			subtype = kind + "-" + strings.Trim(subtype, "*")
		}
		word = mediaWord(subtype)
	}
	if params != "" {
		word = follow(word, bare(params))
	}
	return word, exact
}

func mediaWord(subtype string) (name string) {
	for _, word := range split(subtype) {
		if upper := strings.ToUpper(word); slices.Contains(abbreviations, upper) {
			word = upper
		} else {
			word = bare(word)
		}
		name = follow(name, word)
	}
	return cmp.Or(name, bare(subtype))
}

// sameSchema reports whether two schemas are the same one, or written alike.
func sameSchema(a, b cursor) bool {
	a, b = a.resolved(), b.resolved()
	if !a.exists() || !b.exists() {
		return !a.exists() && !b.exists()
	}
	return a.node == b.node || a.file == b.file && sameNode(a.node, b.node)
}

func sameNode(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Value == b.Value && a.Tag == b.Tag && slices.EqualFunc(a.Content, b.Content, sameNode)
}
