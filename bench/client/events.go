package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// An event is one of an event stream. What it has not is empty.
type event struct {
	name string
	data []byte
}

// events reads an event stream.
type events struct {
	in     *bufio.Reader
	lastID string        // of the last event that had one
	retry  time.Duration // how long to wait before asking for the rest
}

func newEvents(body io.Reader) *events {
	return &events{in: bufio.NewReaderSize(body, 32<<10), retry: resumeDelay}
}

// next returns the next event that has data. An event that is cut off by the end is none.
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

// nextMessage returns the data of the next event that has a message.
func (e *events) nextMessage() ([]byte, error) {
	for {
		ev, err := e.next()
		if err != nil || (ev.name == "" || ev.name == "message") && len(ev.data) > 0 {
			return ev.data, err
		}
	}
}

// isEnd reports whether err is the end of a stream, which its sender may choose.
func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
