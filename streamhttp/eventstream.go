package streamhttp

import (
	"errors"
	"net/http"
	"strconv"
	"time"
)

// retryAfter is how long a client should wait before it resumes a stream.
const retryAfter = time.Second

// eventStream writes server-sent events. It is not safe for concurrent use.
type eventStream struct {
	w    http.ResponseWriter
	kind string // event type of the messages; "" for the default, which is "message"
	buf  []byte
}

// beginEvents begins an event stream as the response.
func beginEvents(w http.ResponseWriter) *eventStream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no") // otherwise nginx buffers events
	w.WriteHeader(http.StatusOK)
	return &eventStream{w: w}
}

// message writes one event; id may be "". Messages contain no line breaks, so one data line suffices.
func (s *eventStream) message(id string, msg []byte) error {
	s.buf = s.buf[:0]
	if s.kind != "" {
		s.buf = append(append(append(s.buf, "event: "...), s.kind...), '\n')
	}
	if id != "" {
		s.buf = append(append(append(s.buf, "id: "...), id...), '\n')
	}
	s.buf = append(append(append(s.buf, "data: "...), msg...), "\n\n"...)
	return s.flush()
}

// prime writes an event without a message. Its id is the position from which to resume if no other event follows, and
// wait is how long to wait before that.
func (s *eventStream) prime(id string, wait time.Duration) error {
	s.buf = append(append(append(s.buf[:0], "id: "...), id...), "\nretry: "...)
	s.buf = append(strconv.AppendInt(s.buf, wait.Milliseconds(), 10), "\ndata:\n\n"...)
	return s.flush()
}

// comment writes a comment, which clients ignore, as keepalive.
func (s *eventStream) comment() error {
	s.buf = append(s.buf[:0], ":\n\n"...)
	return s.flush()
}

// flush sends the content of buf to the client.
func (s *eventStream) flush() error {
	err := writeFlushed(s.w, s.buf)
	const keep = 64 << 10
	if s.buf = s.buf[:0]; cap(s.buf) > keep {
		s.buf = nil
	}
	return err
}

const (
	// writeTimeout bounds the write of each chunk. A client that does not read for that time counts as disconnected,
	// even if its connection is still open.
	writeTimeout = 30 * time.Second
	// writeChunk is the number of bytes written with one deadline, so that a large answer may take as long as a slow
	// connection needs.
	writeChunk = 256 << 10
	// maxUndeadlined is the maximum size of an answer that is written without a deadline, in bytes: net/http keeps that
	// much until the handler has returned. [Serve] sets a deadline for it then. With another http.Server, unread answers of
	// this size cost no more than idle connections, but are not closed as these are.
	maxUndeadlined = 2 << 10
)

// writeFlushed writes to a client with a deadline for each chunk, so that a client that does not read cannot block the
// writer for longer, and flushes if possible; otherwise the client gets the data at the end of the response.
func writeFlushed(w http.ResponseWriter, data []byte) error {
	ctrl := http.NewResponseController(w)
	// Only some ResponseWriters support deadlines, such as the one of net/http. The deadline is cleared because the
	// connection may serve other requests after this one.
	defer func() { _ = ctrl.SetWriteDeadline(time.Time{}) }()
	for {
		_ = ctrl.SetWriteDeadline(time.Now().Add(writeTimeout))
		n := min(len(data), writeChunk)
		if _, err := w.Write(data[:n]); err != nil {
			return err
		}
		if data = data[n:]; len(data) == 0 {
			if err := ctrl.Flush(); !errors.Is(err, http.ErrNotSupported) {
				return err
			}
			return nil
		}
	}
}
