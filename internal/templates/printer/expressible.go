package printer

import (
	"fmt"
	"mime"

	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// expressible refuses what generated code cannot say.
func expressible(api *spec.API) error {
	var found source.Diagnostics
	for _, op := range api.Operations {
		if body := op.Body; body != nil && body.Encoding == spec.JSON && body.Type != nil && !plainJSON(body.ContentType) {
			found = append(found, source.Diagnostic{
				Pos:     body.Pos,
				Message: fmt.Sprintf("a request body of type %s is not supported yet", body.ContentType),
				Fix:     "exclude the operation, or offer application/json",
			})
		}
	}
	return found.Err()
}

func plainJSON(contentType string) bool {
	base, _, err := mime.ParseMediaType(contentType)
	return err == nil && base == "application/json"
}
