package journal

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/retrygen/retrygen/examples/telephony/lifecycle"
	"github.com/retrygen/retrygen/runtime"
)

// Kafka is a cluster to which events go.
type Kafka struct {
	Brokers []string    // host:port of some of them
	Topic   string      // [lifecycle.Topic] unless set
	TLS     *tls.Config // nil: in the clear
	// User and Password authenticate by SASL PLAIN, where there is a user.
	User     string
	Password runtime.Credential
	// Options are further ones of the client.
	Options []kgo.Opt
}

// KafkaFromEnv reads the variables that the package's documentation lists. It is
// nil where KAFKA_BROKERS is empty.
func KafkaFromEnv(getenv func(string) string) (*Kafka, error) {
	if getenv("KAFKA_BROKERS") == "" {
		return nil, nil
	}
	k := &Kafka{Brokers: brokers(getenv("KAFKA_BROKERS")), Topic: getenv("KAFKA_TOPIC"), User: getenv("KAFKA_USER")}
	secure, err := strconv.ParseBool(cmp.Or(getenv("KAFKA_TLS"), "false"))
	if err != nil {
		return nil, fmt.Errorf("KAFKA_TLS is %q, and must be true or false", getenv("KAFKA_TLS"))
	}
	if secure {
		k.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if name := getenv("KAFKA_CA_FILE"); name != "" {
		if !secure {
			return nil, errors.New("KAFKA_CA_FILE is for TLS: set KAFKA_TLS to true")
		}
		if k.TLS.RootCAs, err = authorities(name); err != nil {
			return nil, fmt.Errorf("KAFKA_CA_FILE: %w", err)
		}
	}
	password := getenv("KAFKA_PASSWORD")
	switch {
	case (k.User == "") != (password == ""):
		return nil, errors.New("KAFKA_USER and KAFKA_PASSWORD come together, or not at all")
	case k.User != "" && !secure:
		return nil, errors.New("KAFKA_PASSWORD would be sent in the clear: set KAFKA_TLS to true")
	case k.User != "":
		k.Password = runtime.Secret(password)
	}
	return k, nil
}

// brokers are separated by commas, and spaces where somebody wrote such.
func brokers(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

func authorities(name string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate in PEM", name)
	}
	return pool, nil
}

// client is a producer that does not give up by itself and keeps the order within
// a partition. It is idempotent: what it sends again after a lost answer is not
// stored twice.
func (k *Kafka) client(log kgo.Logger) (*kgo.Client, error) {
	options := []kgo.Opt{
		kgo.SeedBrokers(k.Brokers...),
		kgo.DefaultProduceTopic(cmp.Or(k.Topic, lifecycle.Topic)),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.WithLogger(log),
	}
	if k.TLS != nil {
		options = append(options, kgo.DialTLSConfig(k.TLS))
	}
	if k.User != "" {
		options = append(options, kgo.SASL(plain.Plain(func(ctx context.Context) (plain.Auth, error) {
			password, err := k.Password.Token(ctx)
			return plain.Auth{User: k.User, Pass: password}, err
		})))
	}
	return kgo.NewClient(append(options, k.Options...)...)
}
