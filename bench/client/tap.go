package client

import (
	"bufio"
	"bytes"
	"errors"
	"sync"
)

// A Stream gives access to the pipes of a command for load generation. Calls can be batched in one write, and responses
// are handled by the reading goroutine. The client remains usable.
type Stream struct{ command *command }

// Stream returns the pipes of the command; false over HTTP.
func (c *Client) Stream() (Stream, bool) {
	command, ok := c.conn.(*command)
	return Stream{command}, ok
}

// Write writes complete lines, each a call as encoded by [Prepared.Append]. It may block until the server reads, or
// until Close. It is safe for concurrent use.
func (s Stream) Write(lines []byte) error {
	_, err := s.command.in.pipe.Write(lines)
	return err
}

// Queue is Write without blocking: the lines are written after the pending messages of the client. It copies lines.
func (s Stream) Queue(lines []byte) { s.command.in.put(bytes.TrimSuffix(lines, []byte("\n"))) }

// Tap calls tap with each line from the server, in the only reading goroutine, so reading waits for tap to return. last
// reports that no other complete line is buffered. If tap returns false, the client handles the line. A line may be
// empty. A nil tap restores the default and waits for a running call of tap.
func (s Stream) Tap(tap func(line []byte, last bool) bool) { s.command.tap.set(tap) }

// CloseWrite closes the stdin of the command after all pending writes, and leaves its stdout open, so that the command
// can respond and exit. No further messages can be sent.
func (s Stream) CloseWrite() { s.command.in.close(grace) }

// Dead is closed when the server has closed its output.
func (s Stream) Dead() <-chan struct{} { return s.command.over }

// Err returns why the server closed its output; nil while it is open.
func (s Stream) Err() error {
	select {
	case <-s.command.over:
		return s.command.lostError("tools/call")
	default:
		return nil
	}
}

// A tap intercepts lines before the client handles them.
type tap struct {
	mu sync.Mutex
	fn func(line []byte, last bool) bool
}

func (t *tap) set(fn func([]byte, bool) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fn = fn
}

// readLine returns the next line not taken by the tap. The caller may keep the line. The tap receives lines in the read
// buffer, without a copy.
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

// offer passes a line to the tap and reports whether the tap took it. in has the data after it.
func (t *tap) offer(line []byte, in *bufio.Reader) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fn == nil {
		return false
	}
	behind, _ := in.Peek(in.Buffered()) // buffered data can always be peeked at
	return t.fn(bytes.TrimSpace(line), bytes.IndexByte(behind, '\n') < 0)
}
