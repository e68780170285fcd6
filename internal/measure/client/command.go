package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// noiseLimit is the maximum number of lines a command may print before its first message. Some print a banner; a
// command that prints more is not an MCP server.
const noiseLimit = 100

// A command is a server process connected through its stdin and stdout.
type command struct {
	*process.Running
	name string
	in   *incoming

	mu      sync.Mutex
	waiting map[int64]waiter  // requests without a response, by id
	lost    *UnreachableError // why the connection was lost; nil if it is usable
	last    int64             // id of the last message sent; 0 if it is not a request
	isRead  bool              // the server has read all messages sent: it has answered the last one

	left   bool   // it exited by itself
	noise  string // first line that was not a message
	noises int
	heard  bool // received a message

	over chan struct{} // closed when lost is set, after the end of stdout
}

// A waiter waits for the response to a request. done is called once, in the goroutine that reads from the server.
type waiter struct {
	method string
	done   func(answer []byte, err error)
}

// startCommand starts a command, which runs until close.
func startCommand(t Target, stderr io.Writer, in *incoming) (*command, error) {
	c := &command{name: t.String(), in: in, isRead: true, waiting: map[int64]waiter{}, over: make(chan struct{})}
	var err error
	if c.Running, err = t.Start(stderr); err != nil {
		return nil, err
	}
	go c.read()
	return c, nil
}

// read reads all messages from stdout.
func (c *command) read() {
	in := process.Lines(c.Out, maxMessage, true)
	why := ""
	for in.Scan() {
		if line := bytes.TrimSpace(in.Bytes()); len(line) > 0 && why == "" {
			why = c.take(bytes.Clone(line))
		}
		if why != "" {
			c.fail(why)
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		why = fmt.Sprintf("it has sent a message of more than %d MiB", maxMessage>>20)
		c.fail(why)
		_, _ = io.Copy(io.Discard, c.Out) // until the command is stopped
	}
	c.lose(why)
}

// errEnded means that a command has exited by itself.
var errEnded = errors.New("the server has ended")

// take dispatches a line. It returns the reason if the connection is unusable, else "".
func (c *command) take(line []byte) string {
	m := c.in.read(line)
	c.mu.Lock()
	why := ""
	w, isAwaited := c.waiting[m.id]
	switch m.kind {
	case envelope.Malformed:
		why = c.takeNoise(line)
	case envelope.Response:
		c.heard = true
		c.isRead = c.isRead || isAwaited && m.id == c.last
		delete(c.waiting, m.id)
	default:
		if m.kind == envelope.Request && isAwaited && !c.heard { // a server does not know the ids of the client
			why = "it is not an MCP server: it echoes its input"
		}
		c.heard = true
	}
	c.mu.Unlock()
	switch {
	case m.kind == envelope.Response && isAwaited && m.err != nil:
		w.done(nil, c.unreachable(unreadable(w.method, m.err), m.err))
	case m.kind == envelope.Response && isAwaited:
		w.done(m.text, nil)
	case why == "":
		c.in.other(context.Background(), m)
	}
	return why
}

// takeNoise counts a line that is not a message.
func (c *command) takeNoise(line []byte) string {
	if c.noises == 0 {
		c.noise = string(line[:min(len(line), 80)])
	}
	if c.noises++; !c.heard && c.noises >= noiseLimit {
		return "it is not an MCP server: its stdout has " + strconv.Quote(c.noise) + " and more like it"
	}
	return ""
}

// StrayLines returns the number of lines on a command's stdout so far that are not messages, and the beginning of the
// first one; 0 over HTTP.
func (c *Client) StrayLines() (n int, first string) {
	if command, ok := c.conn.(*command); ok {
		command.mu.Lock()
		defer command.mu.Unlock()
		return command.noises, command.noise
	}
	return 0, ""
}

// lose marks the connection as lost, with a reason.
func (c *command) lose(why string) {
	c.OutEnded()
	if why == "" {
		c.mu.Lock()
		c.left = true
		c.mu.Unlock()
		why = "it has closed its stdout"
		if state, _, ok := c.Exit(); ok {
			why = "it has ended (" + state + ")"
		}
	}
	c.fail(why)
	close(c.over)
}

// fail fails all waiting requests.
func (c *command) fail(why string) {
	c.mu.Lock()
	if c.lost == nil {
		c.lost = c.troubleLocked(why, nil)
	}
	unanswered := c.waiting
	c.waiting = map[int64]waiter{}
	c.mu.Unlock()
	for _, w := range unanswered {
		w.done(nil, c.lostError(w.method))
	}
}

func (c *command) agree(Era, string) {} // messages are the same in both eras

func (c *command) attend() {} // all messages come in one stream

func (c *command) exchange(ctx context.Context, r *request) ([]byte, error) {
	type outcome struct {
		answer []byte
		err    error
	}
	done := make(chan outcome, 1)
	if err := c.start(r, func(answer []byte, err error) { done <- outcome{answer, err} }); err != nil {
		return nil, err
	}
	select {
	case o := <-done:
		return o.answer, o.err
	case <-ctx.Done():
		c.forget(r.id)
		return nil, context.Cause(ctx)
	}
}

// start sends a request. done is called once, with the response or an error, in the goroutine that reads from the server.
func (c *command) start(r *request, done func(answer []byte, err error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil {
		return c.lost
	}
	if _, ok := c.waiting[r.id]; ok {
		return fmt.Errorf("a request with id %d is under way already", r.id)
	}
	c.waiting[r.id] = waiter{r.method, done}
	c.putLocked(r.id, r.body)
	return nil
}

// putLocked sends a message; the id is 0 if it is not a request.
func (c *command) putLocked(id int64, message []byte) {
	c.In.Put(message, c.isRead)
	c.last, c.isRead = id, false
}

// forget drops the response to a request. It reports whether there was none yet.
func (c *command) forget(id int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.waiting[id]
	delete(c.waiting, id)
	return ok
}

// lostError returns the error for a request of method after the connection is lost.
func (c *command) lostError(method string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	lost := *c.lost
	if c.left {
		lost.What = strings.Replace(lost.What, c.name+": it", c.name+": "+method+" was not answered: it", 1)
		lost.Err = errEnded
	}
	return &lost
}

func (c *command) send(_ context.Context, _ string, body []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.putLocked(0, body)
	return nil
}

func (c *command) pid() int { return c.Pid() }

func (c *command) unreachable(what string, err error) *UnreachableError {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.troubleLocked(what, err)
}

func (c *command) troubleLocked(what string, err error) *UnreachableError {
	if c.noises > 0 && !strings.Contains(what, "stdout") {
		what += fmt.Sprintf("; its stdout has %q, and a server writes nothing but MCP there", c.noise)
	}
	return &UnreachableError{What: c.name + ": " + what, Stderr: c.Stderr.String(), Err: err}
}

// close stops the process and its descendants, gracefully at first.
func (c *command) close() error {
	c.fail("it was told to end")
	return c.Stop(c.over)
}
