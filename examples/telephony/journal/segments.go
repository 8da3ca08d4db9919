package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// segments are the files of a folder: lines are appended to the last one and read
// from the first.
type segments struct {
	dir       string
	size, max int64 // of one, and of all

	mu    sync.Mutex
	files []segment      // by number; there is always a last one
	out   io.WriteCloser // the last one, when it was written to
}

// segment is a file of whole lines. What a file may have behind its size is not a
// part of it.
type segment struct {
	number uint64
	size   int64
}

// position is a place in the segments: all before it was read.
type position struct {
	Segment uint64 `json:"segment"`
	Offset  int64  `json:"offset"`
}

var errFull = errors.New("the journal is full")

const suffix = ".jsonl"

func (s *segments) path(number uint64) string {
	return filepath.Join(s.dir, fmt.Sprintf("%020d%s", number, suffix))
}

// openSegments finds the segments of a folder from a number on: what comes before
// was read, and is deleted. A last line that is torn is cut off.
func openSegments(dir string, size, max int64, from uint64) (_ *segments, torn int, err error) {
	s := &segments{dir: dir, size: size, max: max}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, 0, err
	}
	for _, entry := range entries { // by name, and so by number
		number, _ := strconv.ParseUint(strings.TrimSuffix(entry.Name(), suffix), 10, 64)
		if entry.Name() != filepath.Base(s.path(number)) {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return nil, 0, err
		}
		s.files = append(s.files, segment{number, info.Size()})
	}
	if err := s.forget(from); err != nil {
		return nil, 0, err
	}
	if len(s.files) == 0 {
		s.files = []segment{{number: from}}
		return s, 0, nil
	}
	torn, err = s.heal()
	return s, torn, err
}

// heal cuts the last segment off behind its last whole line, and counts what was
// behind it.
func (s *segments) heal() (torn int, err error) {
	last := s.last()
	data, err := os.ReadFile(s.path(last.number))
	if err != nil {
		return 0, err
	}
	last.size = int64(bytes.LastIndexByte(data, '\n') + 1)
	if last.size == int64(len(data)) {
		return 0, nil
	}
	return 1, os.Truncate(s.path(last.number), last.size)
}

func (s *segments) last() *segment { return &s.files[len(s.files)-1] }

// within is a position, or the end of its segment if that is shorter: what was
// behind the end is lost, and was read.
func (s *segments) within(at position) position {
	for _, f := range s.files {
		if f.number == at.Segment {
			at.Offset = min(at.Offset, f.size)
		}
	}
	return at
}

// append writes whole lines, and tells how many bytes of them are in the segments
// now: whole lines, too, if there is an error.
func (s *segments) append(lines []byte) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.after(position{})+int64(len(lines)) > s.max {
		s.recount()
	}
	if s.after(position{})+int64(len(lines)) > s.max {
		return 0, errFull
	}
	if s.last().size >= s.size {
		s.shut()
		s.files = append(s.files, segment{number: s.last().number + 1})
	}
	if s.out == nil {
		if s.out, err = s.openLast(); err != nil {
			return 0, err
		}
	}
	n, err = s.out.Write(lines)
	if err != nil {
		n = bytes.LastIndexByte(lines[:n], '\n') + 1
		s.shut() // and so what is half written is cut off before anything follows it
	}
	s.last().size += int64(n)
	return n, err
}

// openLast opens the last segment at its end.
func (s *segments) openLast() (io.WriteCloser, error) {
	f, err := os.OpenFile(s.path(s.last().number), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(s.last().size); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// shut closes the last segment's file.
func (s *segments) shut() {
	if s.out != nil {
		s.out.Close()
		s.out = nil
	}
}

// read returns lines behind a position, in all at most max bytes, and the position
// behind them. There are none where all was read. What is no whole line though a
// segment ends there, or that is longer than max, comes as it is.
func (s *segments) read(at position, max int64) (lines []byte, next position, err error) {
	s.mu.Lock()
	files := slices.Clone(s.files)
	s.mu.Unlock()
	for _, f := range files {
		if f.number > at.Segment {
			at = position{Segment: f.number}
		}
		if f.number == at.Segment && at.Offset < f.size {
			return s.readFile(at, min(max, f.size-at.Offset))
		}
	}
	return nil, at, nil
}

func (s *segments) readFile(at position, size int64) ([]byte, position, error) {
	f, err := os.Open(s.path(at.Segment))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.recount()
		}
		return nil, at, err
	}
	defer f.Close()
	lines := make([]byte, size)
	if _, err := f.ReadAt(lines, at.Offset); err != nil {
		return nil, at, err
	}
	if end := bytes.LastIndexByte(lines, '\n') + 1; end > 0 {
		lines = lines[:end]
	}
	at.Offset += int64(len(lines))
	return lines, at, nil
}

// forget deletes the segments before a number.
func (s *segments) forget(before uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.files) > 0 && s.files[0].number < before {
		if err := os.Remove(s.path(s.files[0].number)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		s.files = s.files[1:]
	}
	return nil
}

// recount forgets closed segments that somebody has taken away.
func (s *segments) recount() {
	last := s.last().number
	s.files = slices.DeleteFunc(s.files, func(f segment) bool {
		_, err := os.Stat(s.path(f.number))
		return f.number != last && errors.Is(err, fs.ErrNotExist)
	})
}

// after is how many bytes there are behind a position.
func (s *segments) after(at position) (n int64) {
	for _, f := range s.files {
		switch {
		case f.number == at.Segment:
			n += f.size - at.Offset
		case f.number > at.Segment:
			n += f.size
		}
	}
	return n
}

// pending is after for who does not hold the lock.
func (s *segments) pending(at position) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.after(at)
}

func (s *segments) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut()
}
