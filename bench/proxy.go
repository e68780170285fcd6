package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/loopback"
	"github.com/mcptool-go/mcptool/bench/internal/proxy"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// through passes the messages of clients to a server and back: between stdin and stdout for a command, or at an address for
// a URL. The error has the exit code of the command.
func through(ctx context.Context, con *console, to client.Target, addr string, filter proxy.Filter) error {
	if to.URL == "" {
		err := proxy.Stdio(ctx, to, con.in, con.raw, con.err, filter)
		switch exit, ok := errors.AsType[*exec.ExitError](err); {
		case ok && exit.ExitCode() > 0:
			return &exitError{code: exit.ExitCode()}
		case ok:
			return &client.UnreachableError{What: fmt.Sprintf("%s: %v", to, err), Err: err} // by a signal
		default:
			return err
		}
	}
	at, err := url.Parse(to.URL)
	if err != nil || at.Host == "" {
		return usageError("%s is not the URL of a server", to)
	}
	l, err := loopback.Listen(ctx, addr)
	if err != nil {
		return usageError("--http: %w", err)
	}
	_, _ = fmt.Fprintf(con.err, "bench: connect clients to http://%s%s, and end with Ctrl-C\n", l.Addr(), at.EscapedPath()) // best effort
	server := &http.Server{Handler: proxy.HTTP(at, to.Header, filter), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}
