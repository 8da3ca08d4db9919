package gateway

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/retrygen/retrygen/examples/telephony/journal"
	"github.com/retrygen/retrygen/runtime"
)

// Config is what a gateway needs to know. [ParseConfig] fills it.
type Config struct {
	// Listen is the address of the gateway's own server.
	Listen string
	// Operators is the address of their API, see [Gateway.Operators]; empty: none.
	Operators string
	// OperatorHosts are the names under which it is called, separated by commas,
	// beside addresses and localhost.
	OperatorHosts string
	// ProviderURL is the provider's base URL, ProviderToken its bearer token.
	ProviderURL   string
	ProviderToken string
	// HTTP2 speaks HTTP/2 in the clear with a provider whose URL is http://; over
	// TLS the two agree by themselves.
	HTTP2 bool
	// Rate of codes per second and Latency of the provider are what operators
	// expect of a busy minute. See [Config.Warnings].
	Rate    float64
	Latency time.Duration
	// PerLogin and PerCaller are how many requests a user and an address may make
	// at once, and again in every 30 s.
	PerLogin  int
	PerCaller int
	// CodeTTL is how long a code is good: a queued one is dropped then.
	CodeTTL time.Duration
	// Queue is the file of the fallback queue, QueueKeys what it seals codes with: see
	// [fallback.ParseSealer].
	Queue     string
	QueueKeys string
	// Journal is the folder of lifecycle events.
	Journal string
	// Kafka is where they go from there; nil: nowhere.
	Kafka *journal.Kafka
	// Push is a verified channel for queued codes.
	Push Push
	// DrainNotice is how long a gateway that is to end says so in its health and goes
	// on serving, so that a load balancer can turn to others first.
	DrainNotice time.Duration
	// DrainTimeout bounds the end of the process after that.
	DrainTimeout time.Duration

	// Transport makes the connections of an upstream, one value for each; nil makes
	// those of [egress].
	Transport func() *http.Transport
	// Observer hears of every transition of a call of the login upstream; nil: nobody.
	Observer func(runtime.Event)
	// RecoveryLag is called with every alert of a recovery that takes too long; nil:
	// nobody is.
	RecoveryLag func()
	// QueueNoSync is for simulations: see [fallback.Options].
	QueueNoSync bool
}

// Push is an endpoint that delivers queued codes to registered authenticators.
type Push struct {
	Endpoint    string // empty: there is none, and queued codes wait until they expire
	Token       string
	Attestation string // what an attester has signed for it
	Attesters   string // public keys, see [fallback.ParseAttesters]
	Authorities string // a file of certificates, in PEM, of who may vouch for the endpoint; empty: the system's
}

// smsConnections is what the contract of pool-sms-auth gives.
const smsConnections = 50

// ParseConfig reads flags, and the environment for what no flag says: --queue is
// GATEWAY_QUEUE. Secrets are in the environment alone, since flags are for
// everyone to see. Usage goes to out; [flag.ErrHelp] is its error then.
func ParseConfig(args []string, getenv func(string) string, out io.Writer) (Config, error) {
	var c Config
	flags := flag.NewFlagSet("gateway", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&c.Listen, "listen", "127.0.0.1:8080", "`address` of the gateway's own server")
	flags.StringVar(&c.Operators, "operators", "127.0.0.1:8081", "`address` of the operators' API; empty for none")
	flags.StringVar(&c.OperatorHosts, "operator-hosts", "", "`names` under which operators call it, with commas, beside addresses and localhost")
	flags.StringVar(&c.ProviderURL, "provider", "http://127.0.0.1:8090", "base `URL` of the provider")
	flags.BoolVar(&c.HTTP2, "http2", false, "speak HTTP/2 without TLS with the provider")
	flags.Float64Var(&c.Rate, "rate", 1200, "codes per second that are expected at most")
	flags.DurationVar(&c.Latency, "latency", 30*time.Millisecond, "time that the provider is expected to take")
	flags.IntVar(&c.PerLogin, "per-login", 5, "codes that a user may ask for at once, and again in 30s")
	flags.IntVar(&c.PerCaller, "per-caller", 72000, "requests of an address at once, and again in 30s")
	flags.StringVar(&c.Queue, "queue", "fallback.db", "`file` of the fallback queue")
	flags.StringVar(&c.Journal, "journal", "events", "`folder` of lifecycle events")
	flags.DurationVar(&c.CodeTTL, "code-ttl", 5*time.Minute, "time that a login code is good")
	flags.StringVar(&c.Push.Endpoint, "push-endpoint", "", "`URL` of a verified channel that delivers queued codes")
	flags.StringVar(&c.Push.Attestation, "push-attestation", "", "what an attester has signed for the channel")
	flags.StringVar(&c.Push.Attesters, "attesters", "", "public `keys` of those who may attest, in base64 with commas")
	flags.StringVar(&c.Push.Authorities, "push-authorities", "", "`file` of certificates that may vouch for the channel; the system's unless set")
	flags.DurationVar(&c.DrainNotice, "drain-notice", 0, "time to go on serving while healthz says that the process ends; some seconds behind a load balancer")
	flags.DurationVar(&c.DrainTimeout, "drain-timeout", 10*time.Second, "time to end running sends when the process ends")

	if err := fromEnvironment(flags, getenv); err != nil {
		return Config{}, err
	}
	if err := flags.Parse(args); err != nil {
		return Config{}, err
	}
	if flags.NArg() > 0 {
		return Config{}, fmt.Errorf("unexpected argument %q: everything is said by flags", flags.Arg(0))
	}
	c.ProviderToken = getenv("GATEWAY_PROVIDER_TOKEN")
	c.QueueKeys = getenv("GATEWAY_QUEUE_KEY")
	c.Push.Token = getenv("GATEWAY_PUSH_TOKEN")
	return c, c.check()
}

