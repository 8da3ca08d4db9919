package retrytest

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// Types and flags of HTTP/2 frames.
const (
	frameData, frameHeaders, frameReset, frameGoAway = 0, 1, 3, 7
	flagEndStream, flagEndHeaders                    = 1, 4
)

// writeFrame writes a frame of the server's own.
func (c *conn) writeFrame(kind, flags byte, stream uint32, payload []byte) {
	b := make([]byte, frameHeader, frameHeader+len(payload))
	binary.BigEndian.PutUint32(b, uint32(len(payload))<<8|uint32(kind))
	b[4] = flags
	binary.BigEndian.PutUint32(b[5:], stream)
	select {
	case <-c.spoke:
	case <-c.done:
		return
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, _ = c.Conn.Write(append(b, payload...))
}

func (c *conn) resetStream(stream, code uint32) {
	c.writeFrame(frameReset, 0, stream, binary.BigEndian.AppendUint32(nil, code))
}

func (c *conn) goAway(last, code uint32) {
	c.writeFrame(frameGoAway, 0, 0, binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, last), code))
}

// writeHead writes a header as HPACK literals that enter no table, so that the
// client's and net/http's tables stay alike.
func (c *conn) writeHead(stream uint32, status int, header []string) {
	const literal, statusName = 0x00, 0x08
	block := appendString([]byte{literal | statusName}, strconv.Itoa(status))
	for i := 0; i < len(header); i += 2 {
		block = append(block, literal)
		block = appendString(block, strings.ToLower(header[i]))
		block = appendString(block, header[i+1])
	}
	c.writeFrame(frameHeaders, flagEndHeaders, stream, block)
}

// appendString is an HPACK string without Huffman coding.
func appendString(b []byte, s string) []byte {
	const prefix = 0x7f
	n := len(s)
	if n < prefix {
		return append(append(b, byte(n)), s...)
	}
	b = append(b, prefix)
	for n -= prefix; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(append(b, byte(n)), s...)
}
