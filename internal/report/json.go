package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf16"
)

// JSON is v as JSON that cannot control a terminal either.
func JSON(v any) ([]byte, error) {
	var plain bytes.Buffer
	encoder := json.NewEncoder(&plain)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	var safe bytes.Buffer
	for _, r := range plain.String() {
		switch {
		case r == '\n', r >= ' ' && r < 0x7f, unicode.IsPrint(r) && !unicode.Is(unicode.Bidi_Control, r):
			safe.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&safe, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&safe, `\u%04x`, r)
		}
	}
	return safe.Bytes(), nil
}
