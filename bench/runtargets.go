package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/shell"

	"github.com/mcptool-go/mcptool/bench/internal/loopback"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/load"
	"github.com/mcptool-go/mcptool/internal/measure/process"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// checkPID validates --pid.
func (r *runCmd) checkPID() error {
	if r.PID == 0 {
		return nil
	}
	u, err := url.Parse(r.parsed.url)
	if err != nil || r.parsed.url == "" || len(r.Server) > 0 {
		return usageError("--pid is for one TARGET that is a URL; the process of a command is known")
	}
	if !loopback.IsHost(u.Host) {
		return usageError("--pid is for a server on this machine, and %s is not a loopback address", u.Hostname())
	}
	if _, err := process.Tree(r.PID); err != nil {
		return usageError("--pid %d: %v", r.PID, err)
	}
	return nil
}

// dialAll connects to all servers. The caller closes the returned servers, including after an error.
func (r *runCmd) dialAll(ctx context.Context, con *console) ([]load.Server, error) {
	if len(r.Server) == 0 {
		to, err := r.server()
		if err != nil {
			return nil, err
		}
		c, err := r.dial(ctx, con, client.Options{Bounded: true})
		if err != nil {
			return nil, err
		}
		one := load.Server{Name: cmp.Or(terminal.OneLine(c.Server().Name), "server"), Where: to.String(), Client: c, PID: r.PID}
		if at, err := url.Parse(r.parsed.url); r.PID != 0 && err == nil {
			one.Counters = (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/readyz", RawQuery: "verbose"}).String()
		}
		return []load.Server{one}, nil
	}
	if r.parsed.given() {
		return nil, usageError("there is a TARGET besides --server; name it with --server too, as NAME=TARGET")
	}
	named, err := r.namedTargets()
	if err != nil {
		return nil, err
	}
	var all []load.Server
	for _, n := range named {
		one := r.withServer(n.parsedTarget)
		c, err := one.dial(ctx, con, client.Options{Bounded: true})
		if err != nil {
			return all, fmt.Errorf("%s: %w", n.name, err)
		}
		where := client.Target{URL: n.url, Command: n.command}.String()
		all = append(all, load.Server{Name: n.name, Where: where, Client: c})
	}
	return all, nil
}

// A namedTarget is a server as named by --server.
type namedTarget struct {
	name string
	parsedTarget
}

// namedTargets parses all --server flags before any server is started.
func (r *runCmd) namedTargets() ([]namedTarget, error) {
	var all []namedTarget
	var servers []parsedTarget
	for _, text := range r.Server {
		n, err := parseNamedTarget(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(other namedTarget) bool { return other.name == n.name }) {
			return nil, usageError("two servers are named %q", n.name)
		}
		all, servers = append(all, n), append(servers, n.parsedTarget)
	}
	return all, r.checkFlags(servers...)
}

// parseNamedTarget parses NAME=TARGET.
func parseNamedTarget(text string) (namedTarget, error) {
	name, where, ok := strings.Cut(text, "=")
	if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(name, "/: ") {
		return namedTarget{}, usageError("--server %q is not of the form NAME=URL or 'NAME=COMMAND ARGS'", text)
	}
	server, err := parseTarget("--server "+name, where)
	return namedTarget{name, server}, err
}

// parseTarget parses the value of a flag that is a server: a URL, CLIENT:NAME, or a command, quoted as for a shell.
func parseTarget(flag, where string) (parsedTarget, error) {
	if isURL(where) {
		return parsedTarget{url: where}, nil
	}
	if server, ok, err := configured(where); ok {
		if err == nil && !server.given() {
			err = usageError("%s: %[2]s names no server; bench list %[2]s shows them", flag, where)
		}
		return server, err
	}
	command, err := shell.Fields(where, nil)
	if err != nil {
		return parsedTarget{}, usageError("%s: the command cannot be read: %v", flag, err)
	}
	if len(command) == 0 {
		return parsedTarget{}, usageError("%s has no command; name one behind the =", flag)
	}
	return parsedTarget{command: command}, nil
}

func closeAll(servers []load.Server) {
	for _, s := range servers {
		_ = s.Client.Close() // errors on close do not matter
	}
}
