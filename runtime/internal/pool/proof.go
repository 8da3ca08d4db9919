package pool

// Proof is why a failed request is known not to have been sent, or not to have
// been processed (RULE-EVIDENCE). The zero value proves nothing.
type Proof uint8

const (
	// Unproven: a byte may have left.
	Unproven Proof = iota

	// The stage that failed comes before the first byte of the request.
	NotStarted // the request is invalid, or its context had ended
	PoolWait   // no connection became free
	Dial       // resolving or connecting
	Proxy      // the proxy, or its CONNECT
	TLS        // the handshake

	// ZeroBytes: HTTP/1, no byte was written and none can be any more.
	ZeroBytes
	// Refused: HTTP/2, RST_STREAM with REFUSED_STREAM.
	Refused
	// GoneAway: HTTP/2, GOAWAY whose last stream is before this one.
	GoneAway
	// NoStream: HTTP/2, the connection ended before the stream was opened.
	NoStream
)

// Unsent reports whether the server provably did not receive the request, or
// did not process it.
func (p Proof) Unsent() bool { return p != Unproven }

func (p Proof) String() string {
	switch p {
	case NotStarted:
		return "not started"
	case PoolWait:
		return "pool wait"
	case Dial:
		return "dial"
	case Proxy:
		return "proxy"
	case TLS:
		return "TLS handshake"
	case ZeroBytes:
		return "zero bytes"
	case Refused:
		return "REFUSED_STREAM"
	case GoneAway:
		return "GOAWAY"
	case NoStream:
		return "no stream"
	}
	return "unproven"
}
