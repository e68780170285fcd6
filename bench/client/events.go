package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// An event is a server-sent event. Absent fields are empty.
type event struct {
	name string
	data []byte
}

// events reads an event stream.
type events struct {
	in     *bufio.Reader
	lastID string        // id of the last event with an id
	retry  time.Duration // reconnection delay
}

func newEvents(body io.Reader) *events {
	return &events{in: bufio.NewReaderSize(body, 32<<10), retry: resumeDelay}
}

// next returns the next event with data. It drops an event cut off by the end of the stream.
func (e *events) next() (event, error) {
	var ev event
	has := false
	for {
		line, err := readLine(e.in)
		if err != nil {
			return event{}, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if has {
				return ev, nil
			}
			ev = event{}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			ev.name = string(value)
		case "data":
			if has {
				ev.data = append(ev.data, '\n')
			}
			has = true
			if ev.data = append(ev.data, value...); len(ev.data) > maxMessage {
				return event{}, errTooLong
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

// nextMessage returns the data of the next message event.
func (e *events) nextMessage() ([]byte, error) {
	for {
		ev, err := e.next()
		if err != nil || (ev.name == "" || ev.name == "message") && len(ev.data) > 0 {
			return ev.data, err
		}
	}
}

// isEnd reports whether err is the end of a stream. A server may end a stream at any time.
func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
