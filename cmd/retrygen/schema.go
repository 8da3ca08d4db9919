package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/retrygen/retrygen/internal/config"
	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/spec/annotation"
	"github.com/retrygen/retrygen/internal/spec/jsonschema"
)

// schemas are what there is a schema of.
var schemas = map[string]func() *jsonschema.Schema{
	"annotations": annotation.Schema,
	"config":      config.Schema,
}

func newSchema() *cobra.Command {
	names := slices.Sorted(maps.Keys(schemas))
	return &cobra.Command{
		Use:   "schema [config|annotations]",
		Short: "Print a JSON Schema for editors",
		Long: `Schema prints what a configuration may hold, or what a document and an overlay may
hold of annotations, as JSON Schema (draft-07). Editors complete keys with it, explain
them and underline what is wrong. A schema sees less than generate and lint do.`,
		Example: `  # of a configuration, which then begins with
  # yaml-language-server: $schema=retrygen.schema.json
  retrygen schema > retrygen.schema.json

  # of documents and overlays
  retrygen schema annotations > annotations.schema.json`,
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && schemas[args[0]] == nil {
				return fmt.Errorf("schema takes the name of one schema; expected one of %v", names)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "config"
			if len(args) == 1 {
				name = args[0]
			}
			out, err := report.JSON(schemas[name]())
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(out)
			return err
		},
	}
}
