package source

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	known := []string{"max", "max-attempts", "multiplier"}
	for word, want := range map[string]string{
		"max-atempts": "max-attempts", "maxattempts": "max-attempts", "multplyer": "multiplier",
		"mx": "max", "min": "", "attempts": "", "": "", "max-attemptsss": "max-attempts", "max-attemptssss": "",
	} {
		got, ok := Nearest(word, known)
		require.Equal(t, want, got, word)
		require.Equal(t, want != "", ok, word)
	}
}
