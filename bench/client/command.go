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
	"time"

	"github.com/mcptool-go/mcptool/internal/envelope"
)

// grace is how long a command may take to end, each time that it is told to.
const grace = 2 * time.Second

// parting is how long what a command has left in its pipes may take to be read, and its end to
// be known, if something keeps the pipes open.
const parting = 5 * time.Second

// noiseLimit is how many lines that are no messages a command may print before its first
// message. Some print a banner; what prints more is no server.
const noiseLimit = 100

// A command is a server that we have started, at the other end of its stdin and stdout.
type command struct {
	pending
	name    string
	cmd     *exec.Cmd
	in      *writeQueue
	out     *os.File
	errs    *tail
	errPipe *os.File
	inbox   inbox
	tap     tap

	left   bool   // it has ended, by itself
	noise  string // the first line that was no message
	noises int
	heard  bool // a message

	ended  chan struct{} // closed when the process has ended
	state  string        // how; after ended
	code   int           // its exit code; after ended
	gone   chan struct{} // closed when also what it had started was killed
	silent chan struct{} // closed when stderr has ended
	eof    chan struct{} // closed when stdout has ended
	over   chan struct{} // closed when lost is set, after eof
}

// startCommand starts a command. It runs until close.
func startCommand(t Target, stderr io.Writer, in inbox) (*command, error) {
	c := &command{
		name: t.String(), errs: &tail{to: stderr}, inbox: in, code: -1,
		ended: make(chan struct{}), gone: make(chan struct{}), silent: make(chan struct{}),
		eof: make(chan struct{}), over: make(chan struct{}),
	}
	c.cmd = exec.CommandContext(context.Background(), t.Command[0], t.Command[1:]...)
	c.cmd.Dir = t.Dir
	if t.Dir != "" { // or the program would be said not to exist
		if _, err := os.Stat(t.Dir); err != nil {
			return nil, &UnreachableError{What: fmt.Sprintf("the directory %s cannot be used: %v", t.Dir, errors.Unwrap(err)), Err: err}
		}
	}
	if len(t.Env) > 0 {
		c.cmd.Env = append(os.Environ(), t.Env...)
	}
	ownGroup(c.cmd)
	stdin, err := c.start()
	if err != nil {
		return nil, &UnreachableError{What: startError(t, err), Err: err}
	}
	c.in = newWriteQueue(stdin)
	go func() {
		_, _ = io.Copy(c.errs, c.errPipe) // until the last one who could write has ended
		close(c.silent)
	}()
	go c.read()
	go c.wait()
	return c, nil
}

// start starts the process with pipes of our own, since those of package exec cannot be
// waited for apart from the process.
func (c *command) start() (*os.File, error) {
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

// startError says why a command does not start, and what to do.
func startError(t Target, err error) string {
	name := t.Command[0]
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Sprintf("%s is not found; give its path, or add it to PATH", name)
	case errors.Is(err, os.ErrNotExist):
		return fmt.Sprintf("there is no %s; give the path of a program, or its name if it is in PATH", name)
	case errors.Is(err, os.ErrPermission):
		return fmt.Sprintf("%s is no program that may be run; chmod +x makes it one, if it is", name)
	default:
		return fmt.Sprintf("%s does not start: %v", name, err)
	}
}

// wait waits for the end of the process and ends what it has left behind.
func (c *command) wait() {
	state, err := c.cmd.Process.Wait()
	if err != nil {
		c.state = err.Error()
	} else {
		c.state, c.code = state.String(), state.ExitCode()
	}
	close(c.ended)
	select { // what it started may still be writing an answer
	case <-c.eof:
	case <-time.After(grace):
	}
	killGroup(c.cmd.Process)
	soon := time.Now().Add(parting) // for what is in the pipes; nobody should be left who writes
	_ = c.out.SetReadDeadline(soon)
	_ = c.errPipe.SetReadDeadline(soon)
	close(c.gone)
}

