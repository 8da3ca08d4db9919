package fallback

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestUnverifiedChannelIsRefused when it is registered: with the code
// ERR_UNTESTED_COMPENSATION_BLOCKED, and draining into it is refused, too.
// Nothing leaves.
func TestUnverifiedChannelIsRefused(t *testing.T) {
	c := newInbox("push")
	soon := time.Now().Add(time.Hour)
	valid := attest(t, c, soon)
	_, stranger, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	forged, err := Attest(Statement{"push", c.endpoint, soon}, stranger)
	require.NoError(t, err)
	elsewhere := newInbox("push")
	elsewhere.endpoint = "https://push.example/other"
	plain := newInbox("push")
	plain.endpoint = "http://push.example/push"

	for name, test := range map[string]struct {
		channel     Channel
		attestation string
		want        string
	}{
		"no attestation":        {c, "", "it has no attestation: test it, and have an attester sign"},
		"no text of Attest":     {c, "yes, it is fine", "its attestation is not one: expected what Attest returns"},
		"altered":               {c, "e30" + valid[3:], "no configured attester has signed its attestation"},
		"unsigned":              {c, "e30.", "no configured attester has signed its attestation"},
		"signed by a stranger":  {c, forged, "no configured attester has signed its attestation"},
		"of another channel":    {newInbox("mail"), valid, `its attestation is for channel "push"`},
		"of another endpoint":   {elsewhere, valid, "its endpoint is not the attested one"},
		"expired":               {c, attest(t, c, time.Now()), "its attestation expired at 20"},
		"endpoint in the clear": {plain, signed(t, `{"channel":"push","endpoint":"http://push.example/push","expires":"2100-01-01T00:00:00Z"}`), "its endpoint is not encrypted"},
	} {
		t.Run(name, func(t *testing.T) {
			q := newQueue(t)
			keep(t, q, retryable())
			blocked(t, q.Register(test.channel, test.attestation), test.want)
			_, err := q.Drain(t.Context(), test.channel.Name())
			blocked(t, err, "it is not registered")
			require.Zero(t, test.channel.(*inbox).given)
		})
	}
}

func blocked(t *testing.T, err error, want string) {
	var e *BlockedError
	require.ErrorAs(t, err, &e)
	require.Equal(t, "ERR_UNTESTED_COMPENSATION_BLOCKED", e.Code())
	require.ErrorContains(t, err, "ERR_UNTESTED_COMPENSATION_BLOCKED: channel ")
	require.ErrorContains(t, err, want)
	require.ErrorContains(t, err, "nothing was sent")
}

// signed is the attestation of a statement that Attest would not sign.
func signed(t *testing.T, statement string) string {
	signature := ed25519.Sign(attesterKey, []byte(attestation+statement))
	return base64.RawURLEncoding.EncodeToString([]byte(statement)) + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// TestAttestationIsAskedAgainBeforeEachUse: one that ends after the channel was
// registered lets nothing leave. The server counts.
func TestAttestationIsAskedAgainBeforeEachUse(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer server.Close()
	q := newQueue(t)
	id := keep(t, q, retryable())
	c, err := NewPush("push", server.URL, PushOptions{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs})
	require.NoError(t, err)

	blocked(t, q.Register(c, ""), "it has no attestation")
	require.NoError(t, q.Register(c, attest(t, c, time.Now().Add(time.Hour))))
	q.channels["push"].attestation = attest(t, c, time.Now()) // the hour is over
	drained, err := q.Drain(t.Context(), "push")
	blocked(t, err, "its attestation expired")
	require.Zero(t, drained)
	require.Zero(t, requests.Load())
	require.Zero(t, record(t, q, id).Tries)

	// The same within a pass: what was claimed under a good one stays.
	p := &pass{queue: q, to: q.channels["push"]}
	p.deliver(context.Background(), id)
	blocked(t, p.err, "its attestation expired")
	require.Equal(t, Drained{Failed: 1}, p.drained)
	require.Zero(t, requests.Load())
	require.Equal(t, Queued, record(t, q, id).State)

	require.NoError(t, q.Register(c, attest(t, c, time.Now().Add(time.Hour))), "a later attestation replaces it")
	drained, err = q.Drain(t.Context(), "push")
	require.NoError(t, err)
	require.Equal(t, Drained{Delivered: 1}, drained)
	require.EqualValues(t, 1, requests.Load())
}

// TestAttestRefuses: what nobody may sign.
func TestAttestRefuses(t *testing.T) {
	for name, s := range map[string]Statement{
		"it has a user":         {Channel: "push", Endpoint: "https://user@push.example"},
		"it has a fragment":     {Channel: "push", Endpoint: "https://push.example/#x"},
		"it has no host":        {Channel: "push", Endpoint: "https:///push"},
		"it is no URL":          {Channel: "push", Endpoint: "::"},
		"it has no name":        {Endpoint: "https://push.example"},
		"its name is two words": {Channel: "a b", Endpoint: "https://push.example"},
	} {
		_, err := Attest(s, attesterKey)
		var e *BlockedError
		require.ErrorAs(t, err, &e, name)
		_, err = NewPush(s.Channel, s.Endpoint, PushOptions{})
		require.ErrorAs(t, err, &e, name)
	}
	_, err := Attest(Statement{Channel: "push", Endpoint: "https://push.example"}, attesterKey[:5])
	require.ErrorContains(t, err, "has 5 bytes, expected 64")
}

// TestParseAttesters reads what verifies.
func TestParseAttesters(t *testing.T) {
	public := base64.StdEncoding.EncodeToString(attesters[0])
	keys, err := ParseAttesters(testKey + ", " + public)
	require.NoError(t, err)
	c := newInbox("push")
	require.Empty(t, verify("push", c.endpoint, attest(t, c, time.Now().Add(time.Hour)), keys, time.Now()))
	_, err = ParseAttesters("")
	require.ErrorContains(t, err, "no key, expected 32 bytes in base64: take the public half of an ed25519 key")
}
