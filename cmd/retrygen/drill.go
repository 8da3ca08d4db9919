package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrygen/retrygen/internal/output"
	"github.com/retrygen/retrygen/internal/report"
	"github.com/retrygen/retrygen/internal/report/drill"
	"github.com/retrygen/retrygen/internal/simulate"
	"github.com/retrygen/retrygen/internal/spec"
	"github.com/retrygen/retrygen/internal/spec/source"
)

// drillFlags are what the user asked for.
type drillFlags struct {
	inputFlags
	formatFlag
	partial   bool
	output    string
	operation string
	rate      float64
	processes int
	length    time.Duration
	arrivals  string
	latency   latencyFlag
	capacity  capacityFlag
	faults    faultsFlag
	policies  []string
	seed      uint64

	quiet bool
}

func newDrill() *cobra.Command {
	flags := drillFlags{latency: latencyFlag{20 * time.Millisecond, 30 * time.Millisecond}}
	cmd := &cobra.Command{
		Use:   "drill [document]",
		Short: "Rehearse an outage of the upstream, by the contract of an operation",
		Long: `Drill sends the calls of an operation to an upstream in trouble, in virtual time: a
minute takes a moment, and nothing leaves the machine. The engine that the client
links decides each further attempt, under the retry budget of the document. It
tells how much more the upstream gets, how soon all is well after the fault, and what
becomes of the calls.

A fault is STATUS:SHARE%:DURATION@START, or timeout or refused in place of a status:
requests that get no answer, connections that are refused. Without a start it begins
after 10s, without a duration it is there all the time.

Without a document it reads that of the configuration.

Exit codes: 0 done, 2 bad input.`,
		Example: `  # 60% of the requests get a 429 for 45 s, at 1,200 calls a second
  retrygen drill openapi.yaml --operation createPayment --rps 1200 --fault 429:60%:45s

  # the same of 100 processes, beside what would happen without a budget
  retrygen drill --operation createPayment --rps 1200 --processes 100 --fault 429:60%:45s \
    --policy contract,no-budget

  # an upstream that hangs, and has little to spare, as a page
  retrygen drill --operation createPayment --rps 1200 --fault timeout:100%:20s@5s \
    --capacity 1500:queue --format html -o drill.html`,
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.quiet, _ = cmd.Flags().GetBool("quiet")
			if err := flags.validate(args); err != nil {
				return err
			}
			return flags.run(cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
		ValidArgsFunction: documentCompletion,
	}
	flags.register(cmd)
	return cmd
}

func (f *drillFlags) register(cmd *cobra.Command) {
	f.inputFlags.register(cmd)
	f.formatFlag.register(cmd, "text", "json", "html")
	flags := cmd.Flags()
	flags.StringVar(&f.operation, "operation", "", "the `OPERATION`: its id, the name of its method in Go, or \"GET /pets/{id}\"; not needed where there is one")
	flags.Float64Var(&f.rate, "rps", 100, "calls per second, of all processes")
	flags.IntVar(&f.processes, "processes", 1, "how many processes make them, each with a budget of its own")
	flags.DurationVar(&f.length, "length", 0, "how long calls begin, in whole seconds (default 20s more than the last fault)")
	flags.StringVar(&f.arrivals, "arrivals", string(simulate.Poisson), "when calls begin: "+strings.Join(texts(simulate.AllArrivals()), ", "))
	flags.Var(&f.latency, "latency", "how long an answer takes, `LEAST-MOST`")
	flags.Var(&f.capacity, "capacity", "requests per second that the upstream works on, and what it does to more, `RATE:429`, RATE:503 or RATE:queue")
	flags.Var(&f.faults, "fault", "`FAULT`, as in 429:60%:45s or timeout:30%:20s@5s; may be repeated")
	flags.StringSliceVar(&f.policies, "policy", []string{string(simulate.Contract)}, "who decides: "+strings.Join(texts(simulate.Policies()), ", ")+"; may be repeated")
	flags.Uint64Var(&f.seed, "seed", 1, "another one draws other numbers")
	flags.BoolVar(&f.partial, "partial", false, "leave out the operations that cannot be generated")
	flags.StringVarP(&f.output, "output", "o", "", "`FILE` to make (default standard output)")
	_ = cmd.RegisterFlagCompletionFunc("arrivals", cobra.FixedCompletions(texts(simulate.AllArrivals()), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions(texts(simulate.Policies()), cobra.ShellCompDirectiveNoFileComp))
}

func texts[T ~string](list []T) (texts []string) {
	for _, one := range list {
		texts = append(texts, string(one))
	}
	return texts
}

func (f *drillFlags) validate(args []string) error {
	if err := f.formatFlag.validate(); err != nil {
		return err
	}
	if err := f.validatePolicies(); err != nil {
		return err
	}
	if err := oneOf("arrivals", f.arrivals, texts(simulate.AllArrivals())); err != nil {
		return err
	}
	if len(f.faults) == 0 && f.capacity.Rate == 0 {
		return errors.New("nothing goes wrong; add a --fault, as in --fault 429:60%:45s, or a --capacity")
	}
	return f.takeDocument("drill", args)
}

func (f *drillFlags) validatePolicies() error {
	for i, policy := range f.policies {
		if err := oneOf("policy", policy, texts(simulate.Policies())); err != nil {
			return err
		}
		if slices.Contains(f.policies[:i], policy) {
			return fmt.Errorf("--policy %s is named twice; each is rehearsed once", policy)
		}
	}
	return nil
}

func (f *drillFlags) run(stdout, stderr io.Writer) error {
	configs, err := f.load(anyPackage, "")
	if err != nil {
		return err
	}
	api, err := load(configs[0], f.partial)
	if err != nil {
		return err
	}
	op, err := chooseOperation(api, f.operation)
	if err != nil {
		return err
	}
	line := progressOn(stderr, f.quiet)
	line.step("rehearsing " + op.Name.Wire)
	r, err := drill.New(api, op, f.plan(), f.chosenPolicies())
	line.stop()
	if err != nil {
		return separate(err)
	}
	out, err := f.render(r, stdout)
	if err != nil {
		return err
	}
	if f.output != "" {
		return output.WriteNew(filepath.Dir(f.output), map[string][]byte{filepath.Base(f.output): out})
	}
	_, err = stdout.Write(out)
	return err
}

// separate are errors that were joined, as messages of their own.
func separate(err error) error {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return err
	}
	var messages source.Diagnostics
	for _, one := range joined.Unwrap() {
		messages = append(messages, source.Diagnostic{Message: one.Error()})
	}
	return messages
}

// plan is what the flags describe.
func (f *drillFlags) plan() simulate.Plan {
	length := f.length
	if length == 0 {
		length = (f.faults.end() + 21*time.Second - 1).Truncate(time.Second)
	}
	return simulate.Plan{
		Processes:  f.processes,
		Rate:       f.rate,
		Length:     length,
		Arrivals:   simulate.Arrivals(f.arrivals),
		LatencyMin: f.latency.least,
		LatencyMax: f.latency.most,
		Capacity:   simulate.Capacity(f.capacity),
		Faults:     f.faults.within(length),
		Seed:       f.seed,
	}
}

func (f *drillFlags) chosenPolicies() (policies []simulate.Policy) {
	for _, policy := range f.policies {
		policies = append(policies, simulate.Policy(policy))
	}
	return policies
}

func (f *drillFlags) render(r *drill.Report, stdout io.Writer) ([]byte, error) {
	switch f.format {
	case "json":
		return report.JSON(r)
	case "html":
		return r.HTML()
	}
	return r.Text(f.output == "" && coloured(stdout)), nil
}

// chooseOperation is the named operation; without a name the only one.
func chooseOperation(api *spec.API, name string) (*spec.Operation, error) {
	if name != "" {
		chosen, err := chooseOperations([]*spec.API{api}, []string{name})
		if err != nil {
			return nil, err
		}
		return chosen[0][0], nil
	}
	switch len(api.Operations) {
	case 0:
		return nil, errors.New("the document has no operation to rehearse")
	case 1:
		return api.Operations[0], nil
	}
	var names []string
	for _, op := range api.Operations {
		names = append(names, op.Name.Wire)
	}
	if more := len(names) - enough; more > 0 {
		names = append(names[:enough], fmt.Sprintf("%d more", more))
	}
	return nil, source.Diagnostics{{
		Message: fmt.Sprintf("the document has %d operations; one is rehearsed", len(api.Operations)),
		Fix:     "name it with --operation: " + report.List(names),
	}}
}
