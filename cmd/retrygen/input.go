package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/retrygen/retrygen/internal/config"
)

// inputFlags say what a command reads: configurations, or a document alone.
type inputFlags struct {
	configs []string
	spec    string
}

func (f *inputFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.configs, "config", nil, "configuration `FILE`; may be repeated (default "+config.FileName+")")
	cmd.Flags().StringVar(&f.spec, "spec", "", "OpenAPI document `FILE`, in place of a configuration")
	_ = cmd.MarkFlagFilename("config", "yaml", "yml")
	_ = cmd.MarkFlagFilename("spec", "yaml", "yml", "json")
}

// documentCompletion completes the name of a document.
var documentCompletion = cobra.FixedCompletions([]string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt)

// takeDocument takes the argument of a command that reads one document: it is
// named as --spec names it.
func (f *inputFlags) takeDocument(command string, args []string) error {
	switch {
	case len(args) > 1:
		return fmt.Errorf("%s reads one document", command)
	case len(args) == 1 && (f.spec != "" || len(f.configs) > 0):
		return errors.New("the document is named twice; leave out --spec and --config, or the argument")
	case len(f.configs) > 1:
		return fmt.Errorf("%s reads one document; name one configuration", command)
	case len(args) == 1 && args[0] == "":
		return errors.New("the name of the document is empty")
	case len(args) == 1:
		f.spec = args[0]
	}
	return nil
}

// anyPackage is the name of a package that nobody writes: reports of a document
// alone do not depend on the folder that they are asked for in.
const anyPackage = "api"

// load reads the configurations, or makes one of the document, for a package pkg
// in the folder output.
func (f inputFlags) load(pkg, output string) ([]*config.Config, error) {
	configs, err := f.read(pkg, output)
	if err == nil {
		saveMemory(configs)
	}
	return configs, err
}

func (f inputFlags) read(pkg, output string) ([]*config.Config, error) {
	if f.spec != "" && len(f.configs) > 0 {
		return nil, errors.New("--spec and --config exclude each other")
	}
	if f.spec != "" {
		c, err := config.New(f.spec, pkg, output)
		return []*config.Config{c}, err
	}
	files := f.configs
	if len(files) == 0 {
		files = []string{config.FileName}
		if _, err := os.Stat(config.FileName); errors.Is(err, os.ErrNotExist) {
			return nil, errors.New("no " + config.FileName + " in this folder; retrygen init makes one, or name a document with --spec")
		}
	}
	return loadAll(files)
}

// checkFlags refuses what is wrong with the flags of any command.
func checkFlags(flags *pflag.FlagSet) error {
	quiet, _ := flags.GetBool("quiet")
	verbose, _ := flags.GetBool("verbose")
	if quiet && verbose {
		return errors.New("--quiet and --verbose exclude each other")
	}
	return noEmptyFlags(flags)
}

// noEmptyFlags refuses --spec "$UNSET", which would mean another document.
func noEmptyFlags(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(flag *pflag.Flag) {
		values := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		if len(values) == 0 || slices.Contains(values, "") {
			err = fmt.Errorf("--%s is empty; give it a value, or leave it out", flag.Name)
		}
	})
	return err
}

// noArguments says what to write instead.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q; a document is named with --spec, a configuration with --config", args[0])
	}
	return nil
}
