package proxy

import (
	"bufio"
	"bytes"
	"io"

	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// An eventReader is a stream of events whose messages have passed a filter. An event that the stream cuts off is dropped,
// as clients do.
type eventReader struct {
	body   io.ReadCloser
	lines  *bufio.Scanner
	filter Filter
	ready  []byte // filtered, and not yet read
}

func newEventReader(body io.ReadCloser, filter Filter) *eventReader {
	return &eventReader{body: body, lines: process.Lines(body, maxMessage, true), filter: filter}
}

// Close implements [io.Closer].
func (e *eventReader) Close() error { return e.body.Close() }

// Read implements [io.Reader].
func (e *eventReader) Read(p []byte) (int, error) {
	for len(e.ready) == 0 {
		if err := e.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// next makes the next event ready, or the comments before it. An event that is dropped leaves its other fields, since
// clients resume a stream after the last id.
func (e *eventReader) next() error {
	var fields, data []byte
	has := false
	for e.lines.Scan() {
		line := e.lines.Bytes()
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case len(line) == 0:
			if has {
				fields = append(fields, e.data(data)...)
			}
			e.ready = append(fields, '\n')
			return nil
		case line[0] == ':' && fields == nil && !has: // often sent alone, to keep the connection
			e.ready = append(bytes.Clone(line), '\n')
			return nil
		case string(name) == "data":
			if has {
				data = append(data, '\n')
			}
			has = true
			if data = append(data, bytes.TrimPrefix(value, []byte(" "))...); len(data) > maxMessage {
				return bufio.ErrTooLong
			}
		default:
			fields = append(append(fields, line...), '\n')
		}
	}
	if err := e.lines.Err(); err != nil {
		return err
	}
	return io.EOF
}

// data returns the data field of an event, "" if it is dropped.
func (e *eventReader) data(data []byte) []byte {
	passed, isMessage := e.filter.pass(ToClient, data)
	switch {
	case !isMessage:
		return append(append([]byte("data: "), bytes.ReplaceAll(data, []byte("\n"), []byte("\ndata: "))...), '\n')
	case passed == nil:
		return nil
	default:
		return append(append([]byte("data: "), oneLine(passed)...), '\n')
	}
}