// fromEnvironment gives flags the values that the environment has for them.
func fromEnvironment(flags *flag.FlagSet, getenv func(string) string) error {
	var wrong []error
	flags.VisitAll(func(f *flag.Flag) {
		name := "GATEWAY_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if value := getenv(name); value != "" {
			if err := flags.Set(f.Name, value); err != nil {
				wrong = append(wrong, fmt.Errorf("%s=%q: %w", name, value, err))
			}
		}
	})
	return errors.Join(wrong...)
}

func (c *Config) check() error {
	var wrong []error
	if c.ProviderToken == "" {
		wrong = append(wrong, errors.New("GATEWAY_PROVIDER_TOKEN is missing: the provider's token (anything will do for the simulator)"))
	}
	fitForHeader := func(name, token string) {
		if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			wrong = append(wrong, fmt.Errorf("%s has a space, a line end or another character that no token has", name))
		}
	}
	fitForHeader("GATEWAY_PROVIDER_TOKEN", c.ProviderToken)
	fitForHeader("GATEWAY_PUSH_TOKEN", c.Push.Token)
	if c.QueueKeys == "" {
		wrong = append(wrong, errors.New("GATEWAY_QUEUE_KEY is missing: make one with openssl rand -base64 32, and keep it as long as the file of the queue"))
	}
	if !(c.Rate > 0) {
		wrong = append(wrong, fmt.Errorf("--rate %v: want codes per second, such as 1200", c.Rate))
	}
	atLeastOne := func(flag string, n int) {
		if n < 1 {
			wrong = append(wrong, fmt.Errorf("%s %d: want at least 1", flag, n))
		}
	}
	atLeastOne("--per-login", c.PerLogin)
	atLeastOne("--per-caller", c.PerCaller)
	someTime := func(flag string, d time.Duration) {
		if d <= 0 {
			wrong = append(wrong, fmt.Errorf("%s %v: want a time, such as 30s", flag, d))
		}
	}
	someTime("--latency", c.Latency)
	someTime("--code-ttl", c.CodeTTL)
	someTime("--drain-timeout", c.DrainTimeout)
	if c.DrainNotice < 0 {
		wrong = append(wrong, fmt.Errorf("--drain-notice %v: want a time, or 0s", c.DrainNotice))
	}
	return errors.Join(wrong...)
}

// Warnings are what fits together badly, though nothing is wrong by itself.
func (c *Config) Warnings() (warnings []string) {
	if busy := c.Rate * c.Latency.Seconds(); !c.HTTP2 && busy > smsConnections {
		warnings = append(warnings, fmt.Sprintf(
			"%.0f codes per second that take %v each keep %.0f connections busy, and pool-sms-auth has %d: sends will wait for one. "+
				"HTTP/2 needs fewer, or the contract must grant more", c.Rate, c.Latency, busy, smsConnections))
	}
	return warnings
}
