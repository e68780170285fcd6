// Command server is an instance of a server with sessions, for clients of revisions up to 2025-11-25. The instances
// with the same secret resume the sessions of each other.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
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

const (
	// finishing is how long running calls may take after a signal to stop. New requests get status 503.
	finishing = 5 * time.Second
	// leaving is how long an instance then answers with status 503 before it stops listening.
	leaving = 500 * time.Millisecond
)

// DigestIn holds the arguments of digest.
type DigestIn struct {
	_    struct{} `mcp:"readOnly,idempotent,openWorld=false" doc:"SHA-256 of a text"`
	Text string   `json:"text" doc:"Any text"`
}

// DigestOut holds the result of digest.
type DigestOut struct {
	SHA256 string `json:"sha256" doc:"In hexadecimal"`
}

// Digest takes a moment, so that calls are running when an instance stops.
func Digest(_ context.Context, in DigestIn) (DigestOut, error) {
	time.Sleep(5 * time.Millisecond)
	sum := sha256.Sum256([]byte(in.Text))
	return DigestOut{hex.EncodeToString(sum[:])}, nil
}

// SureIn has no arguments.
type SureIn struct {
	_ struct{} `mcp:"readOnly,idempotent,openWorld=false" doc:"Ask the user whether they are sure"`
}

// Sure needs the capabilities that the client has declared at the beginning of the session.
func Sure(ctx context.Context, _ SureIn) (string, error) {
	if err := mcptool.Confirm(ctx, "Are you sure?"); err != nil {
		return "", err
	}
	return mcptool.Caller(ctx).Client.Name + " is sure", nil
}

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "the address to listen on, which is printed")
	secret := flag.String("secret", "", "the secret of all instances; without it, each process has its own keys")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	mcptool.Register(Digest)
	mcptool.Register(Sure)
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", *addr)
	if err != nil {
		exit(err)
	}
	fmt.Println(l.Addr())
	if err := serve(ctx, l, *secret); err != nil {
		exit(err)
	}
}

func exit(err error) {
	slog.Error("server ends", "error", err)
	os.Exit(1)
}

// serve serves until ctx ends.
func serve(ctx context.Context, l net.Listener, secret string) error {
	srv := &runtime.Server{Name: "deploy", Version: "1.0.0"}
	if secret != "" {
		srv.StateKeys = [][32]byte{sha256.Sum256([]byte(secret))}
	}
	handler, err := streamhttp.NewHandler(srv)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishing)
	defer cancel()
	err = handler.Shutdown(ending)
	time.Sleep(leaving)
	return errors.Join(err, server.Shutdown(ending), srv.Shutdown(ending))
}
