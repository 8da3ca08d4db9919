package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  retrygen version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, _ := debug.ReadBuildInfo()
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "retrygen %s %s %s/%s\n", version(info), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// modulePath is where this command comes from.
const modulePath = "github.com/retrygen/retrygen"

// version is our module's: it may be the main module, or one that the user's
// module requires as a tool.
func version(info *debug.BuildInfo) string {
	if info == nil {
		return "(unknown)"
	}
	for _, module := range append(info.Deps, &info.Main) {
		if module.Path == modulePath && module.Version != "" {
			return module.Version
		}
	}
	return "(devel)"
}
