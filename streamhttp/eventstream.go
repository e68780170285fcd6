package streamhttp

import (
	"net/http"
	"strconv"
	"time"
)

// lastingWrite is how long one write to a stream may take. A client that reads nothing for so
// long has gone, even if its connection has not.
const lastingWrite = 30 * time.Second

// retryAfter is how long a client is told to wait before it resumes a stream.
const retryAfter = time.Second

// eventStream writes server-sent events. It is not safe for concurrent use.
type eventStream struct {
	w    http.ResponseWriter
	ctrl *http.ResponseController
	buf  []byte
}

// beginEvents commits the response to being an event stream.
func beginEvents(w http.ResponseWriter) *eventStream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	w.WriteHeader(http.StatusOK)
	return &eventStream{w: w, ctrl: http.NewResponseController(w)}
}

// message writes one event; id is "" for none. Messages have no line breaks, so one data line
// holds any.
func (s *eventStream) message(id string, msg []byte) error {
	s.buf = s.buf[:0]
	if id != "" {
		s.buf = append(append(append(s.buf, "id: "...), id...), '\n')
	}
	s.buf = append(append(append(s.buf, "data: "...), msg...), "\n\n"...)
	return s.flush()
}

// prime writes an event without a message: it says from where to resume before there
// was any, and how long to wait with that.
func (s *eventStream) prime(id string) error {
	s.buf = append(append(append(s.buf[:0], "id: "...), id...), "\nretry: "...)
	s.buf = append(strconv.AppendInt(s.buf, retryAfter.Milliseconds(), 10), "\ndata:\n\n"...)
	return s.flush()
}

// comment writes what clients ignore: a sign of life.
func (s *eventStream) comment() error {
	s.buf = append(s.buf[:0], ":\n\n"...)
	return s.flush()
}

// flush sends what is in buf, all the way to the client.
func (s *eventStream) flush() error {
	// Not every ResponseWriter has deadlines; those of servers over sockets do. It is taken
	// back, since the connection may serve other requests after this one.
	_ = s.ctrl.SetWriteDeadline(time.Now().Add(lastingWrite))
	defer func() { _ = s.ctrl.SetWriteDeadline(time.Time{}) }()
	if _, err := s.w.Write(s.buf); err != nil {
		return err
	}
	const keep = 64 << 10
	if cap(s.buf) > keep {
		s.buf = nil
	}
	return s.ctrl.Flush()
}
