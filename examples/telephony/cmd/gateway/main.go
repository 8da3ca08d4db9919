// Command gateway runs the gateway:
//
//	export GATEWAY_PROVIDER_TOKEN=any GATEWAY_QUEUE_KEY=$(openssl rand -base64 32)
//	go run ./cmd/gateway --provider http://127.0.0.1:8090
//
// Its flags are listed by --help; KAFKA_BROKERS and its kin are those of package
// journal.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/retrygen/retrygen/examples/telephony/gateway"
	"github.com/retrygen/retrygen/examples/telephony/journal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // so that a second signal ends the process at once
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "gateway:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, getenv func(string) string, out io.Writer) error {
	config, err := gateway.ParseConfig(args, getenv, out)
	if err != nil {
		return err
	}
	if config.Kafka, err = journal.KafkaFromEnv(getenv); err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(out, nil))
	g, err := gateway.New(config, log)
	if err != nil {
		return err
	}
	return g.Run(ctx, func(api, operators net.Addr) {
		log.Info("the gateway serves", "api", address(api), "operators", address(operators), "provider", config.ProviderURL)
	})
}

func address(a net.Addr) string {
	if a == nil {
		return "none"
	}
	return "http://" + a.String()
}