// read takes everything that comes from stdout.
func (c *command) read() {
	in := bufio.NewReaderSize(c.out, 256<<10)
	why := ""
	for {
		line, err := c.tap.readLine(in)
		if line = bytes.TrimSpace(line); len(line) > 0 && why == "" {
			why = c.take(line)
		}
		if errors.Is(err, errTooLong) {
			why = fmt.Sprintf("it has sent a message of more than %d MiB", maxMessage>>20)
			c.fail(why)
			_, _ = io.Copy(io.Discard, c.out) // until it is ended
		}
		if err != nil {
			c.lose(why)
			return
		}
		if why != "" {
			c.fail(why)
		}
	}
}

// errEnded says that a command has ended by itself.
var errEnded = errors.New("the server has ended")

var errTooLong = errors.New("the line is too long")

// readLine reads a line, which the caller may keep.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxMessage {
			return nil, errTooLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// take takes a line to whom it is for. It returns what is wrong, if that is the end.
func (c *command) take(line []byte) string {
	id, kind := kindOf(line)
	c.mu.Lock()
	why, isTaken := "", false
	switch kind {
	case envelope.Malformed:
		why = c.takeNoise(line)
	case envelope.Response:
		c.heard, isTaken = true, c.deliver(id, line)
	default:
		if c.heard = true; kind == envelope.Request && c.echoes(line) {
			why = "it is no MCP server: it sends back what it is sent"
		}
	}
	c.mu.Unlock()
	if why == "" && !isTaken {
		c.inbox(kind, line)
	}
	return why
}

// echoes reports whether a request of the server is one of ours.
func (c *command) echoes(line []byte) bool {
	var m envelope.Message
	if m.Read(line, maxDepth) != nil || m.Kind != envelope.Request {
		return false
	}
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	return err == nil && c.waiting[id] != nil && (string(m.Method) == "server/discover" || string(m.Method) == "initialize")
}

// takeNoise takes a line that is no message.
func (c *command) takeNoise(line []byte) string {
	if c.noises == 0 {
		c.noise = string(line[:min(len(line), 80)])
	}
	if c.noises++; !c.heard && c.noises >= noiseLimit {
		return "it is no MCP server: its stdout has " + strconv.Quote(c.noise) + " and more like it"
	}
	return ""
}

// StrayLines returns how many lines that are not messages a command has printed to its stdout so far, and the beginning of
// the first one; 0 over HTTP.
func (c *Client) StrayLines() (n int, first string) {
	if command, ok := c.conn.(*command); ok {
		command.mu.Lock()
		defer command.mu.Unlock()
		return command.noises, command.noise
	}
	return 0, ""
}

// kindOf tells what a line is. The id is that of a response to us.
func kindOf(line []byte) (int64, envelope.Kind) {
	var m envelope.Message
	if err := m.Read(line, maxDepth); err != nil {
		return 0, envelope.Malformed
	}
	if m.Kind != envelope.Response {
		return 0, m.Kind
	}
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	if err != nil {
		return 0, envelope.Response // nobody waits for 0
	}
	return id, envelope.Response
}

// lose says that nothing comes any more, and why.
func (c *command) lose(why string) {
	close(c.eof)
	for _, done := range []<-chan struct{}{c.ended, c.silent} {
		select { // how it ended, and what it said last, explain most
		case <-done:
		case <-time.After(parting):
		}
	}
	if why == "" {
		c.left = true
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

// fail tells everybody who waits that there will be no answer.
func (c *command) fail(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failAll(c.troubleLocked(why, nil))
}

func (c *command) agree(Era, string) {} // messages look alike

func (c *command) attend() {} // it all comes in one stream

func (c *command) exchange(ctx context.Context, r *request) ([]byte, error) {
	return c.pending.exchange(ctx, r, func() error { c.in.put(r.body); return nil }, c.lostError)
}

// lostError returns why there is no answer to method.
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
	c.in.put(body)
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

// close ends the process and what it has started, first politely.
func (c *command) close() error {
	c.fail("it was told to end")
	c.in.close(grace)
	for _, harder := range []func(*os.Process){termGroup, killGroup} {
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
