package pool

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// virtual runs a test in virtual time against net/http's server.
func virtual(t *testing.T, h2c bool, options Options, handler http.HandlerFunc, test func(t *testing.T, p *Pool)) {
	synctest.Test(t, func(t *testing.T) {
		options.Transport = servePipes(t, h2c, handler)
		p, err := New(options)
		require.NoError(t, err)
		defer p.Close()
		test(t, p)
	})
}

// napping answers after the time that the query names.
func napping(w http.ResponseWriter, r *http.Request) {
	d, _ := time.ParseDuration(r.URL.RawQuery)
	select {
	case <-time.After(d):
		_, _ = io.WriteString(w, "done")
	case <-r.Context().Done():
	}
}

// roundTrip makes a whole call.
func roundTrip(p *Pool, req *http.Request) (Proof, error) {
	resp, proof, err := p.RoundTrip(req)
	if err != nil {
		return proof, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return proof, errors.Join(err, resp.Body.Close())
}

// ignore makes a call that matters to others only.
func ignore(p *Pool, req *http.Request) { _, _ = roundTrip(p, req) }

func TestWaitersAreServedInTurn(t *testing.T) {
	virtual(t, false, Options{MaxConns: 1}, napping, func(t *testing.T, p *Pool) {
		start := time.Now()
		var mu sync.Mutex
		var order []int
		var calls sync.WaitGroup
		for i := range 8 {
			calls.Go(func() {
				_, err := roundTrip(p, get(t, "http://pipe/?1s"))
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
				if err != nil {
					t.Error(err)
				}
			})
			synctest.Wait() // it holds the connection, or is in line
		}
		calls.Wait()
		require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7}, order)
		require.Equal(t, 8*time.Second, time.Since(start))
		require.Equal(t, Stats{Open: 1, Idle: 1}, p.Stats())
	})
}

func TestAcquireTimeout(t *testing.T) {
	virtual(t, false, Options{MaxConns: 2, AcquireTimeout: 3 * time.Second}, napping, func(t *testing.T, p *Pool) {
		var calls sync.WaitGroup
		for range 2 {
			calls.Go(func() {
				if _, err := roundTrip(p, get(t, "http://pipe/?10s")); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		start := time.Now()
		proof, err := roundTrip(p, get(t, "http://pipe/?0s"))
		require.ErrorIs(t, err, ErrAcquireTimeout)
		require.Equal(t, PoolWait, proof)
		require.Equal(t, 3*time.Second, time.Since(start))
		require.Equal(t, Stats{Open: 2, InUse: 2}, p.Stats())

		time.Sleep(5 * time.Second) // 2 s before one becomes free
		proof, err = roundTrip(p, get(t, "http://pipe/?0s"))
		require.NoError(t, err, proof)
		require.Equal(t, 10*time.Second, time.Since(start))
		calls.Wait()
	})
}

// The acquire timeout is for the wait for others, not for a dial.
func TestAcquireTimeoutSparesDials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := servePipes(t, false, napping)
		dial := transport.DialContext
		transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			time.Sleep(5 * time.Second)
			return dial(ctx, network, addr)
		}
		p := newPool(t, Options{Transport: transport, MaxConns: 1, AcquireTimeout: time.Second})
		start := time.Now()
		_, err := roundTrip(p, get(t, "http://pipe/"))
		require.NoError(t, err)
		require.Equal(t, 5*time.Second, time.Since(start))
		p.Close()
	})
}

// Who waits longest gets the first connection, even where another's dial made it.
func TestLateDialServesTheFirstInLine(t *testing.T) {
	virtual(t, false, Options{MaxConns: 1}, napping, func(t *testing.T, p *Pool) {
		proof := make(chan Proof, 1)
		ctx, cancel := context.WithCancel(t.Context())
		go ignore(p, get(t, "http://pipe/?10s").WithContext(ctx))
		synctest.Wait()
		go func() {
			got, _ := roundTrip(p, get(t, "http://pipe/?1s"))
			proof <- got
		}()
		synctest.Wait()
		require.Equal(t, Stats{Open: 1, InUse: 1, Waiting: 1}, p.Stats())
		start := time.Now()
		cancel() // kills the connection; the waiter gets a dial of its own
		require.Equal(t, Unproven, <-proof)
		require.Equal(t, time.Second, time.Since(start))
	})
}

