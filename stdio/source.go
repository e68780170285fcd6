package stdio

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/mcptool-go/mcptool/internal/bytesize"
)

const (
	// readBuffer is the size of the buffer before the lines, in bytes.
	readBuffer = 64 << 10
	// keepLine is the largest line whose memory is kept for the next lines, in bytes. It avoids growing for each of
	// several messages of a megabyte, but does not keep the memory of a huge message for the rest of the session.
	keepLine = 1 << 20
	// keepHead is how many bytes of a line over the limit are passed on, to find its id.
	keepHead = 1 << 10
)

// utf8BOM is the byte order mark that some shells write before the data they pipe into a program.
var utf8BOM = []byte("\xef\xbb\xbf")

// source is the [engine.Source] of a connection: the lines of a byte stream. Unlike with bufio.Scanner, the lines after one
// over the limit can be read. It ends when the stream or ctx ends.
type source struct {
	ctx    context.Context
	reject func(reason error, start []byte) // refuses a line over the limit

	stream *bufio.Reader
	max    int    // longest line that is returned, in bytes, without its line end
	line   []byte // the last line
	begun  bool   // a line was read, so no byte order mark follows
	err    error  // returned after all lines before it
}

func newSource(ctx context.Context, stream io.Reader, limit int, reject func(reason error, start []byte)) *source {
	return &source{ctx: ctx, reject: reject, stream: bufio.NewReaderSize(stream, readBuffer), max: min(limit, math.MaxInt-readBuffer)}
}

// Next implements [engine.Source]. It returns the next line that is not blank, without its line end, which the last line
// need not have. The line is valid until the next call.
func (s *source) Next() ([]byte, error) {
	for s.err == nil {
		s.read()
		line := bytes.TrimSuffix(bytes.TrimSuffix(s.line, []byte{'\n'}), []byte{'\r'})
		if !s.begun {
			s.begun = true
			line = bytes.TrimPrefix(line, utf8BOM)
		}
		switch {
		case s.ctx.Err() != nil:
			s.err = io.EOF // the session has stopped reading, so the result does not matter
		case len(line) > s.max: // only its beginning was kept
			s.reject(fmt.Errorf("the message is larger than %s", bytesize.Text(int64(s.max))), line[:min(len(line), keepHead)])
		case !isBlank(line):
			return line, nil
		}
	}
	return nil, s.err
}

// read reads one line up to its end, and keeps it, or if it is over the limit, its beginning.
func (s *source) read() {
	s.line = s.line[:0]
	if cap(s.line) > keepLine {
		s.line = nil
	}
	most := s.max + len("\xef\xbb\xbf\r\n") + 1 // a line of that length is over the limit, also without these
	for {
		part, err := s.stream.ReadSlice('\n')
		part = part[:min(len(part), most-len(s.line))]
		if size := len(s.line) + len(part); size > cap(s.line) { // append would leave more garbage
			larger := make([]byte, len(s.line), min(max(size, 2*len(s.line)), most))
			copy(larger, s.line)
			s.line = larger
		}
		s.line = append(s.line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			s.err = err
			return
		}
	}
}

// Ready implements [engine.Source].
func (s *source) Ready() bool {
	for {
		buffered, _ := s.stream.Peek(s.stream.Buffered())
		line, _, complete := bytes.Cut(buffered, []byte{'\n'})
		if !complete || !isBlank(line) {
			return complete || s.err != nil
		}
		_, _ = s.stream.Discard(len(line) + 1)
	}
}

// Detach implements [engine.Source].
func (s *source) Detach() { s.line = nil }

// isBlank reports whether the line has only white space.
func isBlank(line []byte) bool {
	return !slices.ContainsFunc(line, func(c byte) bool { return c != ' ' && c != '\t' && c != '\r' })
}
