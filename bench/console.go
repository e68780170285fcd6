package main

import (
	"io"
	"net/http"
	"os"

	"golang.org/x/term"

	"github.com/mcptool-go/mcptool/internal/measure/redact"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// A console holds the input and output streams of bench. It distinguishes terminals from files and pipes: bench prompts
// and shows progress only on a terminal. All output to stdout and stderr goes through it, which the linter enforces, so
// that control sequences in server text cannot reach the terminal.
type console struct {
	in       io.Reader
	out, err *terminal.Writer
	// raw is stdout for bytes that must not be altered, used only for files and pipes.
	raw io.Writer
	// Which streams are terminals.
	inTerminal, outTerminal, errTerminal bool
	// colors is whether terminals get colors.
	colors bool
	// width is the width of the terminal behind out, in columns; 0 if it is not a terminal.
	width int
	// secrets are the secrets passed to the server, redacted in output.
	secrets redact.Values
	// verbose receives the stderr of servers with --verbose; otherwise nil.
	verbose *redact.Writer
	// transport sends HTTP requests; nil means the default of the client. Tests set one that needs no sockets.
	transport http.RoundTripper
}

// newConsole returns the console of the process.
func newConsole() *console {
	c := &console{in: os.Stdin, out: terminal.NewWriter(os.Stdout), raw: os.Stdout, err: terminal.NewWriter(os.Stderr)}
	c.inTerminal = term.IsTerminal(int(os.Stdin.Fd()))
	c.outTerminal = term.IsTerminal(int(os.Stdout.Fd()))
	c.errTerminal = term.IsTerminal(int(os.Stderr.Fd()))
	c.colors = useColors()
	if c.outTerminal {
		if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			c.width = width
		}
	}
	return c
}

// status replaces the status line on a terminal; "" removes it.
func (c *console) status(text string) {
	if c.errTerminal {
		_ = c.err.Status(text) // best effort
	}
}
