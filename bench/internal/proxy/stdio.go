package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// maxStray is the maximum number of reported lines that are not messages, and maxShown the maximum length of each, in
// bytes.
const (
	maxStray = 10
	maxShown = 200
)

// Stdio starts the command of a target, and passes lines from in to its stdin and from its stdout to out until it exits.
// The end of in closes its stdin. Lines on its stdout that are not messages are reported on stderr, which is otherwise the
// command's, and passed on only if clients may read them. The end of ctx sends SIGTERM to the command and its
// descendants, and SIGKILL after 2 s. When Stdio returns, neither the command nor a descendant is running, and the filter
// is not called any more; one Read of in may still be waiting.
//
// The error is an *exec.ExitError if the command fails or is ended by a signal, a *client.UnreachableError if it does not
// start, and the cause of the end of ctx if it exits after that.
func Stdio(ctx context.Context, t client.Target, in io.Reader, out, stderr io.Writer, filter Filter) error {
	server, err := t.Start(stderr) //nolint:contextcheck // it gets a signal at the end of ctx
	if err != nil {
		return err
	}
	p := &pipes{filter: filter, stderr: stderr}
	running, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	go func() {
		p.toServer(in, server.In)
		server.In.Close(process.Grace)
	}()
	read := make(chan struct{})
	endRead := sync.OnceFunc(func() { close(read) })
	defer context.AfterFunc(running, func() { time.AfterFunc(2*process.Grace, endRead) })() // the client may have stopped reading
	go func() {
		if err := p.toClient(server.Out, out); err != nil {
			lose(err)
		}
		server.OutEnded()
		endRead()
	}()
	select {
	case <-server.Exited(): // a descendant may still be writing a response, for which Stop waits
	case <-running.Done():
		server.Terminate()
	}
	stopErr := server.Stop(read)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	if p.strays > maxStray {
		_, _ = fmt.Fprintf(stderr, "bench: %d lines of its stdout in all are not MCP messages\n", p.strays)
	}
	switch exit := server.ExitError(); {
	case running.Err() != nil:
		return context.Cause(running)
	case exit != nil:
		return exit
	default:
		return stopErr
	}
}

// pipes is the state of one Stdio.
type pipes struct {
	filter Filter
	stderr io.Writer
	strays int // lines that are not messages

	mu   sync.Mutex // held while a line of the client is passed
	over bool       // Stdio has returned
}

// toServer passes the lines of the client, until there are no more, or they cannot be passed any more.
func (p *pipes) toServer(in io.Reader, stdin io.Writer) {
	err := eachLine(in, func(line []byte) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.over {
			return io.ErrClosedPipe
		}
		passed, _ := p.filter.pass(ToServer, line) // the server answers what is not a message
		return writeLine(stdin, passed)
	})
	if errors.Is(err, bufio.ErrTooLong) {
		_, _ = fmt.Fprintf(p.stderr, "bench: the client has sent a message of more than %d MiB, and no more is read\n", maxMessage>>20)
	}
}

// toClient passes the lines of the server. The error is about out, or a line that is too long.
func (p *pipes) toClient(stdout io.Reader, out io.Writer) error {
	var lost error
	err := eachLine(stdout, func(line []byte) error {
		passed, isMessage := p.filter.pass(ToClient, line)
		switch {
		case isFlawed(line):
			p.report(line, "a valid MCP message, and passed on")
		case !isMessage:
			p.report(line, "an MCP message, and not passed on")
			return nil
		}
		lost = writeLine(out, passed)
		return lost
	})
	switch {
	case lost != nil:
		return fmt.Errorf("the client does not read: %w", lost)
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("the server has sent a message of more than %d MiB", maxMessage>>20)
	default:
		return nil // the end, or a read error of a pipe whose writers have ended
	}
}

// eachLine calls pass for each line that is not blank, until it returns an error.
func eachLine(r io.Reader, pass func(line []byte) error) error {
	lines := process.Lines(r, maxMessage, true)
	for lines.Scan() {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
			if err := pass(line); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

// writeLine writes a message, unless the filter has dropped it.
func writeLine(w io.Writer, message []byte) error {
	if message == nil {
		return nil
	}
	_, err := w.Write(append(bytes.Clone(oneLine(message)), '\n'))
	return err
}

// report reports a line that is not a message. Clients may end the session at such a line.
func (p *pipes) report(line []byte, what string) {
	if p.strays++; p.strays <= maxStray {
		_, _ = fmt.Fprintf(p.stderr, "bench: a bug of the server: a line of its stdout is not %s: %q\n", what, line[:min(len(line), maxShown)])
	}
}
