package report

// Sequences that colour a terminal.
const (
	Bold    = "\x1b[1m"
	Faint   = "\x1b[2m"
	Red     = "\x1b[31m"
	BoldRed = "\x1b[1;31m"
	Green   = "\x1b[32m"
	Yellow  = "\x1b[33m"
	Blue    = "\x1b[34m"

	plain = "\x1b[0m"
)

// Painter paints where it is true: for eyes that want colours.
type Painter bool

// Paint is a text of ours in a colour; with none, or for others, as it is.
func (p Painter) Paint(sequence, text string) string {
	if !p || sequence == "" {
		return text
	}
	return sequence + text + plain
}
