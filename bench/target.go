package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/redact"
)

// A target selects the server of a command and how to connect to it. Commands embed it.
type target struct {
	targetArgument
	Era     string        `help:"The era of the protocol: ${enum}." enum:"auto,legacy,modern" default:"auto"`
	Header  []string      `help:"Add a header to each request to a URL; may be repeated." placeholder:"'NAME: VALUE'" sep:"none" short:"H"`
	Env     []string      `help:"Set a variable for the command, which inherits the environment; may be repeated." placeholder:"KEY=VALUE" sep:"none"`
	Timeout time.Duration `help:"The longest time for connecting, and for a request without activity. The default is 30s, and 2m for a command to start."`
	Verbose bool          `help:"Show what the command writes to its stderr." short:"v"`
}

// server converts the target for package client.
func (t *target) server() (client.Target, error) {
	if !t.parsed.given() && t.parsed.client != "" {
		return client.Target{}, usageError("%[1]s names no server; bench list %[1]s shows them", t.parsed.word)
	}
	if !t.parsed.given() {
		return client.Target{}, usageError("there is no TARGET; name a URL, the path of a program, or a command behind --, as in: bench %s -- go run ./examples/weather", t.command)
	}
	if err := t.checkFlags(t.parsed); err != nil {
		return client.Target{}, err
	}
	if t.Timeout < 0 {
		return client.Target{}, usageError("--timeout %v is negative", t.Timeout)
	}
	to := client.Target{Command: t.parsed.command, URL: t.parsed.url, Header: http.Header{}, Env: slices.Concat(t.parsed.env, t.Env), Dir: t.parsed.dir}
	for _, header := range t.Header {
		name, value, ok := strings.Cut(header, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return client.Target{}, usageError("--header %q is not of the form 'NAME: VALUE'", redact.Name(header))
		}
		to.Header.Add(name, strings.TrimSpace(value))
	}
	for _, header := range t.parsed.header { // the flags take precedence
		if name, value, _ := strings.Cut(header, ": "); to.Header.Get(name) == "" {
			to.Header.Set(name, value)
		}
	}
	for _, env := range t.Env {
		switch name, _, ok := strings.Cut(env, "="); {
		case name == "":
			return client.Target{}, usageError("--env %q is not of the form KEY=VALUE", redact.Name(env))
		case !ok:
			return client.Target{}, usageError("--env %[1]s has no value; write --env %[1]s=VALUE, or leave it out: the command gets the variables of this environment anyway", redact.Name(env))
		}
	}
	return to, nil
}

// orHidden adds to the error about an unknown name that the access token may lack scopes: servers do not list what the
// token does not give access to.
func (t *target) orHidden(err error) error {
	if t.parsed.url != "" && slices.ContainsFunc(slices.Concat(t.parsed.header, t.Header), func(header string) bool {
		name, _, _ := strings.Cut(header, ":")
		return strings.EqualFold(strings.TrimSpace(name), "Authorization")
	}) {
		return usageError("%w (or this token lacks its scopes)", err)
	}
	return err
}

// checkFlags returns an error for a flag that applies to none of the servers.
func (t *target) checkFlags(servers ...parsedTarget) error {
	switch {
	case len(t.Env) > 0 && !slices.ContainsFunc(servers, func(s parsedTarget) bool { return s.url == "" }):
		return usageError("--env is for a command; a URL has --header")
	case len(t.Header) > 0 && !slices.ContainsFunc(servers, func(s parsedTarget) bool { return s.url != "" }):
		return usageError("--header is for a URL; a command has --env")
	default:
		return nil
	}
}

// withServer returns a copy of the target for another server, without the flags that do not apply to it.
func (t *target) withServer(server parsedTarget) *target {
	other := *t
	if other.parsed = server; server.url != "" {
		other.Env = nil
	} else {
		other.Header = nil
	}
	return &other
}

// dial connects to the target. Options set by flags override those in more.
func (t *target) dial(ctx context.Context, con *console, more client.Options) (*client.Client, error) {
	to, err := t.prepare(con, &more)
	if err != nil {
		return nil, err
	}
	return client.Dial(ctx, to, more)
}

// prepare returns the server for package client, sets the options that flags determine, and makes the secrets in the
// command line and the environment known to the console.
func (t *target) prepare(con *console, o *client.Options) (client.Target, error) {
	to, err := t.server()
	if err != nil {
		return to, err
	}
	o.Era, o.Timeout, o.Transport = client.Era(t.Era), t.Timeout, con.transport
	con.secrets.Pairs("=", slices.Concat(os.Environ(), to.Env))
	con.secrets.Pairs(":", slices.Concat(t.parsed.header, t.Header))
	con.secrets.Command(to.Command)
	con.secrets.URL(to.URL)
	if t.Verbose {
		if con.verbose == nil {
			con.verbose = redact.NewWriter(con.err, func(text string) string { return serverLines(con.secrets.Text(text)) })
		}
		o.Stderr = con.verbose
	}
	return to, nil
}

// noteFaults reports lines on the stdout of a server that are not messages, and messages that are not valid JSON, and
// returns whether there are any. They are bugs of the server, though most clients accept many of them.
func (c *console) noteFaults(server interface {
	StrayLines() (n int, first string)
	InvalidMessages() (n int, problem, around string)
},
) bool {
	strays, first := server.StrayLines()
	if strays > 0 {
		_, _ = fmt.Fprintf(c.err, "bench: a bug of the server: its stdout has %s beside MCP messages, the first is %s; some clients end the session then: print to stderr, or not before the server runs\n",
			count(strays, "line"), strconv.Quote(c.secrets.Text(first))) // the result is still printed
	}
	invalid, problem, around := server.InvalidMessages()
	if invalid > 0 {
		_, _ = fmt.Fprintf(c.err, "bench: a bug of the server: invalid JSON in %s, in the first: %s, near %s; some clients do not read such messages\n",
			count(invalid, "message"), problem, strconv.Quote(c.secrets.Text(around)))
	}
	return strays+invalid > 0
}

// serverLines prefixes each line of server output, to distinguish it from the output of bench.
func serverLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  | " + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}

// exitCode returns the exit code for err.
func exitCode(err error) int {
	own, isOwn := errors.AsType[*exitError](err)
	_, isUnreachable := errors.AsType[*client.UnreachableError](err)
	_, isRefused := errors.AsType[*client.RPCError](err)
	switch {
	case err == nil:
		return exitOK
	case isOwn:
		return own.code
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case isUnreachable:
		return exitUnreachable
	case isRefused:
		return exitNo
	default:
		return exitUsage
	}
}