func TestCancelledWhileWaiting(t *testing.T) {
	cause := errors.New("changed my mind")
	virtual(t, false, Options{MaxConns: 1}, napping, func(t *testing.T, p *Pool) {
		go ignore(p, get(t, "http://pipe/?10s"))
		synctest.Wait()
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		body := &failingBody{err: io.EOF}
		req, err := http.NewRequestWithContext(ctx, "POST", "http://pipe/", body)
		require.NoError(t, err)
		proof, err := roundTrip(p, req)
		require.Equal(t, PoolWait, proof)
		require.Equal(t, cause, err)
		require.EqualValues(t, 1, body.closed.Load())
		require.Equal(t, Stats{Open: 1, InUse: 1}, p.Stats())
		time.Sleep(10 * time.Second)
		require.Equal(t, Stats{Open: 1, Idle: 1}, p.Stats())
	})
}

func TestCancelledBeforeStart(t *testing.T) {
	virtual(t, false, Options{}, napping, func(t *testing.T, p *Pool) {
		_, err := roundTrip(p, get(t, "http://pipe/")) // a connection is there, and ready
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 100 {
			proof, err := roundTrip(p, get(t, "http://pipe/").WithContext(ctx))
			require.Equal(t, NotStarted, proof)
			require.ErrorIs(t, err, context.Canceled)
		}
		require.Equal(t, Stats{Open: 1, Idle: 1}, p.Stats())
	})
}

// A dial that nobody waits for any more is given up.
func TestCancelledWhileDialing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		p := newPool(t, Options{Transport: &http.Transport{DialContext: stuck}, MaxConns: 1})
		var calls sync.WaitGroup
		for i := range 3 { // the second and third wait for the first's dial, or their own
			calls.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i+1)*time.Second)
				defer cancel()
				proof, err := roundTrip(p, get(t, "http://pipe/").WithContext(ctx))
				if !proof.Unsent() || !errors.Is(err, context.DeadlineExceeded) {
					t.Error(proof, err)
				}
			})
		}
		synctest.Wait()
		require.Equal(t, Stats{Dialing: 1, Waiting: 3}, p.Stats())
		time.Sleep(1500 * time.Millisecond)
		require.Equal(t, Stats{Dialing: 1, Waiting: 2}, p.Stats(), "the next in line has a dial of its own")
		calls.Wait()
		require.Zero(t, p.Stats())
	})
}

func TestIdleConnectionsExpire(t *testing.T) {
	for name, h2c := range map[string]bool{"h1": false, "h2": true} {
		t.Run(name, func(t *testing.T) {
			virtual(t, h2c, Options{IdleTimeout: 30 * time.Second}, napping, func(t *testing.T, p *Pool) {
				_, err := roundTrip(p, get(t, "http://pipe/"))
				require.NoError(t, err)
				time.Sleep(20 * time.Second)
				_, err = roundTrip(p, get(t, "http://pipe/"))
				require.NoError(t, err)
				time.Sleep(29 * time.Second)
				require.Equal(t, Stats{Open: 1, Idle: 1}, p.Stats(), "used 29 s ago")
				time.Sleep(2 * time.Second)
				require.Zero(t, p.Stats(), "used 31 s ago")
			})
		})
	}
}

