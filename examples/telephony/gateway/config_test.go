package gateway_test

import (
	"flag"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/gateway"
)

func parse(environment map[string]string, args ...string) (gateway.Config, error) {
	return gateway.ParseConfig(args, func(name string) string { return environment[name] }, io.Discard)
}

// TestConfiguration: a flag wins over the environment, and that over the default.
func TestConfiguration(t *testing.T) {
	environment := map[string]string{"GATEWAY_PROVIDER_TOKEN": "t", "GATEWAY_QUEUE_KEY": "k", "GATEWAY_RATE": "300", "GATEWAY_QUEUE": "q.db", "GATEWAY_PER_LOGIN": "2"}
	c, err := parse(environment, "--rate", "400", "--drain-timeout=3s")
	require.NoError(t, err)
	require.Equal(t, 400.0, c.Rate)
	require.Equal(t, "q.db", c.Queue)
	require.Equal(t, 2, c.PerLogin)
	require.Equal(t, 3*time.Second, c.DrainTimeout)
	require.Equal(t, "t", c.ProviderToken)
	require.Equal(t, "127.0.0.1:8080", c.Listen)
}

// TestConfigurationIsRefused: every fault at once, each with what to do.
func TestConfigurationIsRefused(t *testing.T) {
	_, err := parse(nil, "--rate=0", "--per-login=0", "--latency=-1s")
	require.EqualError(t, err, strings.Join([]string{
		"GATEWAY_PROVIDER_TOKEN is missing: the provider's token (anything will do for the simulator)",
		"GATEWAY_QUEUE_KEY is missing: make one with openssl rand -base64 32, and keep it as long as the file of the queue",
		"--rate 0: want codes per second, such as 1200",
		"--per-login 0: want at least 1",
		"--latency -1s: want a time, such as 30s",
	}, "\n"))
	token := map[string]string{"GATEWAY_PROVIDER_TOKEN": "t", "GATEWAY_LATENCY": "fast"}
	_, err = parse(token)
	require.ErrorContains(t, err, `GATEWAY_LATENCY="fast"`)
	_, err = parse(map[string]string{"GATEWAY_PROVIDER_TOKEN": "t"}, "now")
	require.EqualError(t, err, `unexpected argument "now": everything is said by flags`)
	_, err = parse(map[string]string{"GATEWAY_PROVIDER_TOKEN": "s3cret\n", "GATEWAY_PUSH_TOKEN": "pä", "GATEWAY_QUEUE_KEY": "k"}, "--drain-notice=-1s")
	require.EqualError(t, err, "GATEWAY_PROVIDER_TOKEN has a space, a line end or another character that no token has\n"+
		"GATEWAY_PUSH_TOKEN has a space, a line end or another character that no token has\n"+
		"--drain-notice -1s: want a time, or 0s")
	_, err = parse(nil, "--help")
	require.ErrorIs(t, err, flag.ErrHelp)
}

// TestWarningsAtStart: rate times latency must fit the connections.
func TestWarningsAtStart(t *testing.T) {
	token := map[string]string{"GATEWAY_PROVIDER_TOKEN": "t", "GATEWAY_QUEUE_KEY": "k"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, ""},
		{[]string{"--latency=100ms"}, "1200 codes per second that take 100ms each keep 120 connections busy, and pool-sms-auth has 50: sends will wait for one. HTTP/2 needs fewer, or the contract must grant more"},
		{[]string{"--latency=100ms", "--http2"}, ""},
		{[]string{"--rate=2000", "--latency=25ms"}, ""},
		{[]string{"--rate=2001", "--latency=25ms"}, "2001 codes per second that take 25ms each keep 50 connections busy, and pool-sms-auth has 50: sends will wait for one. HTTP/2 needs fewer, or the contract must grant more"},
	} {
		config, err := parse(token, c.args...)
		require.NoError(t, err)
		require.Equal(t, c.want, strings.Join(config.Warnings(), "\n"), c.args)
	}
}
