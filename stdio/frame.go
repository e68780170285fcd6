package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
)

const (
	// readBuffer is the size of the buffer before the lines, in bytes.
	readBuffer = 64 << 10
	// keepLine is the largest line whose memory is kept for the next lines, in bytes. It avoids growing for each of
	// several messages of a megabyte, but does not keep the memory of a huge message for the rest of the session.
	keepLine = 1 << 20
	// keepHead is how many bytes of a line over the limit are returned, to find its id.
	keepHead = 1 << 10
)

// errLineTooLong is returned with the beginning of a line that is longer than the limit. The line has been read to its
// end, but not kept in memory.
var errLineTooLong = errors.New("line too long")

// utf8BOM is the byte order mark that some shells write before the data they pipe into a program.
var utf8BOM = []byte("\xef\xbb\xbf")

// lineReader splits a byte stream into lines. Unlike bufio.Scanner, it
// continues with the next line after a line over the limit.
type lineReader struct {
	src   *bufio.Reader
	max   int    // longest line that is returned, in bytes, without its line end
	line  []byte // the last line
	begun bool   // a line was read, so no byte order mark follows
	err   error  // from src; returned after all lines before it
}

func newLineReader(src io.Reader, limit int) *lineReader {
	return &lineReader{src: bufio.NewReaderSize(src, readBuffer), max: min(limit, math.MaxInt-readBuffer)}
}

// next returns the next line that is not blank, without its line end. The line
// is valid until the next call. The last line need not have a line end. The
// error is errLineTooLong, after which the next line can be read, or the error
// of the source, such as io.EOF.
func (r *lineReader) next() ([]byte, error) {
	for r.err == nil {
		r.read()
		line := bytes.TrimSuffix(bytes.TrimSuffix(r.line, []byte{'\n'}), []byte{'\r'})
		if !r.begun {
			r.begun = true
			line = bytes.TrimPrefix(line, utf8BOM)
		}
		switch {
		case len(line) > r.max:
			return line[:min(len(line), keepHead)], errLineTooLong
		case !isBlank(line):
			return line, nil
		}
	}
	return nil, r.err
}

// read reads one line up to its end, and keeps it, or if it is over the limit, its beginning.
func (r *lineReader) read() {
	r.line = r.line[:0]
	if cap(r.line) > keepLine {
		r.line = nil
	}
	most := r.max + len("\xef\xbb\xbf\r\n") + 1 // a line of that length is over the limit, also without these
	for {
		part, err := r.src.ReadSlice('\n')
		part = part[:min(len(part), most-len(r.line))]
		if size := len(r.line) + len(part); size > cap(r.line) { // append would leave more garbage
			larger := make([]byte, len(r.line), min(max(size, 2*len(r.line)), most))
			copy(larger, r.line)
			r.line = larger
		}
		r.line = append(r.line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			r.err = err
			return
		}
	}
}

// Ready implements [engine.Source].
func (r *lineReader) Ready() bool {
	for {
		buffered, _ := r.src.Peek(r.src.Buffered())
		line, _, complete := bytes.Cut(buffered, []byte{'\n'})
		if !complete || !isBlank(line) {
			return complete || r.err != nil
		}
		_, _ = r.src.Discard(len(line) + 1)
	}
}

// Detach implements [engine.Source].
func (r *lineReader) Detach() { r.line = nil }

// isBlank reports whether the line has only white space.
func isBlank(line []byte) bool {
	return !slices.ContainsFunc(line, func(c byte) bool { return c != ' ' && c != '\t' && c != '\r' })
}
