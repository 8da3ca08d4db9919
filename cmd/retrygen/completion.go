package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"
)

// shells are those that completion knows, and how to write a script for each.
var shells = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	"zsh":        (*cobra.Command).GenZshCompletion,
}

// newCompletion stands in for cobra's own command, which succeeds without a word
// about a shell that it does not know.
func newCompletion() *cobra.Command {
	names := slices.Sorted(maps.Keys(shells))
	return &cobra.Command{
		Use:   "completion bash|fish|powershell|zsh",
		Short: "Print a script that completes commands and flags in a shell",
		Example: `  # bash, in ~/.bashrc
  source <(retrygen completion bash)

  # fish
  retrygen completion fish > ~/.config/fish/completions/retrygen.fish

  # PowerShell, in the profile
  retrygen completion powershell | Out-String | Invoke-Expression

  # zsh, into a folder of $fpath
  retrygen completion zsh > "${fpath[1]}/_retrygen"`,
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || shells[args[0]] == nil {
				return fmt.Errorf("completion needs the name of one shell; expected one of %v", names)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return shells[args[0]](cmd.Root(), cmd.OutOrStdout())
		},
	}
}
