package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// escapeLength is the length of a JSON escape such as \ud83d.
const escapeLength = 6

// escapeControls writes as escapes what JSON permits in strings, and YAML does not:
// the control characters behind ASCII.
func escapeControls(data []byte) []byte {
	control := func(r rune) bool { return r >= 0x7f && r <= 0x9f && r != 0x85 }
	if !bytes.ContainsFunc(data, control) || !json.Valid(data) {
		return data
	}
	escaped := make([]byte, 0, len(data))
	for _, r := range string(data) {
		if control(r) {
			escaped = fmt.Appendf(escaped, `\u%04x`, r)
		} else {
			escaped = utf8.AppendRune(escaped, r)
		}
	}
	return escaped
}

// joinSurrogates makes a JSON document readable for a YAML parser, which knows
// no surrogate pairs: \ud83d\udc4d becomes \U0001F44D. That is two characters
// shorter, so two spaces follow the string, and whatever stands behind it on the
// line keeps its column. A lone surrogate becomes \uFFFD, as encoding/json reads
// it. A document that is not JSON is returned as it is. A byte order mark, which
// JSON does not permit, is dropped.
func joinSurrogates(data []byte) []byte {
	data = escapeControls(bytes.TrimPrefix(data, []byte("\ufeff")))
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) || !bytes.Contains(data, []byte(`\u`)) || !json.Valid(data) {
		return data
	}
	joined := make([]byte, 0, len(data))
	inString, owed := false, 0
	for i := 0; i < len(data); {
		switch c := data[i]; c {
		case '"':
			joined = append(joined, c)
			i++
			if inString = !inString; !inString {
				joined = append(joined, bytes.Repeat([]byte(" "), owed)...)
				owed = 0
			}
		case '\\':
			escape, read := joinEscape(data[i:])
			joined = append(joined, escape...)
			if read > escapeLength {
				owed += read - len(escape)
			}
			i += read
		default:
			joined = append(joined, c)
			i++
		}
	}
	return joined
}

// joinEscape is the escape that data starts with, as YAML can read it, and how
// many bytes of data it stands for.
func joinEscape(data []byte) (string, int) {
	high, ok := surrogate(data)
	if !ok {
		return string(data[:2]), 2
	}
	if low, ok := surrogate(data[escapeLength:]); ok {
		if char := utf16.DecodeRune(high, low); char != '\uFFFD' {
			return fmt.Sprintf(`\U%08X`, char), 2 * escapeLength
		}
	}
	return `\uFFFD`, escapeLength
}

// surrogate is half of a pair at the start of data.
func surrogate(data []byte) (rune, bool) {
	if len(data) < escapeLength || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	code, err := strconv.ParseUint(string(data[2:escapeLength]), 16, 16)
	if err != nil || !utf16.IsSurrogate(rune(code)) {
		return 0, false
	}
	return rune(code), true
}
