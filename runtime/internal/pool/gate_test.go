package pool

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// sink counts what reaches the network.
type sink struct {
	net.Conn
	got atomic.Int64
}

func (s *sink) Write(b []byte) (int, error) { s.got.Add(int64(len(b))); return len(b), nil }

func TestGateSeals(t *testing.T) {
	s := &sink{}
	g := &gate{Conn: s}
	_, err := g.Write([]byte("earlier"))
	require.NoError(t, err)
	mark := g.mark()
	require.True(t, g.seal(mark), "nothing since the mark")
	n, err := g.Write([]byte("late"))
	require.Zero(t, n)
	require.ErrorIs(t, err, errSealed)
	require.EqualValues(t, 7, s.got.Load())

	g = &gate{Conn: s}
	mark = g.mark()
	_, err = g.Write([]byte("x"))
	require.NoError(t, err)
	require.False(t, g.seal(mark))
}

// However often one tries to write, a seal stays.
func TestGateStaysSealed(t *testing.T) {
	s := &sink{}
	g := &gate{Conn: s}
	require.True(t, g.seal(g.mark()))
	for range 1 << 16 {
		_, err := g.Write([]byte("late"))
		require.ErrorIs(t, err, errSealed)
	}
	require.Zero(t, s.got.Load())
}

// A count that has run into its flags proves nothing.
func TestGateOverflow(t *testing.T) {
	g := &gate{Conn: &sink{}}
	g.writes.Store(oneWrite - 1)
	require.True(t, g.seal(g.mark()))
	g = &gate{Conn: &sink{}}
	g.writes.Store(oneWrite - 1)
	_, err := g.Write([]byte("x"))
	require.NoError(t, err)
	require.False(t, g.seal(g.mark()))
}

// A write that races with the seal is either refused or counted.
func TestGateRace(t *testing.T) {
	for range 20_000 {
		s := &sink{}
		g := &gate{Conn: s}
		mark := g.mark()
		var both sync.WaitGroup
		both.Go(func() { _, _ = g.Write([]byte("late")) })
		untouched := g.seal(mark)
		both.Wait()
		if untouched {
			require.Zero(t, s.got.Load(), "sealed as untouched, and a byte left")
		}
	}
}

// Who asks is told of the close, once, whether it is still to come or not.
func TestGateTellsOfItsClose(t *testing.T) {
	told := 0
	tell := func() { told++ }
	for _, before := range []bool{true, false} {
		here, there := net.Pipe()
		g := &gate{Conn: here}
		if before {
			require.NoError(t, g.Close())
		}
		g.whenClosed(tell)
		require.NoError(t, g.Close())
		require.NoError(t, g.Close())
		require.Equal(t, 1, told)
		told = 0
		there.Close()
	}
}

// stuck begins to write, and tells so.
type stuck struct {
	net.Conn
	begun, end chan struct{}
}

func (s *stuck) Write(b []byte) (int, error) {
	close(s.begun)
	<-s.end
	return len(b), nil
}

func TestGateWriteInProgressIsNoProof(t *testing.T) {
	s := &stuck{begun: make(chan struct{}), end: make(chan struct{})}
	g := &gate{Conn: s}
	var writer sync.WaitGroup
	writer.Go(func() { _, _ = g.Write([]byte("x")) })
	<-s.begun
	require.False(t, g.seal(0))
	close(s.end)
	writer.Wait()
}

func TestGateOwnsForeignErrors(t *testing.T) {
	require.NoError(t, own(nil))
	require.Equal(t, io.EOF, own(io.EOF))
	op := &net.OpError{Op: "read", Err: errors.New("x")}
	require.Same(t, op, own(op))

	foreign := refusedStream{}
	require.Equal(t, Refused, h2Proof(foreign), "the test's error must look like net/http's")
	require.Equal(t, Unproven, h2Proof(own(foreign)))
	require.ErrorIs(t, own(foreign), foreign)
	require.Equal(t, Unproven, h2Proof(own(errors.New(textGoAway))))
}

// refusedStream looks like net/http's error for REFUSED_STREAM.
type refusedStream struct{}

func (refusedStream) Error() string {
	return "stream error: stream ID 1; REFUSED_STREAM; received from peer"
}
func (refusedStream) As(target any) bool {
	se, ok := target.(*streamError)
	if ok {
		*se = streamError{StreamID: 1, Code: codeRefusedStream, Cause: errors.New(textFromPeer)}
	}
	return ok
}
