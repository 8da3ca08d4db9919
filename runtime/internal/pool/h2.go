package pool

// streamError has the shape of net/http's HTTP/2 stream error, whose As method
// fills any struct of this shape.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (streamError) Error() string { return "stream error" }

// What net/http says, word for word. TestH2Canary fails if it ever says
// something else; until then, unknown words prove nothing.
const (
	codeRefusedStream     = 7
	textFromPeer          = "received from peer"
	textGoAway            = "http2: Transport received Server's graceful shutdown GOAWAY"
	textConnUnusable      = "http2: client conn not usable"
	textConnUnestablished = "http2: client conn could not be established"
)

// h2Proof names the proof in an error of [http.ClientConn.RoundTrip] over HTTP/2.
//
// It looks at err alone, never at what err wraps: the errors of request bodies
// and of connections come wrapped by this package, so they cannot pass for what
// net/http says about our stream. Not a proof: GOAWAY that covers the stream
// (the server may still have processed it), and any other code, PROTOCOL_ERROR
// included.
func h2Proof(err error) Proof {
	if stream, ok := err.(interface{ As(target any) bool }); ok {
		var se streamError
		if stream.As(&se) && se.Code == codeRefusedStream && se.Cause != nil && se.Cause.Error() == textFromPeer {
			return Refused
		}
		return Unproven
	}
	switch err.Error() {
	case textGoAway:
		return GoneAway
	case textConnUnusable, textConnUnestablished:
		return NoStream
	}
	return Unproven
}
