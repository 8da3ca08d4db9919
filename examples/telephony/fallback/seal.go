package fallback

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"
)

const keySize = 32

// Sealer encrypts what is secret in the file. Its first key seals; the others
// still open what they sealed once, so that keys can be replaced.
type Sealer struct{ keys []sealingKey }

type sealingKey struct {
	id     keyID
	secret []byte
}

// keyID is derived from the key, so that no two keys share one by mistake.
type keyID [4]byte

func (id keyID) String() string { return hex.EncodeToString(id[:]) }

// ParseSealer reads keys, separated by commas, each 32 bytes in base64. The
// newest stands first.
func ParseSealer(text string) (*Sealer, error) {
	secrets, err := parseKeys(text, "openssl rand -base64 32")
	if err != nil {
		return nil, err
	}
	s := &Sealer{}
	for _, secret := range secrets {
		sum := sha256.Sum256(append([]byte("retrygen fallback key id\n"), secret...))
		s.keys = append(s.keys, sealingKey{keyID(sum[:4]), secret})
	}
	return s, nil
}

// parseKeys reads keys of 32 bytes. No error shows any of them.
func parseKeys(text, remedy string) ([][]byte, error) {
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("fallback: no key, expected %d bytes in base64: %s", keySize, remedy)
	}
	var keys [][]byte
	for i, word := range strings.Split(text, ",") {
		key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(word))
		switch {
		case err != nil:
			return nil, fmt.Errorf("fallback: key %d is not base64, expected %d bytes in base64: %s", i+1, keySize, remedy)
		case len(key) != keySize:
			return nil, fmt.Errorf("fallback: key %d has %d bytes, expected %d in base64: %s", i+1, len(key), keySize, remedy)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// Format shows which keys there are, and none of them.
func (s *Sealer) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, "fallback.Sealer("+s.ids()+")")
}

func (s *Sealer) ids() string {
	ids := make([]string, len(s.keys))
	for i, key := range s.keys {
		ids[i] = key.id.String()
	}
	return strings.Join(ids, ", ")
}

// part is which secret of a record a blob holds.
type part string

const (
	keyPart     part = "key"
	messagePart part = "message"
)

// seal encrypts: the key's id, then nonce and ciphertext.
func (s *Sealer) seal(id uuid.UUID, p part, plain []byte) []byte {
	key := s.keys[0]
	return key.aead(id).Seal(key.id[:], nil, plain, associated(id, p))
}

// open decrypts what was sealed for the same part of the same record.
func (s *Sealer) open(id uuid.UUID, p part, blob []byte) ([]byte, error) {
	if len(blob) < len(keyID{}) {
		return nil, fmt.Errorf("fallback: record %v: its sealed %s is cut off", id, p)
	}
	by := keyID(blob[:len(keyID{})])
	key, err := s.key(by)
	if err != nil {
		return nil, fmt.Errorf("fallback: record %v: its %s is %w", id, p, err)
	}
	plain, err := key.aead(id).Open(nil, nil, blob[len(by):], associated(id, p))
	if err != nil {
		return nil, fmt.Errorf("fallback: record %v: its sealed %s was altered, or is of another record", id, p)
	}
	return plain, nil
}

var errUnknownKey = errors.New("sealed by a key that is not configured")

func (s *Sealer) key(id keyID) (sealingKey, error) {
	for _, key := range s.keys {
		if key.id == id {
			return key, nil
		}
	}
	return sealingKey{}, fmt.Errorf("%w: found key %v, have %s; append it to the configured ones", errUnknownKey, id, s.ids())
}

// aead is the cipher of one record. Nonces are random, and a key may see 2^32 of
// them: hence a key per record, else a busy gateway would be there in weeks.
func (k sealingKey) aead(id uuid.UUID) cipher.AEAD {
	derived, err := hkdf.Key(sha256.New, k.secret, id[:], "retrygen fallback record", keySize)
	if err != nil {
		panic(err) // only for lengths that hkdf cannot give
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		panic(err) // only for lengths that aes does not know
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // only for ciphers other than aes
	}
	return aead
}

// associated binds a blob to its place.
func associated(id uuid.UUID, p part) []byte { return append(id[:], p...) }
