package client

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/sse"
)

// events reads an event stream.
type events struct {
	reader *sse.Reader
	lastID string        // id of the last event with an id
	retry  time.Duration // reconnection delay
}

// open continues with another body.
func (e *events) open(body io.Reader) {
	e.reader = sse.NewReader(body, maxMessage)
}

// nextMessage returns the data of the next message event. It drops an event cut off by the end of the stream.
func (e *events) nextMessage() ([]byte, error) {
	for {
		event, err := e.reader.Next()
		if err != nil {
			return nil, err
		}
		if id, ok := event.Field("id"); ok && !strings.Contains(id, "\x00") {
			e.lastID = id
		}
		retry, _ := event.Field("retry")
		if ms, err := strconv.ParseUint(retry, 10, 31); err == nil {
			e.retry = max(time.Duration(ms)*time.Millisecond, minResume)
		}
		if name, _ := event.Field("event"); len(event.Data) > 0 && (name == "" || name == "message") {
			return event.Data, nil
		}
	}
}

// isEnd reports whether err is the end of a stream. A server may end a stream at any time.
func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
