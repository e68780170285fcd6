package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// run runs bench with args and returns the exit code.
func run(ctx context.Context, args []string, con *console) int {
	command, err := parse(args, con)
	if err == nil {
		err = command(ctx)
	}
	if con.verbose != nil {
		defer func() { _ = con.verbose.Flush() }() // at most an incomplete line is left
	}
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	con.explain(err)
	return exitCode(err)
}

// parse parses the command line and returns a function that runs the command.
func parse(args []string, con *console) (func(context.Context) error, error) {
	var all commands
	done := false
	parser, err := newParser(&all, con, func(int) { done = true })
	if err != nil {
		return nil, err
	}
	completeLine(parser)
	if done {
		return func(context.Context) error { return nil }, nil
	}
	args, target, err := splitTarget(args)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if done {
		return func(context.Context) error { return nil }, nil
	}
	if err != nil {
		hint := "bench COMMAND --help shows what there is"
		text := err.Error()
		isWord := strings.HasPrefix(text, "unexpected argument ")
		if isWord || strings.HasPrefix(text, "unknown flag ") {
			hint += "; a server's own arguments and flags belong behind --, with its command"
		}
		if isWord && slices.Contains([]string{"call", "prompt"}, args[0]) {
			hint += "; no flag comes between arguments, or between them and the TARGET"
		}
		return nil, usageError("%v; %s", err, hint)
	}
	command := parsed.Selected().Target.Addr().Interface()
	if takes, ok := command.(interface {
		setTarget(command string, parsed parsedTarget) error
	}); ok {
		if err := takes.setTarget(parsed.Selected().Name, target); err != nil {
			return nil, err
		}
	} else if target.given() {
		return nil, usageError("%s takes no TARGET", parsed.Selected().Name)
	}
	return func(ctx context.Context) error {
		parsed.BindTo(ctx, (*context.Context)(nil))
		return parsed.Run(con)
	}, nil
}

// A parsedTarget is a server named on the command line, by a command or a URL. The zero value means none.
type parsedTarget struct {
	command []string
	url     string
	// Of a server in the configuration of a client, which word names: CLIENT:NAME.
	env, header []string
	dir         string
	client      string
	word        string
}

func (t parsedTarget) given() bool { return t.command != nil || t.url != "" }

// splitTarget extracts the TARGET from a command line: everything after the first --, or the only argument that is a
// URL. For bench read, a URL may also be the resource: the first of two URLs, or any URL if there is a command. bench
// import takes no TARGET, but flags with URLs, and --against has one as well.
func splitTarget(args []string) (rest []string, target parsedTarget, err error) {
	if i := slices.Index(args, "--"); i >= 0 {
		if target.command = args[i+1:]; len(target.command) == 0 {
			return nil, parsedTarget{}, usageError("nothing comes after --; a command does")
		}
		args = args[:i]
	}
	urls := 0
	for _, arg := range args {
		if isURL(arg) {
			urls++
		}
	}
	isResource := len(args) > 0 && args[0] == "read" && (urls == 2 || urls == 1 && target.given())
	isImport := len(args) > 0 && args[0] == "import"
	for i, arg := range args {
		switch {
		case isImport || !isURL(arg) || i > 0 && args[i-1] == "--against":
			rest = append(rest, arg)
		case isResource:
			rest = append(rest, arg)
			isResource = false
		case target.given():
			return nil, parsedTarget{}, usageError("there is a second TARGET, %s", arg)
		default:
			target.url = arg
		}
	}
	return rest, target, nil
}

// isURL reports whether an argument is, or looks like, the URL of a server.
func isURL(arg string) bool {
	return strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://")
}

// Exit codes, as in the package documentation.
const (
	exitOK          = 0
	exitNo          = 1
	exitUsage       = 2
	exitUnreachable = 3
	exitInterrupted = 130
)

// An exitError is an error with its own exit code.
type exitError struct {
	code int
	err  error // nil if everything was already reported
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// errNo ends bench with exit code 1 after the command has reported the reason.
var errNo error = &exitError{code: exitNo}

// usageError ends bench with exit code 2: wrong usage, or an invalid file.
func usageError(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// noError ends bench with exit code 1 and a reason: a negative result.
func noError(format string, args ...any) error {
	return &exitError{exitNo, fmt.Errorf(format, args...)}
}

// explain writes an error to stderr.
func (c *console) explain(err error) {
	if text := c.secrets.Text(err.Error()); text != "" && !errors.Is(err, context.Canceled) {
		// The error may contain server text. Indent its lines so that none looks like a line of bench.
		_ = c.printError("bench: "+indented(text)+"\n", errorColors) // best effort
	}
	if lost, ok := errors.AsType[*client.UnreachableError](err); ok && c.verbose == nil {
		_, _ = io.WriteString(c.err, serverLines(c.secrets.Text(lost.Stderr))) // together, since a private key has several lines
	}
}
