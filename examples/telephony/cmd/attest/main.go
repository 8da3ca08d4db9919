// Command attest signs for a channel that was tested: that what answers at its
// endpoint is who it should be, and that it delivers one id once. The gateway
// refuses a channel that nobody has signed for.
//
//	go run ./cmd/attest --new-key
//	ATTESTER_KEY=... go run ./cmd/attest --endpoint https://push.example.com/v1/codes
package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/retrygen/retrygen/examples/telephony/fallback"
)

func main() {
	if err := run(os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "attest:", err)
		os.Exit(1)
	}
}

func run(args []string, getenv func(string) string, out, usage io.Writer) error {
	flags := flag.NewFlagSet("attest", flag.ContinueOnError)
	flags.SetOutput(usage)
	newKey := flags.Bool("new-key", false, "make a key: the private half for ATTESTER_KEY, the public half for --attesters of the gateway")
	channel := flags.String("channel", "push", "`name` of the channel")
	endpoint := flags.String("endpoint", "", "https `URL` of the channel")
	valid := flags.Duration("valid", 90*24*time.Hour, "time until it must be tested anew")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *newKey {
		return writeKey(out)
	}
	seed, err := base64.StdEncoding.DecodeString(getenv("ATTESTER_KEY"))
	if err != nil || len(seed) != ed25519.SeedSize {
		return errors.New("ATTESTER_KEY is not a key: make one with --new-key")
	}
	statement := fallback.Statement{Channel: *channel, Endpoint: *endpoint, Expires: time.Now().Add(*valid).UTC().Truncate(time.Second)}
	attestation, err := fallback.Attest(statement, ed25519.NewKeyFromSeed(seed))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, attestation)
	return err
}

func writeKey(out io.Writer) error {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "private %s\npublic  %s\n",
		base64.StdEncoding.EncodeToString(private.Seed()), base64.StdEncoding.EncodeToString(public))
	return err
}
