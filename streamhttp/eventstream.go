package streamhttp

import (
	"net/http"
	"strconv"
	"time"
)

// retryAfter is how long a client should wait before it resumes a stream.
const retryAfter = time.Second

// eventStream writes server-sent events. It is not safe for concurrent use.
type eventStream struct {
	out   deadlineWriter
	named bool // each message has the event type "message"
	buf   []byte
}

// beginEvents begins an event stream as the response.
func beginEvents(w http.ResponseWriter) *eventStream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no") // otherwise nginx buffers events
	w.WriteHeader(http.StatusOK)
	return &eventStream{out: newDeadlineWriter(w)}
}

// event writes an event that is not a message. The data must not contain line breaks.
func (s *eventStream) event(name, data string) error {
	s.buf = append(append(append(s.buf[:0], "event: "...), name...), "\ndata: "...)
	s.buf = append(append(s.buf, data...), "\n\n"...)
	return s.flush()
}

// message writes one event; id may be "". Messages contain no line breaks, so one data line suffices.
func (s *eventStream) message(id string, msg []byte) error {
	s.buf = s.buf[:0]
	if s.named {
		s.buf = append(s.buf, "event: message\n"...)
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
	err := s.out.send(s.buf)
	const keep = 64 << 10
	if s.buf = s.buf[:0]; cap(s.buf) > keep {
		s.buf = nil
	}
	return err
}
