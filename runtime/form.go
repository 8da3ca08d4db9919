package runtime

import (
	"fmt"

	"github.com/retrygen/retrygen/runtime/wire"
)

// Form is a body that is encoded as application/x-www-form-urlencoded once per
// call; every attempt sends the same bytes. See [wire.EncodeForm].
func Form(v any, encodings ...wire.Encoding) Body {
	return Body{
		replayability: Replayable,
		contentType:   "application/x-www-form-urlencoded",
		encoder: func() ([]byte, error) {
			data, err := wire.EncodeForm(v, encodings...)
			if err != nil {
				return nil, fmt.Errorf("the body cannot be encoded as a form: %w", err)
			}
			return data, nil
		},
	}
}
