package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// events reads an event stream.
type events struct {
	in     *bufio.Reader
	lastID string        // id of the last event with an id
	retry  time.Duration // reconnection delay
}

func newEvents(body io.Reader) *events {
	return &events{in: bufio.NewReaderSize(body, 32<<10), retry: resumeDelay}
}

// nextMessage returns the data of the next message event. It drops an event cut off by the end of the stream.
func (e *events) nextMessage() ([]byte, error) {
	name, data, has := "", []byte(nil), false
	for {
		line, err := readLine(e.in)
		if err != nil {
			return nil, err
		}
		line = bytes.TrimRight(line, "\r\n")
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
				return nil, errTooLong
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
}

// isEnd reports whether err is the end of a stream. A server may end a stream at any time.
func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
