package journal

import (
	"encoding/json"
	"os"
)

// cursorFile keeps the position up to which Kafka has the events.
type cursorFile string

// load is the first position where there is no cursor, or none that can be read:
// then some events arrive once more.
func (c cursorFile) load() (at position) {
	if data, err := os.ReadFile(string(c)); err != nil || json.Unmarshal(data, &at) != nil || at.Segment < 1 || at.Offset < 0 {
		return position{Segment: 1}
	}
	return at
}

// save replaces the cursor as a whole.
func (c cursorFile) save(at position) error {
	data, err := json.Marshal(at)
	if err != nil {
		return err
	}
	next := string(c) + ".next"
	if err := os.WriteFile(next, data, 0o600); err != nil {
		return err
	}
	return os.Rename(next, string(c))
}
