package client

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// events reads an event stream.
type events struct {
	lines  *bufio.Scanner
	lastID string        // id of the last event with an id
	retry  time.Duration // reconnection delay
}

// open continues with another body.
func (e *events) open(body io.Reader) {
	e.lines = process.Lines(body, maxMessage, false)
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