func TestIdleTimeoutSparesConnectionsInUse(t *testing.T) {
	virtual(t, false, Options{IdleTimeout: 30 * time.Second}, napping, func(t *testing.T, p *Pool) {
		_, err := roundTrip(p, get(t, "http://pipe/"))
		require.NoError(t, err)
		_, err = roundTrip(p, get(t, "http://pipe/?2m"))
		require.NoError(t, err)
		require.Equal(t, Stats{Open: 1, Idle: 1}, p.Stats())
	})
}

func TestMaxIdle(t *testing.T) {
	for _, c := range []struct{ maxIdle, want int }{{2, 2}, {-1, 0}, {0, 5}} {
		virtual(t, false, Options{MaxIdle: c.maxIdle}, napping, func(t *testing.T, p *Pool) {
			var calls sync.WaitGroup
			for range 5 {
				calls.Go(func() { ignore(p, get(t, "http://pipe/?1s")) })
			}
			calls.Wait()
			require.Equal(t, Stats{Open: c.want, Idle: c.want}, p.Stats())
		})
	}
}

func TestCloseIdle(t *testing.T) {
	virtual(t, false, Options{}, napping, func(t *testing.T, p *Pool) {
		var calls sync.WaitGroup
		for _, nap := range []string{"1s", "5s"} {
			calls.Go(func() {
				if _, err := roundTrip(p, get(t, "http://pipe/?"+nap)); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(2 * time.Second)
		require.Equal(t, Stats{Open: 2, InUse: 1, Idle: 1}, p.Stats())
		p.CloseIdle()
		require.Equal(t, Stats{Open: 1, InUse: 1}, p.Stats())
		calls.Wait()
	})
}

func TestClose(t *testing.T) {
	virtual(t, false, Options{MaxConns: 1}, napping, func(t *testing.T, p *Pool) {
		inFlight, waiting := make(chan error, 1), make(chan error, 1)
		go func() { _, err := roundTrip(p, get(t, "http://pipe/?1h")); inFlight <- err }()
		synctest.Wait()
		go func() { _, err := roundTrip(p, get(t, "http://pipe/")); waiting <- err }()
		synctest.Wait()
		p.Close()
		require.Error(t, <-inFlight)
		require.ErrorIs(t, <-waiting, ErrClosed)
		proof, err := roundTrip(p, get(t, "http://pipe/"))
		require.ErrorIs(t, err, ErrClosed)
		require.Equal(t, PoolWait, proof)
		require.Zero(t, p.Stats())
		p.Close()
	})
}

// The server ends an idle connection: the pool notices by itself.
func TestIdleConnectionEndedByTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := servePipes(t, false, napping)
		dial := transport.DialContext
		var last net.Conn
		transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			nc, err := dial(ctx, network, addr)
			last = nc
			return nc, err
		}
		p := newPool(t, Options{Transport: transport})
		_, err := roundTrip(p, get(t, "http://pipe/"))
		require.NoError(t, err)
		require.Equal(t, Stats{Open: 1, Idle: 1}, p.Stats())
		last.Close()
		synctest.Wait()
		require.Zero(t, p.Stats())
		p.Close()
	})
}

// With few streams allowed and one connection, calls wait for streams.
func TestH2WaitsForStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		network := newPipes()
		s := &http.Server{Handler: http.HandlerFunc(napping), Protocols: &protocols,
			HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 2}}
		go func() { _ = s.Serve(network) }()
		defer s.Close()
		p := newPool(t, Options{MaxConns: 1, Transport: &http.Transport{DialContext: network.dial, Protocols: &protocols}})
		_, err := roundTrip(p, get(t, "http://pipe/")) // the limit is known now
		require.NoError(t, err)
		start := time.Now()
		var calls sync.WaitGroup
		for range 6 {
			calls.Go(func() {
				if _, err := roundTrip(p, get(t, "http://pipe/?1s")); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		require.Equal(t, Stats{Open: 1, InUse: 1, Waiting: 4}, p.Stats())
		calls.Wait()
		require.Equal(t, 3*time.Second, time.Since(start))
		p.Close()
	})
}
