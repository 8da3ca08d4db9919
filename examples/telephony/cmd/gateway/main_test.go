package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// asGateway makes the test's own binary the gateway.
const asGateway = "GATEWAY_TEST_RUN"

func TestMain(m *testing.M) {
	if os.Getenv(asGateway) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestSecondSignal: the first lets sends end, the next one does not.
func TestSecondSignal(t *testing.T) {
	asked := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer hanging.Close()

	gateway := exec.Command(os.Args[0], "--listen=127.0.0.1:0", "--operators=", "--provider="+hanging.URL, "--drain-notice=1m")
	gateway.Dir = t.TempDir()
	gateway.Env = append(os.Environ(), asGateway+"=1", "GATEWAY_PROVIDER_TOKEN=any",
		"GATEWAY_QUEUE_KEY=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	stderr, err := gateway.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, gateway.Start())
	defer func() { _ = gateway.Process.Kill() }()
	log := bufio.NewReader(stderr)
	line, err := log.ReadString('\n')
	require.NoError(t, err)
	api := regexp.MustCompile(`"api":"(http://[^"]+)"`).FindStringSubmatch(line)
	require.NotNil(t, api, line)

	go func() {
		response, err := http.Post(api[1]+"/v1/codes", "application/json",
			strings.NewReader(`{"user_id":"u1","login_session_id":"s1","to":"+4915112345678","code":"493817"}`))
		if err == nil {
			response.Body.Close()
		}
	}()
	<-asked
	require.NoError(t, gateway.Process.Signal(syscall.SIGTERM))
	line, err = log.ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "the gateway ends")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = gateway.Wait() // the signal is its error
	}()
	tries := time.NewTicker(10 * time.Millisecond) // the first signal may still be under way
	defer tries.Stop()
	late := time.After(20 * time.Second)
	for {
		select {
		case <-tries.C:
			_ = gateway.Process.Signal(syscall.SIGTERM)
		case <-ended:
			require.Equal(t, syscall.SIGTERM, gateway.ProcessState.Sys().(syscall.WaitStatus).Signal())
			return
		case <-late:
			t.Fatal("the second signal did not end the process")
		}
	}
}
