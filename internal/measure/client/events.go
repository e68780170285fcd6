package client

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"
	"time"
)

// events reads an event stream.
type events struct {
	lines  *bufio.Scanner
	lastID string        // id of the last event with an id
	retry  time.Duration // reconnection delay
}

// open continues with another body.
func (e *events) open(body io.Reader) {
	e.lines = bufio.NewScanner(body)
	e.lines.Buffer(make([]byte, 0, 32<<10), maxMessage)
	e.lines.Split(lines(false))
}

// lines returns a function that splits as [bufio.ScanLines], but searches each byte once: that one searches a large line
// from the beginning after each read. A last line without a line break is a line only if unfinished is set.
func lines(unfinished bool) bufio.SplitFunc {
	searched := 0
	return func(data []byte, atEOF bool) (int, []byte, error) {
		i := bytes.IndexByte(data[searched:], '\n')
		switch {
		case i >= 0:
			end := searched + i
			searched = 0
			return end + 1, bytes.TrimSuffix(data[:end], []byte("\r")), nil
		case atEOF && unfinished && len(data) > 0:
			searched = 0
			return len(data), bytes.TrimSuffix(data, []byte("\r")), nil
		}
		searched = len(data)
		return 0, nil, nil
	}
}

// nextMessage returns the data of the next message event. It drops an event cut off by the end of the stream.
func (e *events) nextMessage() ([]byte, error) {
	name, data, has := "", []byte(nil), false
	for e.lines.Scan() {
		line := e.lines.Bytes()
		if len(line) == 0 {
			if len(data) > 0 && (name == "" || name == "message") {
				return data, nil
			}
			name, data, has = "", nil, false
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "data":
			if has {
				data = append(data, '\n')
			}
			has = true
			if data = append(data, value...); len(data) > maxMessage {
				return nil, bufio.ErrTooLong
			}
		case "id":
			if !bytes.Contains(value, []byte{0}) {
				e.lastID = string(value)
			}
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				e.retry = max(time.Duration(ms)*time.Millisecond, minResume)
			}
		}
	}
	return nil, cmp.Or(e.lines.Err(), io.EOF)
}

// isEnd reports whether err is the end of a stream. A server may end a stream at any time.
func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
