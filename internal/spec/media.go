package spec

import (
	"mime"
	"strings"
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

// preferred is the media type that is used of several: JSON if there is one, and
// application/json before its relatives; else the first by name of the best
// kind.
func preferred(content cursor) (best media, others int) {
	found := false
	for name, at := range content.members() {
		m := media{name: name, kind: kindOfMedia(name), at: at}
		switch {
		case !found, m.kind < best.kind, m.kind == best.kind && better(m.name, best.name):
			best, found = m, true
		}
		others++
	}
	return best, max(others-1, 0)
}

func better(name, than string) bool {
	if exact := strings.HasPrefix(name, "application/json"); exact != strings.HasPrefix(than, "application/json") {
		return exact
	}
	return name < than
}
