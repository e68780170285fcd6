package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/integrations/jetstream/embedded"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/bus"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// instance is one instance of the server. Secret, lease and tools are the same in all instances.
type instance struct {
	addr, host string
	dir        string        // for the tasks; exclusive to this instance
	node       embedded.Node // without its secret
	secret     string
	lease      time.Duration // after this time without an instance, another one takes over its tasks
	grace      time.Duration // time for calls and tasks to end during shutdown
	tools      *mcptool.Registry
	log        *slog.Logger
}

// leaving is how long an instance continues to serve after its end, so that the balancer uses the others.
const leaving = time.Second

// join joins the cluster. It waits for the other instances and cannot be interrupted; a signal ends the process.
func (i *instance) join() (*jetstream.Conn, error) {
	if len(i.secret) < 32 {
		return nil, errors.New("set FLEET_SECRET to a secret of at least 32 characters that all instances have, such as the output of: openssl rand -hex 32")
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

// serve serves until ctx ends, and running calls and tasks have ended or are released to other instances. The node of the
// cluster stops last, since the other steps need it.
func (i *instance) serve(ctx context.Context, l net.Listener, js *jetstream.Conn) error {
	srv := &runtime.Server{
		Name: "fleet", Version: "1.0.0", Tools: i.tools, Logger: i.log,
		Tasks: tasks.New(js.Tasks()), Bus: bus.New(js.Bus()),
		// For tools that ask in calls without tasks: another instance may receive the answer.
		StateKeys: [][32]byte{sha256.Sum256([]byte("state of calls " + i.secret))},
	}
	err := streamhttp.Serve(ctx, l, srv,
		streamhttp.Sessions(0), // a session would tie its client to one instance
		streamhttp.AllowHosts(i.host),
		streamhttp.ShutdownDelay(leaving), streamhttp.Grace(i.grace))
	return errors.Join(err, js.Close())
}
