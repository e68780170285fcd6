// Command http keeps notes for several people, over HTTP at /mcp. Callers with an access token may read notes, write
// them, or both. It is like a production server, except that a proxy would add TLS, and that its tokens come from the
// environment instead of an authorization server, one "token principal scope…" per line.
//
//	TOKENS='s3cret ada notes:read notes:write' go run ./examples/http -addr 127.0.0.1:8080
//
// GET /healthz reports whether it serves. After an interrupt it exits when running calls have ended.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// grace is how long running calls and tasks may take after a signal to stop.
const grace = 10 * time.Second

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "where to listen")
	resource := flag.String("resource", "", "the https URI that clients know /mcp by; only on loopback there is a default")
	issuer := flag.String("issuer", "http://127.0.0.1:9000", "the authorization server that clients are sent to for a token")
	flag.Parse()
	mcptool.Register(WhoAmI)
	mcptool.RegisterService(newNotebook())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, *resource, *issuer); err != nil {
		log.Fatal(err)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, addr, resource, issuer string) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // the server has closed it, unless it never served
	if resource == "" {
		resource = "http://" + l.Addr().String() + "/mcp"
	}
	known, err := readTokens(os.Getenv("TOKENS"), resource)
	if err != nil {
		return err
	}
	guard, err := streamhttp.Protect(known.verify, streamhttp.ProtectedResource{
		Resource:             resource,
		AuthorizationServers: []string{issuer},
		Scopes:               []string{"notes:read", "notes:write"}, // otherwise clients would not learn of add_note
		Name:                 "Notes",
	})
	if err != nil {
		return err
	}
	slog.Info("serving", slog.String("resource", resource), slog.Int("tokens", len(known)))
	return serve(ctx, l, guard)
}

// serve serves on l until ctx ends, and then until running calls and tasks have ended, but no longer than grace.
func serve(ctx context.Context, l net.Listener, guard *streamhttp.Protection) error {
	srv := &runtime.Server{Name: "notes", Version: "1.0.0"}
	handler := streamhttp.NewHandler(srv, guard)
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	mux.Handle(streamhttp.MetadataPath, guard.Metadata())
	mux.Handle(streamhttp.MetadataPath+"/", guard.Metadata())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	server := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	return errors.Join(handler.Shutdown(ending), server.Shutdown(ending), srv.Shutdown(ending))
}
