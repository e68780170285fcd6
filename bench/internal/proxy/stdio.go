package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
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
// command's, and passed on only if clients may read them. The end of ctx sends SIGTERM to the command and its descendants, and SIGKILL after
// 2 s. When Stdio returns, neither the command nor a descendant is running, and the filter is not called any more; one
// Read of in may still be waiting.
//
// The error is an *exec.ExitError if the command fails or is ended by a signal, a *client.UnreachableError if it does not
// start, and the cause of the end of ctx if it exits after that.
func Stdio(ctx context.Context, t client.Target, in io.Reader, out, stderr io.Writer, filter Filter) error {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), t.Command[0], t.Command[1:]...)
	cmd.Dir = t.Dir
	if len(t.Env) > 0 {
		cmd.Env = append(os.Environ(), t.Env...)
	}
	server, err := process.Start(cmd, stderr)
	if err != nil {
		return &client.UnreachableError{What: err.Error(), Err: errors.Unwrap(err)}
	}
	p := &pipes{filter: filter, stderr: stderr}
	go func() {
		p.toServer(in, server.In)
		server.In.Close(process.Grace)
	}()
	drained, read := make(chan error, 1), make(chan struct{})
	go func() {
		drained <- p.toClient(server.Out, out)
		server.OutEnded()
		close(read)
	}()
	lost := wait(ctx, server, drained)
	stopErr := server.Stop(orAfter(ctx, read))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	if p.strays > maxStray {
		_, _ = fmt.Fprintf(stderr, "bench: %d lines of its stdout in all are not MCP messages\n", p.strays)
	}
	switch exit := server.ExitError(); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case lost != nil:
		return lost
	case exit != nil:
		return exit
	default:
		return stopErr
	}
}

// wait waits until the server has exited, or has to be ended, because ctx has ended or its output cannot be passed on. The
// error is about the output.
func wait(ctx context.Context, server *process.Running, drained chan error) error {
	for {
		select {
		case <-server.Exited():
			if drained == nil {
				return nil
			}
			select { // a descendant may still be writing a response
			case err := <-drained:
				return err
			case <-time.After(process.Grace):
				return nil
			}
		case <-ctx.Done():
			server.Terminate()
			return nil
		case err := <-drained:
			if err != nil {
				server.Terminate()
				return err
			}
			drained = nil // it has closed its stdout
		}
	}
}

// orAfter returns a channel that is closed when done is, or some time after ctx: the client may have stopped reading.
func orAfter(ctx context.Context, done chan struct{}) chan struct{} {
	end := make(chan struct{})
	go func() {
		defer close(end)
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		select {
		case <-done:
		case <-time.After(2 * process.Grace):
		}
	}()
	return end
}

// pipes is the state of one Stdio.
type pipes struct {
	filter Filter
	stderr io.Writer
	strays int // lines that are not messages

	mu   sync.Mutex // held while a line of the client is passed
	over bool       // Stdio has returned
}

// toServer passes the lines of the client, until there are no more.
func (p *pipes) toServer(in io.Reader, stdin io.Writer) {
	lines := process.Lines(in, maxMessage, true)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) > 0 && !p.pass(lines.Bytes(), stdin) {
			return
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		_, _ = fmt.Fprintf(p.stderr, "bench: the client has sent a message of more than %d MiB, and no more is read\n", maxMessage>>20)
	}
}

// pass passes a line of the client; false if that is not possible any more.
func (p *pipes) pass(line []byte, stdin io.Writer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return false
	}
	passed, _ := p.filter.pass(ToServer, line) // the server answers what is not a message
	if passed == nil {
		return true
	}
	_, err := stdin.Write(append(bytes.Clone(oneLine(passed)), '\n'))
	return err == nil
}

// toClient passes the lines of the server. The error is about out, or a line that is too long.
func (p *pipes) toClient(stdout io.Reader, out io.Writer) error {
	lines := process.Lines(stdout, maxMessage, true)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		passed, isMessage := p.filter.pass(ToClient, line)
		switch {
		case isFlawed(line):
			p.report(line, "a valid MCP message, and passed on")
		case !isMessage:
			p.report(line, "an MCP message, and not passed on")
			continue
		}
		if passed != nil {
			if _, err := out.Write(append(bytes.Clone(oneLine(passed)), '\n')); err != nil {
				return fmt.Errorf("the client does not read: %w", err)
			}
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("the server has sent a message of more than %d MiB", maxMessage>>20)
	}
	return nil // the end, or a read error of a pipe whose writers have ended
}

// report reports a line that is not a message. Clients may end the session at such a line.
func (p *pipes) report(line []byte, what string) {
	if p.strays++; p.strays <= maxStray {
		_, _ = fmt.Fprintf(p.stderr, "bench: a bug of the server: a line of its stdout is not %s: %q\n", what, line[:min(len(line), maxShown)])
	}
}
