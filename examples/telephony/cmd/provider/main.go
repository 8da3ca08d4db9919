// Command provider runs the simulated telephony provider:
//
//	go run ./cmd/provider --fault 429:60%
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/retrygen/retrygen/examples/telephony/provider"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "provider:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("provider", flag.ContinueOnError)
	listen := flags.String("listen", "127.0.0.1:8090", "`address` of the server")
	latency := flags.Duration("latency", 25*time.Millisecond, "time that an answer takes")
	fault := flags.String("fault", "", "`status:share` of requests that meet it, such as 429:60%")
	ban := flags.Int("ban-above", 1800, "requests within a second that are a stampede; 0 bans nobody")
	if err := flags.Parse(args); err != nil {
		return err
	}
	meet, err := parseFault(*fault)
	if err != nil {
		return err
	}
	server := &http.Server{
		Addr:              *listen,
		Handler:           provider.New(provider.Options{Latency: func() time.Duration { return *latency }, Fault: meet, BanAbove: *ban}),
		ReadHeaderTimeout: 5 * time.Second,
		Protocols:         new(http.Protocols),
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	context.AfterFunc(ctx, func() { server.Close() })
	fmt.Printf("provider: http://%s\n", *listen)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// parseFault reads status:share%; the empty text is no fault.
func parseFault(text string) (func(provider.Arrival) provider.Fault, error) {
	if text == "" {
		return nil, nil
	}
	code, share, _ := strings.Cut(strings.TrimSuffix(text, "%"), ":")
	status, badStatus := strconv.Atoi(code)
	percent, badShare := strconv.ParseFloat(share, 64)
	if badStatus != nil || badShare != nil || status < 400 || status > 599 || !(percent >= 0 && percent <= 100) {
		return nil, fmt.Errorf("--fault %q: want a status and a share, such as 429:60%%", text)
	}
	return func(provider.Arrival) (f provider.Fault) {
		if rand.Float64()*100 < percent {
			f = provider.Status(status)
		}
		return f
	}, nil
}
