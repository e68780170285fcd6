package stdio

import (
	"bytes"
	"errors"
	"io"
	"math"
)

const (
	// startBuffer is the size of the buffer while messages are small, in bytes.
	startBuffer = 64 << 10
	// keepBuffer is the largest buffer that is kept for the next message. It
	// avoids growing the buffer for each of several messages of a megabyte, but
	// does not keep the memory of a huge message for the rest of the session.
	keepBuffer = 1 << 20
	// keepHead is how many bytes of a line over the limit are kept, to find its id.
	keepHead = 1 << 10
	// maxEmptyReads is how often in a row a Reader may return 0 bytes without an error.
	maxEmptyReads = 100
)

// errLineTooLong is returned in place of a line that is longer than the limit. The line has been read to its end, but
// not kept in memory.
var errLineTooLong = errors.New("line too long")

// utf8BOM is the byte order mark that some shells write before the data they pipe into a program.
var utf8BOM = []byte("\xef\xbb\xbf")

// lineReader splits a byte stream into lines. Unlike bufio.Scanner, it
// continues with the next line after a line over the limit.
type lineReader struct {
	src io.Reader
	max int // longest line that is returned, in bytes, without its line end

	buf        []byte // all of it is storage
	start, end int    // buf[start:end] was read, but not returned
	scanned    int    // buf[start:scanned] does not contain a newline
	skipping   bool   // the line at start is over the limit and is being skipped
	head       []byte // the beginning of the last line that was over the limit
	begun      bool   // the beginning of the stream was checked for a byte order mark
	err        error  // from src; returned after all lines before it
}

func newLineReader(src io.Reader, limit int) *lineReader {
	limit = min(limit, math.MaxInt-2) // so that limit+2, with a line end, does not overflow
	return &lineReader{src: src, max: limit, buf: make([]byte, min(startBuffer, limit+2))}
}

// next returns the next line that is not blank, without its line end. The line
// is valid until the next call. The last line need not have a line end. The
// error is errLineTooLong, after which the next line can be read, or the error
// of the source, such as io.EOF.
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
		r.scanned += i // cut finds the newline there without a search
		if r.skipping || !isBlank(r.buf[r.start:r.scanned]) {
			return true
		}
		r.scanned++
		r.start = r.scanned
	}
}

// detach leaves the buffer to the user of the last line that next has returned, and
// continues with a new one.
func (r *lineReader) detach() {
	size := startBuffer
	for size < r.end-r.start {
		size *= 2
	}
	r.moveTo(make([]byte, min(size, len(r.buf))))
}

// cut removes one line from the buffer, if it contains a complete one. At the end of the
// source the rest is a complete line.
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

// isBlank reports whether the line has only white space.
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
	// One byte over the limit may be the \r of a line that is within it.
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

// moveTo makes dst the buffer, and moves the data that was not returned to its beginning.
func (r *lineReader) moveTo(dst []byte) {
	n := copy(dst, r.buf[r.start:r.end])
	r.buf = dst
	r.scanned -= r.start
	r.start, r.end = 0, n
}

// dropMark removes a byte order mark from the beginning of the stream, once
// enough of the stream was read to recognize it.
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
