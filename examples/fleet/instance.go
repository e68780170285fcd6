package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/integrations/jetstream/embedded"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// instance is one instance of the server. Secret, lease and tools are the same in all instances.
type instance struct {
	addr, host string
	dir        string        // for the tasks; exclusive to this instance
	node       embedded.Node // without its secret
	secret     string
	lease      time.Duration // after this time without an instance, another one takes over its tasks
	grace      time.Duration // time for calls, and then for tasks, to end during shutdown
	tools      *mcptool.Registry
	log        *slog.Logger
}

// leaving is how long an instance without calls answers with status 503 before it stops listening, so that the balancer
// uses the others.
const leaving = time.Second

// join joins the cluster. It waits for the other instances and cannot be interrupted; a signal ends the process.
func (i *instance) join() (*jetstream.Conn, error) {
	if i.secret == "" {
		return nil, errors.New("set FLEET_SECRET to a secret that all instances have, for example of openssl rand -hex 32")
	}
	i.node.Secret = i.secret
	return embedded.Open(i.dir, i.node, jetstream.Options{Lease: i.lease, Logger: i.log})
}

// run prints the listen address, and serves until ctx ends.
func (i *instance) run(ctx context.Context, js *jetstream.Conn, ready io.Writer) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", i.addr)
	if err != nil {
		return errors.Join(err, js.Close())
	}
	if _, err := fmt.Fprintln(ready, l.Addr()); err != nil {
		return errors.Join(err, l.Close(), js.Close())
	}
	return i.serve(ctx, l, js)
}

// serve serves until ctx ends. Then it answers new requests with status 503 and finishes running calls; then tasks end
// or are released to other instances. The node of the cluster stops last, since the other steps need it.
func (i *instance) serve(ctx context.Context, l net.Listener, js *jetstream.Conn) error {
	srv := &runtime.Server{
		Name: "fleet", Version: "1.0.0", Tools: i.tools, Logger: i.log,
		Tasks: js.Tasks(), Bus: js.Bus(),
		// For tools that ask in calls without tasks: another instance may receive the answer.
		StateKeys: [][32]byte{sha256.Sum256([]byte("state of calls " + i.secret))},
	}
	handler := streamhttp.NewHandler(srv,
		streamhttp.Sessions(0), // a session would tie its client to one instance
		streamhttp.AllowHosts(i.host))
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(l) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	calls, cancelCalls := context.WithTimeout(context.WithoutCancel(ctx), i.grace)
	defer cancelCalls()
	err = errors.Join(err, handler.Shutdown(calls))
	time.Sleep(leaving)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), i.grace)
	defer cancel()
	return errors.Join(err, web.Shutdown(ending), srv.Shutdown(ending), js.Close())
}
