package main

import (
	"errors"
	"io"
	"net/http"
	"os"

	"golang.org/x/term"

	"github.com/mcptool-go/mcptool/bench/redact"
	"github.com/mcptool-go/mcptool/bench/terminal"
)

// A console is where bench reads and writes. A terminal is told apart from files and
// pipes: people are asked and shown how far things are, scripts are not. Nothing else writes to
// stdout and stderr, which the linter enforces, so that nothing a server sends steers a terminal.
type console struct {
	in       io.Reader
	out, err *terminal.Writer
	// raw is stdout for bytes that are to stay as they are, which are only for files and pipes.
	raw io.Writer
	// Which of them are terminals.
	inTerminal, outTerminal, errTerminal bool
	// width of the terminal behind out, in columns; 0 if there is none.
	width int
	// secrets are what the server was given and is not shown.
	secrets redact.Values
	// verbose gets the servers' stderr, with --verbose; else nil.
	verbose *redact.Writer
	// transport sends requests over HTTP; nil means that of the client. Tests have one without sockets.
	transport http.RoundTripper
}

// newConsole returns that of the process.
func newConsole() *console {
	c := &console{in: os.Stdin, out: terminal.NewWriter(os.Stdout), raw: os.Stdout, err: terminal.NewWriter(os.Stderr)}
	c.inTerminal = term.IsTerminal(int(os.Stdin.Fd()))
	c.outTerminal = term.IsTerminal(int(os.Stdout.Fd()))
	c.errTerminal = term.IsTerminal(int(os.Stderr.Fd()))
	if c.outTerminal {
		if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			c.width = width
		}
	}
	return c
}

// status shows on a terminal what is going on, in place of what it showed before; "" ends that.
func (c *console) status(text string) {
	if c.errTerminal {
		_ = c.err.Status(text) // the result is what counts
	}
}

// flush writes what may be left in the writers.
func (c *console) flush() error {
	var err error
	if c.verbose != nil {
		err = c.verbose.Flush()
	}
	return errors.Join(err, c.out.Flush(), c.err.Flush())
}
