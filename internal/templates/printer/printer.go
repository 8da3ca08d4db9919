package printer

import "github.com/retrygen/retrygen/internal/spec"

// printer is what the files of a client share while they are printed in
// parallel. It is complete before that, and only read from then on.
type printer struct {
	api            *spec.API
	checked        map[*spec.Type]bool        // named types with a Validate method
	argumentChecks map[*spec.Operation]string // functions that validate other arguments
	patterns       map[any]string             // variables of regular expressions, by what they belong to
	auths          []*auth                    // what operations demand, each once
	authOf         map[*spec.Operation]*auth
}

func newPrinter(api *spec.API) (*printer, error) {
	p := &printer{api: api, checked: map[*spec.Type]bool{}, argumentChecks: map[*spec.Operation]string{}, patterns: map[any]string{}}
	p.findChecked()
	s := packageScope(api)
	for _, t := range api.Types {
		p.nameTypePatterns(s, t)
	}
	for _, further := range []bool{false, true} {
		for _, op := range api.Operations {
			if (op.Further != nil) == further {
				p.nameOperationChecks(s, op)
			}
		}
	}
	p.auths, p.authOf = auths(api)
	return p, nil
}
