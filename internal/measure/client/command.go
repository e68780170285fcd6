package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// grace is how long a command may take to exit after each request to do so.
const grace = 2 * time.Second

// parting is how long to wait for the remaining output of a command and its exit status if another process keeps the
// pipes open.
const parting = 5 * time.Second

// noiseLimit is the maximum number of lines a command may print before its first message. Some print a banner; a
// command that prints more is not an MCP server.
const noiseLimit = 100

// A command is a server process connected through its stdin and stdout.
type command struct {
	name    string
	cmd     *exec.Cmd
	in      *writeQueue
	out     *os.File
	errs    *tail
	errPipe *os.File
	inbox   inbox

	mu      sync.Mutex
	waiting map[int64]func(line []byte) // take the responses to requests, by id; nil if the connection is lost
	lost    *UnreachableError           // why the connection was lost; nil if it is usable
	last    int64                       // id of the last message sent; 0 if it is not a request
	isRead  bool                        // the server has read all messages sent: it has answered the last one

	left   bool   // it exited by itself
	noise  string // first line that was not a message
	noises int
	heard  bool // received a message

	ended  chan struct{} // closed on process exit
	state  string        // exit state; valid after ended
	code   int           // exit code; valid after ended
	gone   chan struct{} // closed after its descendants were killed
	silent chan struct{} // closed at the end of stderr
	eof    chan struct{} // closed at the end of stdout
	over   chan struct{} // closed when lost is set, after eof
}

// startCommand starts a command, which runs until close.
func startCommand(t Target, stderr io.Writer, in inbox) (*command, error) {
	c := &command{
		name: t.String(), errs: &tail{to: stderr}, inbox: in, code: -1, isRead: true, waiting: map[int64]func([]byte){},
		ended: make(chan struct{}), gone: make(chan struct{}), silent: make(chan struct{}),
		eof: make(chan struct{}), over: make(chan struct{}),
	}
	c.cmd = exec.CommandContext(context.Background(), t.Command[0], t.Command[1:]...)
	c.cmd.Dir = t.Dir
	if t.Dir != "" { // otherwise the error would name the program
		if _, err := os.Stat(t.Dir); err != nil {
			return nil, &UnreachableError{What: fmt.Sprintf("the directory %s cannot be used: %v", t.Dir, errors.Unwrap(err)), Err: err}
		}
	}
	if len(t.Env) > 0 {
		c.cmd.Env = append(os.Environ(), t.Env...)
	}
	process.OwnGroup(c.cmd)
	stdin, err := c.startProcess()
	if err != nil {
		return nil, &UnreachableError{What: startError(t, err), Err: err}
	}
	c.in = newWriteQueue(stdin)
	go func() {
		_, _ = io.Copy(c.errs, c.errPipe) // until the last writer has exited
		close(c.silent)
	}()
	go c.read()
	go c.wait()
	return c, nil
}

// startProcess starts the process with explicit pipes. With the pipes of package exec, waiting for the process would also wait for
// the pipes.
func (c *command) startProcess() (*os.File, error) {
	var ours, theirs [3]*os.File
	closeAll := func(files []*os.File) {
		for _, f := range files {
			if f != nil {
				_ = f.Close()
			}
		}
	}
	defer func() { closeAll(theirs[:]) }()
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours[:])
			return nil, err
		}
		if ours[i], theirs[i] = r, w; i == 0 {
			ours[i], theirs[i] = w, r
		}
	}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	if err := c.cmd.Start(); err != nil {
		closeAll(ours[:])
		return nil, err
	}
	c.out, c.errPipe = ours[1], ours[2]
	return ours[0], nil
}

// startError explains why a command does not start, with a fix.
func startError(t Target, err error) string {
	name := t.Command[0]
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return fmt.Sprintf("%s is not found; give the path of a program, or its name if it is in PATH", name)
	case errors.Is(err, os.ErrPermission):
		return fmt.Sprintf("%s is not executable; if it is a program, run chmod +x", name)
	default:
		return fmt.Sprintf("%s does not start: %v", name, err)
	}
}

// wait waits for the process to exit and kills its remaining descendants.
func (c *command) wait() {
	state, err := c.cmd.Process.Wait()
	if err != nil {
		c.state = err.Error()
	} else {
		c.state, c.code = state.String(), state.ExitCode()
	}
	close(c.ended)
	select { // a descendant may still be writing a response
	case <-c.eof:
	case <-time.After(grace):
	}
	process.KillGroup(c.cmd.Process)
	soon := time.Now().Add(parting) // for buffered output; no writer should be left
	_ = c.out.SetReadDeadline(soon)
	_ = c.errPipe.SetReadDeadline(soon)
	close(c.gone)
}

