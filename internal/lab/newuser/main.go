// Command newuser is a helpdesk for two organizations, written by the guides alone: docs/tenants.md, resources.md,
// asking.md, tasks-durable.md, http.md, authentication.md and operations.md. Its test is a user of it, with the client of
// the official Go SDK, and with requests as docs/tasks.md shows them:
//
//	go test -count=1 -v ./internal/lab/newuser
//
// The server prints its address, and writes its log to standard error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/integrations/jwtauth"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// config contains the flags.
type config struct {
	addr   string        // to listen on
	issuer string        // of access tokens
	dir    string        // of the keys, the tasks and the audit log
	answer time.Duration // for which questions to users are open
	grace  time.Duration // of a shutdown
	report time.Duration // that a report takes
	export time.Duration // that an export takes
}

func main() {
	var c config
	flag.StringVar(&c.addr, "addr", "127.0.0.1:8080", "where to listen")
	flag.StringVar(&c.issuer, "issuer", "https://auth.example.com", "the authorization server")
	flag.StringVar(&c.dir, "dir", ".", "the directory of the keys, the tasks and the audit log")
	flag.DurationVar(&c.answer, "answer", 15*time.Minute, "how long questions to users are open")
	flag.DurationVar(&c.grace, "grace", 5*time.Second, "how long running calls may take after a signal to stop")
	flag.DurationVar(&c.report, "report", time.Second, "how long a report takes")
	flag.DurationVar(&c.export, "export", time.Minute, "how long an export takes")
	flag.Parse()
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})) // with why tokens are refused
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, c, log); err != nil {
		log.Error("the helpdesk has ended", slog.Any("error", err))
		os.Exit(1) //nolint:gocritic // stop has nothing left to do
	}
}

// serve serves until ctx ends.
func serve(ctx context.Context, c config, log *slog.Logger) (err error) {
	keys, err := runtime.StateKeysFromFile(filepath.Join(c.dir, "state.keys"))
	if err != nil {
		return err
	}
	store, err := boltstore.Open(filepath.Join(c.dir, "tasks.db"), boltstore.Limits{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	records, err := os.OpenFile(filepath.Join(c.dir, "audit.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, records.Close()) }()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.addr)
	if err != nil {
		return err
	}
	verifier, err := jwtauth.New(jwtauth.Options{Issuer: c.issuer, TenantClaim: "org_id", Logger: log})
	if err != nil {
		return err
	}
	defer verifier.Close() //nolint:contextcheck // it ends its requests for keys
	guard, err := streamhttp.Protect(verifier.Verify, streamhttp.ProtectedResource{
		Resource:             "http://" + listener.Addr().String() + "/mcp", // behind a proxy, the URL that clients use
		AuthorizationServers: []string{c.issuer},
	})
	if err != nil {
		return err
	}
	all := newAccounts()
	registry, err := newDesk(c.report, c.export)
	if err != nil {
		return err
	}
	srv := &runtime.Server{
		Name: "helpdesk", Version: "1.0.0", Tools: registry, CallContext: all.open,
		StateKeys: keys, Tasks: tasks.New(store), Logger: log, Observer: audit.New(slog.New(slog.NewJSONHandler(records, nil))), MaskErrors: true,
		Limits: runtime.Limits{ClientRequestTimeout: c.answer},
	}
	fmt.Println(listener.Addr())
	return streamhttp.Serve(ctx, listener, srv, guard, streamhttp.Grace(c.grace))
}
