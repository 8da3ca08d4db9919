package fallback

import (
	"encoding"
	"fmt"
	"io"
)

// Secret is a text that shows nowhere: not printed by whatever verb, not logged,
// not encoded. Who needs it converts it to a string.
type Secret string

const concealed = "[secret]"

var (
	_ fmt.Formatter          = Secret("")
	_ encoding.TextMarshaler = Secret("")
)

// Format prints no verb's view of the text; fmt would show that of a wrong verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, concealed) }

func (Secret) MarshalText() ([]byte, error) { return []byte(concealed), nil }
