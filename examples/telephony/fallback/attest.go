package fallback

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Statement is what an attester signs of a channel: that it was tested, that what
// answers at this endpoint is who it should be, and that it delivers one ID once:
// also when another endpoint was given it before under the channel's name.
type Statement struct {
	Channel  string    `json:"channel"`
	Endpoint string    `json:"endpoint"`
	Expires  time.Time `json:"expires"`
}

// attestation goes before what is signed, so that no signature for another
// purpose is taken for one.
const attestation = "retrygen fallback attestation 1\n"

// Attest signs a statement. The result is a text, fit for a configuration file.
func Attest(s Statement, key ed25519.PrivateKey) (string, error) {
	if len(key) != ed25519.PrivateKeySize {
		return "", fmt.Errorf("fallback: the attester's private key has %d bytes, expected %d", len(key), ed25519.PrivateKeySize)
	}
	if reason := s.unfit(); reason != "" {
		return "", &BlockedError{s.Channel, reason}
	}
	signed, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	signature := ed25519.Sign(key, append([]byte(attestation), signed...))
	return base64.RawURLEncoding.EncodeToString(signed) + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// ParseAttesters reads public keys, separated by commas, each 32 bytes in base64.
func ParseAttesters(text string) ([]ed25519.PublicKey, error) {
	keys, err := parseKeys(text, "take the public half of an ed25519 key")
	if err != nil {
		return nil, err
	}
	attesters := make([]ed25519.PublicKey, len(keys))
	for i, key := range keys {
		attesters[i] = key
	}
	return attesters, nil
}

// BlockedError: the channel is not verified, and nothing was given to it.
type BlockedError struct {
	Channel string
	Reason  string
}

// CodeBlocked is the code of every [BlockedError].
const CodeBlocked = "ERR_UNTESTED_COMPENSATION_BLOCKED"

func (e *BlockedError) Code() string { return CodeBlocked }

func (e *BlockedError) Error() string {
	return fmt.Sprintf("%s: channel %s: %s; nothing was sent", CodeBlocked, e.Channel, e.Reason)
}

// verify says why a channel is not verified; nothing where it is.
func verify(name, endpoint, text string, attesters []ed25519.PublicKey, now time.Time) (reason string) {
	if text == "" {
		return "it has no attestation: test it, and have an attester sign"
	}
	s, err := parseAttestation(text, attesters)
	switch {
	case err != nil:
		return err.Error()
	case s.Channel != name:
		return fmt.Sprintf("its attestation is for channel %q", s.Channel)
	case s.Endpoint != endpoint:
		return "its endpoint is not the attested one: test it, and have an attester sign anew"
	case !now.Before(s.Expires):
		return fmt.Sprintf("its attestation expired at %s: test it, and have an attester sign anew", s.Expires.UTC().Format(time.RFC3339))
	}
	return s.unfit()
}

// parseAttestation returns what one of the attesters has signed.
func parseAttestation(text string, attesters []ed25519.PublicKey) (Statement, error) {
	var s Statement
	first, second, _ := strings.Cut(text, ".")
	signed, err1 := base64.RawURLEncoding.DecodeString(first)
	signature, err2 := base64.RawURLEncoding.DecodeString(second)
	if err1 != nil || err2 != nil {
		return s, errors.New("its attestation is not one: expected what Attest returns")
	}
	for _, attester := range attesters {
		if len(attester) == ed25519.PublicKeySize && ed25519.Verify(attester, append([]byte(attestation), signed...), signature) {
			return s, json.Unmarshal(signed, &s)
		}
	}
	return s, errors.New("no configured attester has signed its attestation")
}

// unfit says why nobody can sign the statement, whatever was tested.
func (s *Statement) unfit() string {
	switch {
	case !token(s.Channel):
		return "its name is no word of at most 64 letters, digits, '-', '_', '.' or ':'"
	case !private(s.Endpoint):
		return "its endpoint is not encrypted: expected an https URL without user and fragment"
	}
	return ""
}

// private reports whether what is sent to the endpoint is encrypted on its way.
func private(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && u.Scheme == "https" && u.Hostname() != "" && u.User == nil && u.Fragment == ""
}
