package journal

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKafkaFromEnv: each variable, what is wrong with one, and how to mend it. The
// password is never shown.
func TestKafkaFromEnv(t *testing.T) {
	from := func(env map[string]string) (*Kafka, error) {
		return KafkaFromEnv(func(name string) string { return env[name] })
	}
	k, err := from(nil)
	require.NoError(t, err)
	require.Nil(t, k, "without brokers there is no Kafka")

	k, err = from(map[string]string{"KAFKA_BROKERS": "k1:9093, k2:9093", "KAFKA_TOPIC": "t", "KAFKA_TLS": "true",
		"KAFKA_USER": "u", "KAFKA_PASSWORD": "hunter2"})
	require.NoError(t, err)
	require.Equal(t, []string{"k1:9093", "k2:9093"}, k.Brokers)
	require.Equal(t, "t", k.Topic)
	require.NotNil(t, k.TLS)
	password, err := k.Password.Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "hunter2", password)
	require.NotContains(t, fmt.Sprintf("%+v %#v", k.Password, k.Password), "hunter2")

	for want, env := range map[string]map[string]string{
		`KAFKA_TLS is "maybe", and must be true or false`: {"KAFKA_TLS": "maybe"},
		"KAFKA_CA_FILE is for TLS: set KAFKA_TLS to true": {"KAFKA_CA_FILE": "ca.pem"},
		"KAFKA_CA_FILE: open /nowhere":                    {"KAFKA_TLS": "true", "KAFKA_CA_FILE": "/nowhere"},
		"KAFKA_USER and KAFKA_PASSWORD come together":     {"KAFKA_PASSWORD": "hunter2"},
		"would be sent in the clear":                      {"KAFKA_USER": "u", "KAFKA_PASSWORD": "hunter2"},
	} {
		env["KAFKA_BROKERS"] = "k1:9093"
		_, err := from(env)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "hunter2")
	}
}
