package streamhttp

import (
	"bytes"
	"net/http"
	"sync"

	"github.com/mcptool-go/mcptool/runtime"
)

// legacyReply is the answer to one message in a session: JSON, or an event stream once
// something comes before the response. The stream is the session's, so that it outlives its
// connection: a client that goes has not cancelled anything, and may come back for the rest. It
// implements [runtime.Exchange].
type legacyReply struct {
	session *session
	accept  acceptable
	begun   chan struct{} // closed when there is a stream
	done    chan struct{} // closed when the answer is complete

	mu     sync.Mutex
	gone   bool // the connection has ended, and there is no stream
	stream *stream
	reader *reader
	msg    []byte // the answer, without a stream
	why    runtime.Refusal
}

func newLegacyReply(s *session, r *http.Request) *legacyReply {
	return &legacyReply{session: s, accept: accepted(r.Header), begun: make(chan struct{}), done: make(chan struct{})}
}

// Send implements [runtime.Exchange]. It never fails: nobody's going ends a call.
func (x *legacyReply) Send(msg []byte) error {
	if s := x.begin(); s != nil {
		s.append(msg, false)
	}
	return nil
}

// End implements [runtime.Exchange].
func (x *legacyReply) End(msg []byte, why runtime.Refusal) {
	defer close(x.done)
	x.mu.Lock()
	s := x.stream
	x.msg, x.why = bytes.Clone(msg), why
	x.mu.Unlock()
	if s == nil && msg != nil && !x.accept.json && why != runtime.Malformed {
		s = x.begin()
	}
	if s != nil {
		s.append(msg, true)
	}
}

// begin returns the stream; it makes one if there is none. It returns nil when the
// client reads no streams, or has gone before there was one.
func (x *legacyReply) begin() *stream {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.stream == nil && x.accept.events && !x.gone {
		x.stream, x.reader = x.session.journal.begin()
		close(x.begun)
	}
	return x.stream
}

// leave ends the connection.
func (x *legacyReply) leave() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.gone = true
	if x.stream != nil {
		x.stream.leave(x.reader)
	}
}

// deliver writes the answer as it comes.
func (h *handler) deliver(w http.ResponseWriter, r *http.Request, x *legacyReply) {
	defer x.leave()
	select {
	case <-x.begun:
	case <-x.done:
	case <-r.Context().Done():
		return
	}
	x.mu.Lock()
	stream, reader, msg, why := x.stream, x.reader, x.msg, x.why
	x.mu.Unlock()
	switch {
	case stream != nil:
		h.pump(w, r, x.session, stream, reader)
	case msg == nil:
		w.WriteHeader(http.StatusAccepted)
	case why == runtime.Malformed:
		writeJSON(w, http.StatusBadRequest, msg)
	default:
		writeJSON(w, http.StatusOK, msg)
	}
}
