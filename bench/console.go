package main

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// A console is where bench reads and writes. A terminal is told apart from files and
// pipes: people are asked and shown how far things are, scripts are not.
type console struct {
	in       io.Reader
	out, err io.Writer
	// Which of them are terminals.
	inTerminal, outTerminal, errTerminal bool
	// width of the terminal behind out, in columns; 0 if there is none.
	width int
	// showsStderr says that the server's stderr goes to err as it comes.
	showsStderr bool
}

// newConsole returns that of the process.
func newConsole() *console {
	c := &console{in: os.Stdin, out: os.Stdout, err: os.Stderr}
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

// A turns is a writer that several may write to at once.
type turns struct {
	mu sync.Mutex
	to io.Writer
}

func (t *turns) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.to.Write(p)
}
