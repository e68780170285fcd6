package streamhttp

import (
	"net/http"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// retryAfter is how long a client is told to wait before it resumes a stream.
const retryAfter = time.Second

// eventStream writes server-sent events. It is not safe for concurrent use.
type eventStream struct {
	out   outlet
	named bool // each message says that it is one
	buf   []byte
}

// enterStream counts a stream that is open without a call, until leave. If there cannot be one more that is answered;
// id is that of the message.
func (h *handler) enterStream(w http.ResponseWriter, access *runtime.Access, id []byte) (leave func(), ok bool) {
	caller := access.Caller()
	if err := h.streams.Take(caller, 1); err != nil {
		refuseSession(w, id, limitError(err, h.streams, "event streams"))
		return nil, false
	}
	return func() { h.streams.Give(caller, 1) }, true
}

// beginEvents commits the response to being an event stream.
func beginEvents(w http.ResponseWriter) *eventStream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	w.WriteHeader(http.StatusOK)
	return &eventStream{out: newOutlet(w)}
}

// event writes an event of another kind than a message. Its data have no line breaks.
func (s *eventStream) event(name, data string) error {
	s.buf = append(append(append(s.buf[:0], "event: "...), name...), "\ndata: "...)
	s.buf = append(append(s.buf, data...), "\n\n"...)
	return s.flush()
}

// message writes one event; id is "" for none. Messages have no line breaks, so one data line
// holds any.
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

// prime writes an event without a message: it says from where to resume before there
// was any, and how long to wait with that.
func (s *eventStream) prime(id string, wait time.Duration) error {
	s.buf = append(append(append(s.buf[:0], "id: "...), id...), "\nretry: "...)
	s.buf = append(strconv.AppendInt(s.buf, wait.Milliseconds(), 10), "\ndata:\n\n"...)
	return s.flush()
}

// comment writes what clients ignore: a sign of life.
func (s *eventStream) comment() error {
	s.buf = append(s.buf[:0], ":\n\n"...)
	return s.flush()
}

// flush sends what is in buf, all the way to the client.
func (s *eventStream) flush() error {
	err := s.out.send(s.buf)
	const keep = 64 << 10
	if s.buf = s.buf[:0]; cap(s.buf) > keep {
		s.buf = nil
	}
	return err
}
