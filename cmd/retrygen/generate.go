package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/retrygen/retrygen/internal/config"
)

// generateFlags are what the user asked for.
type generateFlags struct {
	inputFlags
	pkg, output    string
	typesOnly      bool
	check, dryRun  bool
	partial        bool
	quiet, verbose bool
}

func newGenerate() *cobra.Command {
	var flags generateFlags
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Generate a client from an OpenAPI document",
		Long: `Generate reads retrygen.yaml in the working folder, or each file that --config
names, and writes one package for each. Files are written whole or not at all.
Files of earlier runs that nothing generates any more are deleted; files that
retrygen did not write are never touched.

` + configHelp + `
Exit codes: 0 done, 1 files are stale (--check), 2 bad input.`,
		Example: `  # beside retrygen.yaml, in a Go file:
  //go:generate go tool retrygen generate

  # in CI: fail if what is committed is not what the document gives
  retrygen generate --check

  # several packages: all are written, or none
  retrygen generate --config billing/retrygen.yaml --config sms/retrygen.yaml

  # without a configuration
  retrygen generate --spec openapi.yaml --package pets --output pets`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags.quiet, _ = cmd.Flags().GetBool("quiet")
			flags.verbose, _ = cmd.Flags().GetBool("verbose")
			configs, err := flags.load()
			if err != nil {
				return err
			}
			return generate(configs, flags, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	flags.register(cmd)
	f.StringVar(&flags.pkg, "package", "", "`NAME` of the Go package, with --spec")
	f.StringVar(&flags.output, "output", "", "`FOLDER` of the package, with --spec (default the working folder)")
	f.BoolVar(&flags.typesOnly, "types-only", false, "generate models alone, no client")
	f.BoolVar(&flags.check, "check", false, "write nothing; exit 1 and name the files that are not up to date")
	f.BoolVar(&flags.partial, "partial", false, "leave out the operations that cannot be generated, and name them")
	f.BoolVar(&flags.dryRun, "dry-run", false, "write nothing; name the files that would change")
	_ = cmd.MarkFlagDirname("output")
	return cmd
}

// configHelp is a whole configuration: it shows every key there is.
const configHelp = `A configuration, of which spec alone must be there; paths are relative to it:

  spec: openapi.yaml        # OpenAPI 3.0 to 3.2, or Swagger 2.0, as YAML or JSON
  overlays: [retries.yaml]  # OpenAPI overlays, applied in this order
  roots: [../schemas]       # folders that $ref may reach beside the document's
  package: pets             # else that of the Go files in output, or its name
  output: pets              # else the folder of the configuration
  include:                  # operations; all without it
    tags: [pets]
    paths: [/pets/*, /owners/**]
    operations: [createPet, GET /kinds]
  exclude:                  # as include; it wins over it
    tags: [admin]
  names:                    # Go names of schemas, operations and properties
    Pet: Animal
    Pet.owner: Keeper
  types:                    # Go types of schemas
    Money: github.com/shopspring/decimal.Decimal
  formats:                  # Go types of formats
    uuid: github.com/google/uuid.UUID
  content-types: distinct   # with a method each; or all, or preferred ones alone
  on-ambiguous: required    # an argument that says what becomes of such a call
  interface: API            # an interface with the client's methods
  file-per-tag: true        # operations of each tag in a file of their own
  all-schemas: true         # those that no operation uses, too
  contract-document: true   # CONTRACT.md: a line per operation, for reviews
  fake: true                # a package petstest that fakes the API for tests
  types-only: false         # true: models alone, no client
`

// load reads all configurations, or makes one of the flags.
func (f generateFlags) load() ([]*config.Config, error) {
	if err := f.validate(); err != nil {
		return nil, err
	}
	return f.inputFlags.load(f.pkg, f.output)
}

func (f generateFlags) validate() error {
	switch {
	case f.spec == "" && (f.pkg != "" || f.output != ""):
		return errors.New("--package and --output go with --spec; with a configuration set them there")
	case f.check && f.dryRun:
		return errors.New("--check and --dry-run exclude each other")
	}
	return nil
}
