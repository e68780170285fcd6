package stdio

import (
	"bytes"
	"errors"
	"io"
	"math"
)

const (
	// startBuffer is what a connection costs while messages are small.
	startBuffer = 64 << 10
	// keepBuffer is the largest buffer kept for the next message: a client
	// that sends a megabyte once in a while does not pay for growth each time,
	// and one huge message does not stay in memory for the rest of the session.
	keepBuffer = 1 << 20
	// keepHead is how much of a line over the limit is kept: an id is found there.
	keepHead = 1 << 10
	// maxEmptyReads is how often a Reader may return nothing and no error.
	maxEmptyReads = 100
)

// errLineTooLong is returned in place of a line that was longer than the limit. The line has been read to its end and
// was never held in memory.
var errLineTooLong = errors.New("line too long")

// utf8BOM is what some shells put in front of what they pipe into a program.
var utf8BOM = []byte("\xef\xbb\xbf")

// lineReader cuts a byte stream into lines. It is bufio.Scanner for lines of
// any length up to a limit, one that survives a line over the limit.
type lineReader struct {
	src io.Reader
	max int // longest line handed out, in bytes, without its line end

	buf        []byte // all of it is storage
	start, end int    // buf[start:end] is read and not handed out
	scanned    int    // buf[start:scanned] holds no newline
	skipping   bool   // the line at start is over the limit and being dropped
	head       []byte // how the line begins that was over the limit, until the next one is
	begun      bool   // the first bytes were looked at: no byte order mark from here on
	err        error  // from src; told when everything before it is handed out
}

func newLineReader(src io.Reader, limit int) *lineReader {
	limit = min(limit, math.MaxInt-2) // room for a line end
	return &lineReader{src: src, max: limit, buf: make([]byte, min(startBuffer, limit+2))}
}

// next returns the next line that is not blank, without its line end. The line
// is valid until the next call. The last line may lack a line end. The error is
// errLineTooLong, after which the next line can be read, or what the source
// ended with: io.EOF or a failure.
func (r *lineReader) next() ([]byte, error) {
	for {
		if line, ok := r.cut(); ok {
			if !r.skipping && len(line) > r.max {
				r.keepHead(line)
			}
			if r.skipping || len(line) > r.max {
				r.skipping = false
				return nil, errLineTooLong
			}
			if !isBlank(line) {
				return line, nil
			}
			continue
		}
		if r.err != nil {
			return nil, r.err
		}
		r.fill()
	}
}

// ready reports whether next would return without reading from the source.
func (r *lineReader) ready() bool {
	for {
		i := bytes.IndexByte(r.buf[r.scanned:r.end], '\n')
		if i < 0 {
			r.scanned = r.end
			return r.err != nil
		}
		r.scanned += i // where cut finds it again
		if r.skipping || !isBlank(r.buf[r.start:r.scanned]) {
			return true
		}
		r.scanned++
		r.start = r.scanned
	}
}

// detach gives the buffer away to whoever uses the line that next returned last, and goes
// on in another one.
func (r *lineReader) detach() {
	size := startBuffer
	for size < r.end-r.start {
		size *= 2
	}
	r.moveTo(make([]byte, min(size, len(r.buf))))
}

// cut takes one line off the buffer, if there is a whole one.
func (r *lineReader) cut() ([]byte, bool) {
	stop, next := r.end, r.end
	if i := bytes.IndexByte(r.buf[r.scanned:r.end], '\n'); i >= 0 {
		stop, next = r.scanned+i, r.scanned+i+1
	} else if r.scanned = r.end; r.err == nil || r.start == r.end && !r.skipping {
		return nil, false
	}
	line := r.buf[r.start:stop]
	r.start, r.scanned = next, next
	return bytes.TrimSuffix(line, []byte{'\r'}), true
}

// isBlank reports whether there is nothing on the line.
func isBlank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// fill reads once from the source, after making room in the buffer.
func (r *lineReader) fill() {
	// One byte over the limit may still be the \r of a line that fits.
	if r.end-r.start > r.max+1 {
		if !r.skipping {
			r.keepHead(r.buf[r.start:r.end])
		}
		r.skipping = true
	}
	if r.skipping || r.start == r.end {
		r.start, r.end, r.scanned = 0, 0, 0
	}
	switch {
	case len(r.buf) > keepBuffer && r.end-r.start < startBuffer:
		r.moveTo(make([]byte, startBuffer))
	case r.end < len(r.buf):
	case r.start > 0:
		r.moveTo(r.buf)
	default:
		r.moveTo(make([]byte, min(2*len(r.buf), r.max+2)))
	}
	for range maxEmptyReads {
		n, err := r.src.Read(r.buf[r.end:])
		r.end += n
		r.err = err
		if n > 0 {
			r.dropMark()
		}
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// keepHead keeps the beginning of a line that is over the limit.
func (r *lineReader) keepHead(line []byte) {
	r.head = append(r.head[:0], line[:min(len(line), keepHead)]...)
}

// moveTo makes dst the buffer, with what is not handed out at its front.
func (r *lineReader) moveTo(dst []byte) {
	n := copy(dst, r.buf[r.start:r.end])
	r.buf = dst
	r.scanned -= r.start
	r.start, r.end = 0, n
}

// dropMark takes a byte order mark off the start of the stream, once enough of
// the stream is there to see it.
func (r *lineReader) dropMark() {
	if r.begun {
		return
	}
	head := r.buf[r.start:r.end]
	if len(head) < len(utf8BOM) && bytes.HasPrefix(utf8BOM, head) {
		return
	}
	r.begun = true
	if bytes.HasPrefix(head, utf8BOM) {
		r.start += len(utf8BOM)
		r.scanned = max(r.scanned, r.start)
	}
}
