package pool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ledger is what a server read, by the id of the request.
type ledger struct {
	read, processed sync.Map // id -> *atomic.Int64
}

func count(m *sync.Map, id string) *atomic.Int64 {
	n, _ := m.LoadOrStore(id, new(atomic.Int64))
	return n.(*atomic.Int64)
}

// hammer makes calls from eight goroutines against a server that fails at
// random, and holds each claim against the server's ledger.
func hammer(t *testing.T, p *Pool, url string, l *ledger, calls int, cancels bool) {
	var next, failed, unsent, answered atomic.Int64
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for {
				n := next.Add(1)
				if n > int64(calls) {
					return
				}
				id := fmt.Sprint(n)
				ctx, cancel := context.WithCancel(t.Context())
				if cancels && rand.IntN(4) == 0 {
					time.AfterFunc(time.Duration(rand.IntN(300))*time.Microsecond, cancel)
				}
				req, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(id))
				if err != nil {
					t.Error(err)
				}
				req.Header.Set("X-Id", id)
				req.Header.Set("Idempotency-Key", id) // net/http repeats such requests
				proof, err := roundTrip(p, req)
				cancel()
				var broken *BodyError
				switch {
				case err == nil:
					answered.Add(1)
				case errors.As(err, &broken):
				default:
					failed.Add(1)
					if proof.Unsent() {
						unsent.Add(1)
						if count(&l.processed, id).Load() > 0 {
							t.Errorf("request %s: %s (%v), yet the server processed it", id, proof, err)
						}
					}
				}
			}
		})
	}
	workers.Wait()
	l.read.Range(func(id, n any) bool {
		if n := n.(*atomic.Int64).Load(); n > 1 {
			t.Errorf("request %s was sent %d times", id, n)
		}
		return true
	})
	t.Logf("%d calls: %d answered, %d failed, %d of them proven unsent", calls, answered.Load(), failed.Load(), unsent.Load())
	require.NotZero(t, failed.Load(), "the server never failed: the test shows nothing")
	require.NotZero(t, answered.Load())
}

// flaky reads a request and drops it in 3 of 10 cases; after an answer it closes
// the idle connection a moment later in 4 of 10, by FIN or RST.
func flaky(l *ledger) func(net.Conn, int) {
	return func(c net.Conn, _ int) {
		r := bufio.NewReader(c)
		for n := 0; ; n++ {
			req, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			id := req.Header.Get("X-Id")
			count(&l.read, id).Add(1)
			count(&l.processed, id).Add(1)
			_, _ = io.Copy(io.Discard, req.Body)
			if n > 0 && rand.IntN(10) < 3 {
				break
			}
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			if rand.IntN(10) < 4 {
				time.Sleep(time.Duration(rand.IntN(150)) * time.Microsecond)
				break
			}
		}
		if rand.IntN(2) == 0 {
			reset(c)
		}
	}
}

// races is the number of calls of each race test: all six of them make 200,000
// where there is time for it (make soak).
func races() int {
	switch {
	case os.Getenv("RETRYGEN_SOAK") != "":
		return 34_000
	case testing.Short():
		return 500
	}
	return 3000
}

func TestH1IdleCloseRace(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		for _, cancels := range []bool{false, true} {
			t.Run(fmt.Sprint(scheme, " cancels ", cancels), func(t *testing.T) {
				config := serverTLS("http/1.1")
				if scheme == "http" {
					config = nil
				}
				l := &ledger{}
				addr := listen(t, config, flaky(l))
				p := newPool(t, Options{Transport: trusting(), MaxConns: 4})
				hammer(t, p, scheme+"://"+addr, l, races(), cancels)
				require.Zero(t, p.Stats().InUse)
				require.Zero(t, p.Stats().Waiting)
			})
		}
	}
}

// chaotic answers, or fails in one of many ways. It keeps its promises: what it
// refuses, by stream or by GOAWAY, it does not process.
func chaotic(l *ledger, p *h2Peer, s uint32, id string) {
	count(&l.read, id).Add(1)
	if p.gone && s > p.last {
		return
	}
	switch rand.IntN(20) {
	case 0, 1:
		p.rst(s, codeRefused)
		return
	case 2:
		p.rst(s, codeProtocol)
		return
	case 3:
		if !p.gone && p.last < s {
			p.gone = true
			p.goAway(p.last, codeNone)
			return
		}
	case 4:
		p.gone = true
		p.last = max(p.last, s)
		p.goAway(p.last, codeNone)
	}
	if !p.gone {
		p.last = max(p.last, s)
	}
	count(&l.processed, id).Add(1)
	switch rand.IntN(20) {
	case 0:
		p.rst(s, codeInternal)
	case 1:
		p.status(s, 200, 0)
		p.rst(s, codeRefused)
	case 2:
		p.Close()
	default:
		p.status(s, 200, 0)
		p.data(s, flagEnd, "ok")
	}
}

func TestH2Chaos(t *testing.T) {
	for _, cancels := range []bool{false, true} {
		t.Run(fmt.Sprint("cancels ", cancels), func(t *testing.T) {
			l := &ledger{}
			url := startH2(t, func(p *h2Peer, s uint32, id string) { chaotic(l, p, s, id) })
			p := newPool(t, Options{Transport: trusting(), MaxConns: 2, AcquireTimeout: 10 * time.Second})
			hammer(t, p, url, l, races(), cancels)
			require.Eventually(t, func() bool { return p.Stats().InUse == 0 }, time.Second, time.Millisecond)
		})
	}
}

// Failures leave nothing behind when their contexts have ended, though the
// parent of these lives on.
func TestFailuresDoNotPileUp(t *testing.T) {
	addr := listen(t, nil, answering(""))
	h2 := startH2(t, func(p *h2Peer, s uint32, _ string) { p.rst(s, codeInternal) })
	p := newPool(t, Options{Transport: trusting()})
	parent, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, url := range []string{"http://" + addr, h2} {
		fail := func(n int) {
			for range n {
				ctx, done := context.WithCancel(parent)
				if _, err := roundTrip(p, get(t, url).WithContext(ctx)); err == nil {
					t.Fatal("no failure")
				}
				done()
			}
		}
		const failures = 3000
		fail(100)
		before := heapObjects()
		fail(failures)
		// One object for each would be a leak. The server's side, which shares
		// the heap, and net/http's goroutines may end a little later.
		require.Eventually(t, func() bool { return heapObjects() < before+failures }, 20*time.Second, 50*time.Millisecond)
	}
}

func heapObjects() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapObjects
}