// read reads all messages from stdout.
func (c *command) read() {
	in := bufio.NewScanner(c.out)
	in.Buffer(make([]byte, 0, 256<<10), maxMessage)
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
		_, _ = io.Copy(io.Discard, c.out) // until the command is stopped
	}
	c.lose(why)
}

// errEnded means that a command has exited by itself.
var errEnded = errors.New("the server has ended")

// take dispatches a line. It returns the reason if the connection is unusable, else "".
func (c *command) take(line []byte) string {
	id, kind := kindOf(line)
	c.mu.Lock()
	why, answer := "", c.waiting[id]
	switch kind {
	case envelope.Malformed:
		why = c.takeNoise(line)
	case envelope.Response:
		c.heard = true
		c.isRead = c.isRead || answer != nil && id == c.last
		delete(c.waiting, id)
	default:
		if kind == envelope.Request && answer != nil && !c.heard { // a server does not know the ids of the client
			why = "it is not an MCP server: it echoes its input"
		}
		c.heard = true
	}
	c.mu.Unlock()
	switch {
	case kind == envelope.Response && answer != nil:
		answer(line)
	case why == "":
		c.inbox(kind, line)
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

// kindOf classifies a message, and returns the id of a request or a response; -1, which no request of the client has, if
// that is not an integer.
func kindOf(message []byte) (int64, envelope.Kind) {
	var m envelope.Message
	if err := m.Read(message, maxDepth); err != nil {
		return -1, envelope.Malformed
	}
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	if err != nil {
		id = -1
	}
	return id, m.Kind
}

// lose marks the connection as lost, with a reason.
func (c *command) lose(why string) {
	close(c.eof)
	for _, done := range []<-chan struct{}{c.ended, c.silent} {
		select { // the exit status and the last output explain most failures
		case <-done:
		case <-time.After(parting):
		}
	}
	if why == "" {
		c.mu.Lock()
		c.left = true
		c.mu.Unlock()
		select {
		case <-c.ended:
			why = "it has ended (" + c.state + ")"
		default:
			why = "it has closed its stdout"
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
	c.waiting = map[int64]func([]byte){}
	c.mu.Unlock()
	for _, answer := range unanswered {
		answer(nil)
	}
}

func (c *command) agree(Era, string) {} // messages are the same in both eras

func (c *command) attend() {} // all messages come in one stream

func (c *command) exchange(ctx context.Context, r *request) ([]byte, error) {
	answer := make(chan []byte, 1)
	if err := c.start(r, func(line []byte) { answer <- line }); err != nil {
		return nil, err
	}
	select {
	case line := <-answer:
		if line == nil {
			return nil, c.lostError(r.method)
		}
		return line, nil
	case <-ctx.Done():
		c.forget(r.id)
		return nil, context.Cause(ctx)
	}
}

// start sends a request. answer is called once, with the response or nil if the connection is lost, in the goroutine
// that reads from the server.
func (c *command) start(r *request, answer func(line []byte)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.lost != nil:
		return c.lost
	case c.waiting[r.id] != nil:
		return fmt.Errorf("a request with id %d is under way already", r.id)
	}
	c.waiting[r.id] = answer
	c.putLocked(r.id, r.body)
	return nil
}

// putLocked sends a message; the id is 0 if it is not a request.
func (c *command) putLocked(id int64, message []byte) {
	c.in.put(message, c.isRead)
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

func (c *command) pid() int { return c.cmd.Process.Pid }

func (c *command) unreachable(what string, err error) *UnreachableError {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.troubleLocked(what, err)
}

func (c *command) troubleLocked(what string, err error) *UnreachableError {
	if c.noises > 0 && !strings.Contains(what, "stdout") {
		what += fmt.Sprintf("; its stdout has %q, and a server writes nothing but MCP there", c.noise)
	}
	return &UnreachableError{What: c.name + ": " + what, Stderr: c.errs.String(), Err: err}
}

// close stops the process and its descendants, gracefully at first.
func (c *command) close() error {
	c.fail("it was told to end")
	c.in.close(grace)
	for _, harder := range []func(*os.Process){process.TermGroup, process.KillGroup} {
		select {
		case <-c.gone:
		case <-time.After(grace):
			harder(c.cmd.Process)
		}
	}
	for _, done := range []<-chan struct{}{c.gone, c.silent, c.over, c.in.done} {
		<-done
	}
	return errors.Join(c.out.Close(), c.errPipe.Close())
}
