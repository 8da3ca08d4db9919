package gateway_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrygen/retrygen/examples/telephony/drill"
	"github.com/retrygen/retrygen/examples/telephony/provider"
	"github.com/retrygen/retrygen/examples/telephony/sms"
	"github.com/retrygen/retrygen/runtime"
)

// unlimited is a client of the provider whose budget pays for every retry, to see
// what else bounds them. It must be made within a bubble.
func unlimited(t *testing.T, p *provider.Provider) *sms.Client {
	network := drill.NewMemory()
	listener, err := network.Listen()
	require.NoError(t, err)
	server := &http.Server{Handler: p}
	go func() { _ = server.Serve(listener) }()
	client, err := sms.New(sms.Config{
		BaseURL:  "http://provider.test",
		Token:    runtime.Secret("t"),
		Upstream: runtime.UpstreamConfig{Transport: network.Transport(), Budget: rich{}},
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, client.Upstream().Drain(t.Context()))
		server.Close()
	})
	return client
}

func newMessage(i int) sms.NewMessage {
	return sms.NewMessage{UserID: fmt.Sprintf("u%d", i), LoginSessionID: "s1", To: login.To, Text: "Your login code is 123456."}
}

// rich is a budget without end.
type rich struct{}

func (rich) Primary(time.Duration)      {}
func (rich) Success(time.Duration)      {}
func (rich) Affords(time.Duration) bool { return true }
func (rich) Reserve(time.Duration) bool { return true }
func (rich) Commit(time.Duration) bool  { return true }
func (rich) Cancel(time.Duration)       {}
