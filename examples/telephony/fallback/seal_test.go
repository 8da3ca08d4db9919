package fallback

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

const newKey = "//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA="

// TestSealedBelongsToItsPlace: what was altered, cut off, or is another record's or
// another part's does not open.
func TestSealedBelongsToItsPlace(t *testing.T) {
	s := sealer(t)
	id := uuid.Max
	blob := s.seal(id, keyPart, []byte(wholeID))
	plain, err := s.open(id, keyPart, blob)
	require.NoError(t, err)
	require.Equal(t, wholeID, string(plain))
	require.NotEqual(t, blob, s.seal(id, keyPart, []byte(wholeID)))

	_, err = s.open(uuid.Nil, keyPart, blob)
	require.ErrorContains(t, err, "its sealed key was altered, or is of another record")
	_, err = s.open(id, messagePart, blob)
	require.ErrorContains(t, err, "its sealed message was altered")
	_, err = s.open(id, keyPart, blob[:3])
	require.ErrorContains(t, err, "its sealed key is cut off")
	_, err = s.open(id, keyPart, blob[:9])
	require.ErrorContains(t, err, "was altered")
	blob[len(blob)-1] ^= 1
	_, err = s.open(id, keyPart, blob)
	require.ErrorContains(t, err, "was altered")
}

// TestKeysAreReplaced: the newest seals, older ones still open; without them the
// file says which key is missing, and is not touched.
func TestKeysAreReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue")
	reopen := func(keys string) (*Queue, error) {
		s, err := ParseSealer(keys)
		require.NoError(t, err)
		return Open(path, Options{Sealer: s, NoSync: true})
	}
	q, err := reopen(testKey)
	require.NoError(t, err)
	old := keep(t, q, retryable())
	require.NoError(t, q.Close())

	_, err = reopen(newKey)
	require.ErrorContains(t, err, "it was sealed by a key that is not configured: found key ")
	require.ErrorContains(t, err, "append it to the configured ones")

	q, err = reopen(newKey + "," + testKey)
	require.NoError(t, err)
	renewed := keep(t, q, retryable())
	for _, id := range []uuid.UUID{old, renewed} {
		key, err := q.Key(id)
		require.NoError(t, err)
		require.Equal(t, wholeID, string(key))
	}
	require.NoError(t, q.Close())

	q, err = reopen(newKey)
	require.NoError(t, err, "one retention later the old one may go")
	defer q.Close()
	_, err = q.Key(old)
	require.ErrorContains(t, err, "sealed by a key that is not configured")
	_, err = q.Key(renewed)
	require.NoError(t, err)
}

// TestParseSealer: the error tells what is wrong with which key, and shows none.
func TestParseSealer(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "no key, expected 32 bytes in base64: openssl rand -base64 32",
		" ":                      "no key",
		testKey + ",":            "key 2 has 0 bytes, expected 32",
		"AAEC":                   "key 1 has 3 bytes, expected 32",
		testKey + ",not-base64!": "key 2 is not base64, expected 32 bytes in base64",
	} {
		_, err := ParseSealer(text)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), testKey)
		require.NotContains(t, err.Error(), "not-base64!")
	}
	s := sealer(t)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		require.Regexp(t, `^fallback\.Sealer\([0-9a-f]{8}\)$`, fmt.Sprintf(verb, s))
	}
}

// TestNothingShowsASecret: whatever verb prints it, whatever encodes it.
func TestNothingShowsASecret(t *testing.T) {
	q := newQueue(t)
	p := begin(t, q)
	f := retryable()
	require.NoError(t, p.Keep(f))
	shown := []any{Secret(code), q, p, Intent{Key: wholeID, Kind: "k"}, f, record(t, q, p.ID()),
		Delivery{Recipient: "user4711", Code: code, Expires: time.Now()}}
	for _, value := range shown {
		texts := []string{}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t"} {
			texts = append(texts, fmt.Sprintf(verb, value), fmt.Sprintf(verb, []any{value}))
		}
		encoded, err := json.Marshal(value)
		require.NoError(t, err)
		for _, text := range append(texts, string(encoded)) {
			for _, secret := range []string{code, wholeID, "user4711", fmt.Sprintf("%x", code), fmt.Sprintf("%x", wholeID)} {
				require.NotContains(t, strings.ToLower(text), strings.ToLower(secret))
			}
		}
	}
}
