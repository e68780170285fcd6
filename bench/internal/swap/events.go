package swap

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// events reads an event stream and changes the messages in it.
type events struct {
	body    io.ReadCloser
	lines   *bufio.Scanner
	prefix  string                   // put before event ids, so that they tell the process
	rewrite func(text []byte) []byte // changes a message; nil drops it
	ended   func(err error) [][]byte // returns the messages that follow the end of the stream
	hasIDs  *atomic.Bool             // set if an event has an id; may be nil
	buffer  []byte                   // for Read
	isOver  bool
}

func newEvents(body io.ReadCloser, prefix string, rewrite func([]byte) []byte, ended func(error) [][]byte) *events {
	e := &events{body: body, lines: bufio.NewScanner(body), prefix: prefix, rewrite: rewrite, ended: ended}
	e.lines.Buffer(make([]byte, 0, 32<<10), maxMessage)
	return e
}

// next returns the text of the next event. It drops an event cut off by the end of the stream.
func (e *events) next() ([]byte, error) {
	var event, data []byte
	has := false
	for e.lines.Scan() {
		line := e.lines.Bytes()
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0 && has && len(data) > 0:
			if data = e.rewrite(data); data == nil {
				event, has = nil, false
				continue
			}
			return appendData(event, data), nil
		case len(line) == 0 && has:
			return append(event, "data:\n\n"...), nil
		case len(line) == 0 && event != nil:
			return append(event, '\n'), nil
		case len(line) == 0:
		case string(field) == "data":
			if has {
				data = append(data, '\n')
			}
			has, data = true, append(data, value...)
		case string(field) == "id" && len(value) > 0:
			if e.hasIDs != nil {
				e.hasIDs.Store(true)
			}
			event = append(append(append(append(event, "id: "...), e.prefix...), value...), '\n')
		default:
			event = append(append(event, line...), '\n')
		}
		if len(event)+len(data) > maxMessage {
			return nil, bufio.ErrTooLong
		}
	}
	if err := e.lines.Err(); err != nil {
		return nil, err
	}
	return nil, io.EOF
}

// appendData appends the data of an event, and ends it.
func appendData(event, data []byte) []byte {
	for line := range bytes.Lines(data) {
		event = append(append(event, "data: "...), line...)
	}
	return append(event, "\n\n"...)
}

// Read implements io.Reader for the changed stream.
func (e *events) Read(p []byte) (int, error) {
	for len(e.buffer) == 0 {
		if e.isOver {
			return 0, io.EOF
		}
		event, err := e.next()
		if err != nil {
			e.isOver = true
			for _, text := range e.ended(err) {
				event = appendData(event, text)
			}
		}
		e.buffer = event
	}
	n := copy(p, e.buffer)
	e.buffer = e.buffer[n:]
	return n, nil
}

func (e *events) Close() error { return e.body.Close() }

// An eventWriter writes an event stream to a client.
type eventWriter struct {
	mu    sync.Mutex
	w     http.ResponseWriter
	begun bool
}

// begin sends the header, once.
func (o *eventWriter) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.begun {
		return
	}
	o.begun = true
	h := o.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	o.w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(o.w).Flush() // a failure ends the request
}

// hasBegun reports whether the header was sent.
func (o *eventWriter) hasBegun() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.begun
}

// write sends an event.
func (o *eventWriter) write(event []byte) {
	o.begin()
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = o.w.Write(event) // a failure ends the request
	_ = http.NewResponseController(o.w).Flush()
}
