package main

import (
	"bytes"
	"io"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/fallback"
)

func ask(environment map[string]string, args ...string) (string, error) {
	var out bytes.Buffer
	err := run(args, func(name string) string { return environment[name] }, &out, io.Discard)
	return out.String(), err
}

// TestAttestationIsVerified: what the command prints lets the channel in, for as
// long as it says (ADV-UC-01).
func TestAttestationIsVerified(t *testing.T) {
	out, err := ask(nil, "--new-key")
	require.NoError(t, err)
	keys := regexp.MustCompile(`^private (\S+)\npublic  (\S+)\n$`).FindStringSubmatch(out)
	require.Len(t, keys, 3)
	attesters, err := fallback.ParseAttesters(keys[2])
	require.NoError(t, err)
	sealer, err := fallback.ParseSealer(keys[1]) // any 32 bytes
	require.NoError(t, err)
	queue, err := fallback.Open(t.TempDir()+"/q.db", fallback.Options{Sealer: sealer, Attesters: attesters})
	require.NoError(t, err)
	defer queue.Close()
	const endpoint = "https://push.example.com/v1/codes"
	channel, err := fallback.NewPush("push", endpoint, fallback.PushOptions{})
	require.NoError(t, err)

	environment := map[string]string{"ATTESTER_KEY": keys[1]}
	out, err = ask(environment, "--endpoint", endpoint, "--valid", time.Hour.String())
	require.NoError(t, err)
	require.NoError(t, queue.Register(channel, out[:len(out)-1]))
	out, err = ask(environment, "--endpoint", endpoint, "--valid=-1h")
	require.NoError(t, err)
	require.ErrorContains(t, queue.Register(channel, out[:len(out)-1]), fallback.CodeBlocked)
}

func TestWhatCannotBeSigned(t *testing.T) {
	_, err := ask(nil, "--endpoint", "https://push.example.com")
	require.EqualError(t, err, "ATTESTER_KEY is not a key: make one with --new-key")
	key := map[string]string{"ATTESTER_KEY": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}
	_, err = ask(key, "--endpoint", "http://push.example.com")
	require.ErrorContains(t, err, fallback.CodeBlocked)
}
