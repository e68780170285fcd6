package client

import (
	"bufio"
	"bytes"
	"errors"
	"sync"
)

// A Stream is the pipes of a command, for generating load: calls can be sent together in one write, and answers are handled
// where they are read, without a goroutine for each. The client can be used meanwhile.
type Stream struct{ command *command }

// Stream returns the pipes of the command; false over HTTP, which has none.
func (c *Client) Stream() (Stream, bool) {
	command, ok := c.conn.(*command)
	return Stream{command}, ok
}

// Write writes whole lines, each a call as [Prepared.Append] makes it. It may block until the server reads, and
// until Close. It is safe for concurrent use.
func (s Stream) Write(lines []byte) error {
	_, err := s.command.in.pipe.Write(lines)
	return err
}

// Tap calls tap with each line from the server, on the one goroutine that reads: nothing is read until it returns. last
// reports that no other complete line has arrived yet. Lines that tap returns false for are handled by the client; a line
// may be empty. A nil tap ends this, and waits for a running call of tap.
func (s Stream) Tap(tap func(line []byte, last bool) bool) { s.command.tap.set(tap) }

// CloseWrite closes the stdin of the command, when all that was sent is written, and leaves its stdout open: a command
// answers what it was sent, and exits. Nothing more can be sent.
func (s Stream) CloseWrite() { s.command.in.close(grace) }

// Dead is closed when the server has closed its output.
func (s Stream) Dead() <-chan struct{} { return s.command.over }

// Err returns why the server has closed its output; nil while it has not.
func (s Stream) Err() error {
	select {
	case <-s.command.over:
		return s.command.lostError("tools/call")
	default:
		return nil
	}
}

// A tap is where lines are shown to somebody first.
type tap struct {
	mu sync.Mutex
	fn func(line []byte, last bool) bool
}

func (t *tap) set(fn func([]byte, bool) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fn = fn
}

// readLine returns the next line that was not taken; the caller may keep it. Lines that are taken
// are shown where they were read, and not copied.
func (t *tap) readLine(in *bufio.Reader) ([]byte, error) {
	for {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			line = bytes.Clone(line)
			var rest []byte
			rest, err = readLine(in)
			line = append(line, rest...)
		}
		if err != nil || !t.offer(line, in) {
			return bytes.Clone(line), err
		}
	}
}

// offer shows a line, behind which in may have others, and reports whether it was taken.
func (t *tap) offer(line []byte, in *bufio.Reader) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fn == nil {
		return false
	}
	behind, _ := in.Peek(in.Buffered()) // what is there can be looked at
	return t.fn(bytes.TrimSpace(line), bytes.IndexByte(behind, '\n') < 0)
}
