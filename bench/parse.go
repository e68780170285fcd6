package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/mcptool-go/mcptool/bench/terminal"
)

// run runs bench with args and returns its exit code.
func run(ctx context.Context, args []string, con *console) int {
	defer func() { _ = con.flush() }() // of what there is no whole character
	command, err := parse(args, con)
	if err == nil {
		err = command(ctx)
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

// parse finds out what is to be done: it returns a function that does it.
func parse(args []string, con *console) (func(context.Context) error, error) {
	args, target, err := splitTarget(args)
	if err != nil {
		return nil, err
	}
	var all commands
	helped := false
	parser, err := kong.New(&all,
		kong.Name("bench"),
		kong.Description("Looks at MCP servers. A TARGET is a URL, the path of a program, or a command and its arguments behind --, at the end of the line."),
		kong.Vars{"version": version()},
		kong.Help(helpText),
		kong.Writers(con.out, con.err),
		kong.Exit(func(int) { helped = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if helped {
		return func(context.Context) error { return nil }, nil
	}
	if err != nil {
		return nil, usageError("%v; %s", err, hint(err))
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

// helpText prints help, in which the usage shows how a target is written.
func helpText(options kong.HelpOptions, ctx *kong.Context) error {
	var text bytes.Buffer
	stdout := ctx.Stdout
	ctx.Stdout = &text
	err := kong.DefaultHelpPrinter(options, ctx)
	ctx.Stdout = stdout
	if err != nil {
		return err
	}
	const usage = "[flags] URL | PROGRAM | -- COMMAND ARGS…"
	_, err = strings.NewReplacer(" [<target> [<arguments> ...]] [flags]", " [<arguments> ...] "+usage, "[<target>] [flags]", usage).WriteString(stdout, text.String())
	return err
}

// hint says what to do about a command line that cannot be parsed.
func hint(err error) string {
	text := err.Error()
	for _, prefix := range []string{"unexpected argument ", "unknown flag "} {
		if strings.HasPrefix(text, prefix) {
			return "bench COMMAND --help shows what there is; a server's own arguments and flags stand behind --, with its command"
		}
	}
	return "bench --help shows how"
}

// A parsedTarget is a server that a command line names: by a command, or by a URL. The zero parsedTarget is none.
type parsedTarget struct {
	command []string
	url     string
}

func (t parsedTarget) given() bool { return t.command != nil || t.url != "" }

// splitTarget takes the TARGET out of a command line: what comes after the first --, or the one argument that is a URL.
// For bench read a URL may be the resource too: it is the first of two, or stands beside a command.
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
	for _, arg := range args {
		switch {
		case !isURL(arg):
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

// isURL reports whether an argument is a URL of a server, or looks like one.
func isURL(arg string) bool {
	return strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://")
}

// Exit codes, as the package documentation has them.
const (
	exitOK          = 0
	exitNo          = 1
	exitUsage       = 2
	exitUnreachable = 3
	exitInterrupted = 130
)

// An exitError is an error with an exit code of its own.
type exitError struct {
	code int
	err  error // nil: everything was said already
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// errNo ends bench with 1, after the command has said why.
var errNo error = &exitError{code: exitNo}

// usageError ends bench with 2: it was called wrongly, or a file is bad.
func usageError(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// noError ends bench with 1: the answer is no, because.
func noError(format string, args ...any) error {
	return &exitError{exitNo, fmt.Errorf(format, args...)}
}

// explain writes what is wrong to stderr.
func (c *console) explain(err error) {
	if text := c.secrets.Text(err.Error()); text != "" && !errors.Is(err, context.Canceled) {
		// Texts of servers may be in it: no line of theirs begins where one of ours would.
		_, _ = io.WriteString(c.err, "bench: "+strings.ReplaceAll(terminal.Printable(text), "\n", "\n  ")+"\n")
	}
	lost := asUnreachable(err)
	if lost == nil || c.verbose != nil {
		return
	}
	if words := strings.Join(lost.LastWords(lastWords), "\n"); words != "" {
		_, _ = io.WriteString(c.err, serverLines(c.secrets.Text(words)+"\n")) // in one piece: a private key is known by several lines
	}
}

// lastWords is how many lines of a server's stderr are shown when it cannot be talked to.
const lastWords = 10
