package swap

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"net/http"
	"sync"

	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// events reads an event stream and changes the messages in it.
type events struct {
	lines   *bufio.Scanner
	rewrite func(text []byte) []byte // changes a message; nil drops it
	hasIDs  bool                     // the client can resume the stream
}

func newEvents(body io.Reader, rewrite func([]byte) []byte) *events {
	return &events{lines: process.Lines(body, maxMessage, false), rewrite: rewrite}
}

// next returns the text of the next event. It drops an event cut off by the end of the stream.
func (e *events) next() ([]byte, error) {
	var event, data []byte
	has := false
	for e.lines.Scan() {
		line := e.lines.Bytes()
		value, isData := bytes.CutPrefix(line, []byte("data:"))
		switch {
		case isData && has:
			data = append(data, '\n')
			fallthrough
		case isData:
			has, data = true, append(data, bytes.TrimPrefix(value, []byte(" "))...)
		case len(line) > 0:
			e.hasIDs = e.hasIDs || bytes.HasPrefix(line, []byte("id:"))
			event = append(append(event, line...), '\n')
		case len(data) > 0:
			if data = e.rewrite(data); data != nil {
				return appendData(event, data), nil
			}
			event, has = nil, false
		case has: // without a message
			return append(event, "data:\n\n"...), nil
		case event != nil:
			return append(event, '\n'), nil
		}
		if len(event)+len(data) > maxMessage {
			return nil, bufio.ErrTooLong
		}
	}
	return nil, cmp.Or(e.lines.Err(), io.EOF)
}

// appendData appends the data of an event, and ends it.
func appendData(event, data []byte) []byte {
	for line := range bytes.Lines(data) {
		event = append(append(event, "data: "...), line...)
	}
	return append(event, "\n\n"...)
}

// An eventWriter writes an event stream to a client. It may be used concurrently.
type eventWriter struct {
	mu    sync.Mutex
	w     http.ResponseWriter
	begun bool // the header was sent
}

// write sends text, after the header if that was not sent yet.
func (o *eventWriter) write(text []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.begun {
		o.begun = true
		h := o.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Accel-Buffering", "no")
		o.w.WriteHeader(http.StatusOK)
	}
	_, _ = o.w.Write(text) // a failure ends the request
	_ = http.NewResponseController(o.w).Flush()
}

// hasBegun reports whether the header was sent.
func (o *eventWriter) hasBegun() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.begun
}
