package page

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/loopback"
)

// Listen serves the page at a loopback address, see [loopback.Listen], until Close, and returns its URL, which contains the
// token.
func (p *Page) Listen(addr string) (url string, err error) {
	l, err := loopback.Listen(p.ctx, addr)
	if err != nil {
		return "", err
	}
	server := &http.Server{
		Handler:           p,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // browsers close connections
		BaseContext:       func(net.Listener) context.Context { return p.ctx },
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return "", errors.Join(errClosed, l.Close())
	}
	p.servers = append(p.servers, server)
	p.work.Go(func() { _ = server.Serve(l) }) // ends with Close
	return "http://" + l.Addr().String() + "/" + p.token + "/", nil
}
