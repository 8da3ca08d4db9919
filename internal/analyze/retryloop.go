package analyze

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// RetryLoop finds loops that repeat a call which repeats itself.
var RetryLoop = check("retryloop", `find hand-written retry loops around generated calls

A generated method makes the attempts that its contract permits. A loop around
it multiplies them, and repeats what the contract forbids to repeat.`, findRetryLoops)

func findRetryLoops(r *reporter, p *program) {
	for _, s := range p.sites {
		how := ""
		switch repeater := p.repeated[s.call.Parent()].by; {
		case replays(s):
			continue
		case retries(s.call):
			how = "a loop calls it again when it fails"
		case repeater != nil:
			how = repeater.Name() + " calls it again when it fails"
		default:
			continue
		}
		r.report(r.at(s.call.Pos(), inLoop(s.describe(), s.contract, how)))
	}
	for _, h := range p.handed {
		if path, name := place(h.by); !within(path, retriers) {
			r.report(r.at(h.call.Pos(), inLoop(h.contract.Method, h.contract, name+" calls it again when it fails")))
		}
	}
}

func inLoop(what string, c *Contract, how string) string {
	return fmt.Sprintf("%s %s: %s; call it once, and hand its error on", what, attempts(c), how)
}

// attempts tells what the contract does already.
func attempts(c *Contract) string {
	if c.MaxAttempts == 1 {
		return "is sent once, for its contract permits no repetition"
	}
	return fmt.Sprintf("makes up to %d attempts by itself", c.MaxAttempts)
}

// replays tells a loop that goes by runtime.Replay, under one key and as long as
// the upstream remembers it.
func replays(s *site) bool {
	loops := loopsAround(s.call.Block())
	known := map[ssa.Value]bool{}
	for queue := errorsOf(s.call); len(queue) > 0; queue = queue[1:] {
		if known[queue[0]] {
			continue
		}
		known[queue[0]] = true
		for _, use := range referrers(queue[0]) {
			switch use := use.(type) {
			case *ssa.Phi:
				queue = append(queue, use)
			case *ssa.Store:
				queue = append(queue, loadsOf(use.Addr)...)
			case *ssa.Call:
				in := func(l *loop) bool { return l.blocks[use.Block()] }
				if runtimeCall(use, "Replay") != nil && (len(loops) == 0 || slices.ContainsFunc(loops, in)) {
					return true
				}
			}
		}
	}
	return false
}
