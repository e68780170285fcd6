package page

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Listen serves the page at an address of the form HOST:PORT until Close, and returns its URL, which contains the token.
// HOST is a loopback address or localhost; port 0 means a free one.
func (p *Page) Listen(addr string) (url string, err error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("%q is not an address, such as 127.0.0.1:8080: %w", addr, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && !ip.IsLoopback() {
		return "", fmt.Errorf("%q is not a loopback address, such as 127.0.0.1:8080; whoever reaches the page can call all tools", addr)
	}
	l, err := new(net.ListenConfig).Listen(p.ctx, "tcp", addr)
	if err != nil {
		return "", err
	}
	if at, ok := l.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
		return "", errors.Join(fmt.Errorf("%s is %v here, which is not a loopback address; use 127.0.0.1", host, l.Addr()), l.Close())
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
