package corpus

import (
	"os"
	"syscall"
)

// peak is the most memory that a process has had.
func peak(state *os.ProcessState) int64 {
	return state.SysUsage().(*syscall.Rusage).Maxrss << 10
}
