package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// servers are those of one process, which end together.
type servers struct {
	log     *slog.Logger
	running []*http.Server
	failed  chan error // has room for one of each
}

// listen serves at an address, and tells which one that is.
func (s *servers) listen(address string, h http.Handler) (net.Addr, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	server := &http.Server{
		Addr:              listener.Addr().String(),
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      time.Minute, // a notice may take 30 s
		IdleTimeout:       time.Minute,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	s.running = append(s.running, server)
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
	return listener.Addr(), nil
}

// shutdown lets requests under way end, until ctx does.
func (s *servers) shutdown(ctx context.Context) (err error) {
	for _, server := range s.running {
		if cut := server.Shutdown(ctx); cut != nil {
			err = errors.Join(err, fmt.Errorf("requests at %s had not ended, and are cut off: %w", server.Addr, cut))
		}
	}
	return err
}
