package journal

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// halfWritten is a disk that runs full within a line.
type halfWritten struct{ io.WriteCloser }

func (d halfWritten) Write(p []byte) (int, error) {
	n, _ := d.WriteCloser.Write(p[:len(p)-3])
	return n, errors.New("no space left on device")
}

// TestFullDisk: whole lines stay, the half one is cut off before anything follows
// it, and the caller is told how much is there.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	s, _, err := openSegments(dir, 1<<10, 1<<20, 1)
	require.NoError(t, err)
	defer s.close()
	out, err := s.openLast()
	require.NoError(t, err)
	s.out = halfWritten{out}
	n, err := s.append([]byte("one\ntwo\n"))
	require.ErrorContains(t, err, "no space left")
	require.Equal(t, len("one\n"), n)
	_, err = s.append([]byte("three\n"))
	require.NoError(t, err)
	require.Equal(t, "one\nthree\n", string(segmentsOf(t, dir)))
}
