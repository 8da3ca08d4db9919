package analyze

import (
	"go/types"
	"slices"
	"strings"
)

// retriers are the packages that call a function again when it fails.
var retriers = []string{
	"github.com/avast/retry-go",
	"github.com/bootjp/go-retry",
	"github.com/cenkalti/backoff",
	"github.com/codeGROOVE-dev/retry",
	"github.com/eapache/go-resiliency/retrier",
	"github.com/failsafe-go/failsafe-go",
	"github.com/flowchartsman/retry",
	"github.com/giantswarm/backoff",
	"github.com/gojek/heimdall",
	"github.com/go-resty/resty",
	"github.com/hashicorp/go-retryablehttp",
	"github.com/jpillora/backoff",
	"github.com/kamilsk/retry",
	"github.com/lestrrat-go/backoff",
	"github.com/matryer/try",
	"github.com/PuerkitoBio/rehttp",
	"github.com/projectdiscovery/retryablehttp-go",
	"github.com/rafaeljesus/retry-go",
	"github.com/Rican7/retry",
	"github.com/sethgrid/pester",
	"github.com/sethvargo/go-retry",
	"github.com/slok/goresilience/retry",
	"github.com/thedevsaddam/retry",
	"k8s.io/client-go/util/retry",
}

// pollers are packages whose functions call a condition until it says true; an
// error ends them.
var pollers = []string{"k8s.io/apimachinery/pkg/util/wait"}

// loggers are packages that write an error down where no code reads it.
var loggers = []string{
	"github.com/apex/log",
	"github.com/charmbracelet/log",
	"github.com/getsentry/sentry-go",
	"github.com/go-kit/kit/log",
	"github.com/go-kit/log",
	"github.com/go-logr/logr",
	"github.com/golang/glog",
	"github.com/hashicorp/go-hclog",
	"github.com/inconshreveable/log15",
	"github.com/labstack/gommon/log",
	"github.com/phuslu/log",
	"github.com/rs/zerolog",
	"github.com/sirupsen/logrus",
	"go.opentelemetry.io/otel/trace",
	"go.uber.org/zap",
	"k8s.io/klog",
	"log",
	"log/slog",
	"sigs.k8s.io/controller-runtime/pkg/log",
}

// wrappers are packages whose functions return an error that unwraps to the one
// they are given.
var wrappers = []string{
	"emperror.dev/errors",
	"github.com/cockroachdb/errors",
	"github.com/go-errors/errors",
	"github.com/hashicorp/go-multierror",
	"github.com/juju/errors",
	"github.com/pkg/errors",
	"go.uber.org/multierr",
	"golang.org/x/xerrors",
}

// sources are functions that yield another value each time.
var sources = map[string][]string{
	"crypto/rand":                    {"Text", "Int", "Read"},
	"github.com/gofrs/uuid":          {"NewV1", "NewV4", "NewV6", "NewV7", "Must"},
	"github.com/google/uuid":         {"New", "NewString", "NewRandom", "NewUUID", "NewV6", "NewV7"},
	"github.com/hashicorp/go-uuid":   {"GenerateUUID"},
	"github.com/jaevor/go-nanoid":    {"Standard"},
	"github.com/lithammer/shortuuid": {"New"},
	"github.com/matoous/go-nanoid":   {"New", "Must", "Generate"},
	"github.com/nrednav/cuid2":       {"Generate"},
	"github.com/oklog/ulid":          {"New", "MustNew", "Make"},
	"github.com/rs/xid":              {"New"},
	"github.com/satori/go.uuid":      {"NewV1", "NewV4"},
	"github.com/segmentio/ksuid":     {"New", "NewRandom"},
	"github.com/teris-io/shortid":    {"Generate", "MustGenerate"},
	"math/rand":                      {"Int", "Int63", "Uint64", "Uint32", "Intn", "Int31"},
	"math/rand/v2":                   {"Int", "Int64", "Uint64", "Uint32", "IntN"},
	"time":                           {"Now"},
}

// within reports whether a package is one of those listed, a later major version
// of it, or lies below it.
func within(path string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return path == root || strings.HasPrefix(path, root+"/") || strings.HasPrefix(path, root+".v")
	})
}

// isSource reports whether f draws at random or reads the clock.
func isSource(f *types.Func) bool {
	path, name := place(f)
	for root, names := range sources {
		if (path == root || strings.HasPrefix(path, root+"/v") && root != "math/rand") && slices.Contains(names, name) {
			return true
		}
	}
	return false
}

// levels begin the names of functions that log; ends are those that do not
// return.
var (
	levels = []string{"Print", "Log", "Trace", "Debug", "Info", "Notice", "Warn", "Error", "Crit"}
	ends   = []string{"Fatal", "Panic", "Exit"}
)

func beginsWith(name string, beginnings []string) bool {
	return slices.ContainsFunc(beginnings, func(beginning string) bool {
		return strings.HasPrefix(name, beginning)
	})
}

// logs reports whether f writes its arguments to a log: a function of a package
// of loggers, or a variadic one of anything that is named like one.
func logs(f *types.Func) bool {
	path, name := place(f)
	if within(path, loggers) {
		return true
	}
	signature := f.Signature()
	if !signature.Variadic() || signature.Results().Len() > 0 || path == "testing" {
		return false
	}
	last := signature.Params().At(signature.Params().Len() - 1).Type().(*types.Slice)
	anything, ok := last.Elem().Underlying().(*types.Interface)
	return ok && anything.Empty() && beginsWith(name, levels)
}
