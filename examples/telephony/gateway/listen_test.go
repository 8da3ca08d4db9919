package gateway

import (
	"bytes"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestServersLogAsTheGateway: what net/http has to say is in the gateway's log, too.
func TestServersLogAsTheGateway(t *testing.T) {
	var log bytes.Buffer
	s := servers{log: slog.New(slog.NewJSONHandler(&log, nil)), failed: make(chan error, 1)}
	address, err := s.listen("127.0.0.1:0", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("broken") }))
	require.NoError(t, err)
	_, err = http.Get("http://" + address.String())
	require.Error(t, err)
	require.NoError(t, s.shutdown(t.Context()))
	require.Regexp(t, `"level":"WARN","msg":"http: panic serving .*broken`, log.String())
}
