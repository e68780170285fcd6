package client

import (
	"bufio"
	"bytes"
	"errors"
	"sync"
)

// A Stream is the pipes of a command, for calls in numbers: what is sent together goes out in one
// write, and answers are heard where they are read, without a goroutine waiting for each. The client
// goes on working besides.
type Stream struct{ command *command }

// Stream returns the pipes of the command; false over HTTP, which has none.
func (c *Client) Stream() (Stream, bool) {
	command, ok := c.link.(*command)
	return Stream{command}, ok
}

// Write writes whole lines, each a call as [Prepared.Append] makes it. It may block until the server reads, and
// until Close. It is safe for concurrent use.
func (s Stream) Write(lines []byte) error {
	_, err := s.command.in.pipe.Write(lines)
	return err
}

// Tap has each line from the server shown to tap, by the one goroutine that reads: while it runs,
// nothing is read. last says that no other complete line has come yet. Lines that tap returns false for
// go where they would go without it; a line may be empty. A nil tap ends it, and waits for the
// call that runs.
func (s Stream) Tap(tap func(line []byte, last bool) bool) { s.command.tap.set(tap) }

// Dead is closed when nothing can come from the server any more.
func (s Stream) Dead() <-chan struct{} { return s.command.over }

// Trouble says why nothing comes any more; nil while something can.
func (s Stream) Trouble() error {
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
