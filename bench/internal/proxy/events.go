package proxy

import (
	"io"

	"github.com/mcptool-go/mcptool/internal/measure/sse"
)

// An eventReader is a stream of events whose messages have passed a filter. An event that the stream cuts off is dropped,
// as clients do.
type eventReader struct {
	io.Closer // the stream
	events    *sse.Reader
	filter    Filter
	ready     []byte // filtered, and not yet read
}

func newEventReader(stream io.ReadCloser, filter Filter) *eventReader {
	return &eventReader{Closer: stream, events: sse.NewReader(stream, maxMessage), filter: filter}
}

// Read implements [io.Reader]. An event that is dropped leaves its other fields, since clients resume a stream after the
// last id.
func (e *eventReader) Read(p []byte) (int, error) {
	if len(e.ready) == 0 {
		event, err := e.events.Next()
		if err != nil {
			return 0, err
		}
		if passed, isMessage := e.filter.pass(ToClient, event.Data); isMessage && passed != nil {
			event.Data = oneLine(passed)
		} else if isMessage {
			event.Data = nil
		}
		e.ready = event.Append(nil)
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}
