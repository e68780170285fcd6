package streamhttp

import (
	"bytes"
	"context"
	"errors"
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
	who     *visitor
	memory  *runtime.Reservation // of the message, and of its answer
	accept  acceptable
	begun   chan struct{} // closed when there is a stream
	done    chan struct{} // closed when the answer is complete

	mu      sync.Mutex
	written chan struct{} // see Written; nil if nobody waits for that
	gone    bool          // the connection has ended, and there is no stream
	over    bool          // the answer is complete
	stream  *stream
	reader  *reader
	msg     []byte // the answer, without a stream
	why     runtime.Refusal

	challenge string // that goes with the answer, "" for none
}

func newLegacyReply(s *session, r *http.Request, m *runtime.Message) *legacyReply {
	return &legacyReply{session: s, who: visitorOf(r), memory: m.Memory, accept: accepted(r.Header), begun: make(chan struct{}), done: make(chan struct{})}
}

// Send implements [runtime.Exchange]. Nobody's going ends a call.
func (x *legacyReply) Send(msg []byte) error {
	if s := x.begin(); s == nil || !s.append(msg, false) {
		return runtime.ErrUndelivered
	}
	return nil
}

// End implements [runtime.Exchange].
func (x *legacyReply) End(msg []byte, why runtime.Refusal) {
	defer close(x.done)
	x.mu.Lock()
	s := x.stream
	if s == nil && msg != nil && !x.accept.json && legacyStatus(why) == http.StatusOK {
		s = x.beginLocked()
	}
	x.over = true
	if s == nil {
		x.memory.Add(len(msg))
		x.msg, x.why = bytes.Clone(msg), why
	}
	x.mu.Unlock()
	if s != nil {
		s.append(msg, true)
	}
}

// Written implements [runtime.Deferred].
func (x *legacyReply) Written() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.written = make(chan struct{})
	if x.gone {
		close(x.written)
	}
	return x.written
}

// begin returns the stream; it makes one if there is none. It returns nil when the
// client reads no streams, or has gone before there was one, or the answer is complete without.
func (x *legacyReply) begin() *stream {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.beginLocked()
}

func (x *legacyReply) beginLocked() *stream {
	if x.stream == nil && x.accept.events && !x.gone && !x.over {
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
	if x.written != nil {
		close(x.written)
	}
	if x.stream != nil {
		x.stream.leave(x.reader)
	}
}

// deliver writes the answer as it comes.
func (h *handler) deliver(w http.ResponseWriter, r *http.Request, x *legacyReply) {
	defer x.leave()
	turn, stop := h.turn(r.Context(), x.session, x.accept.events)
	defer stop()
	select {
	case <-x.begun:
	case <-x.done:
	case <-turn.Done():
		if !errors.Is(context.Cause(turn), errTurn) {
			return
		}
		x.begin() // to tell the client where the rest will be
	}
	x.mu.Lock()
	stream, reader, msg, why, challenge, isAwaited := x.stream, x.reader, x.msg, x.why, x.challenge, x.written != nil
	x.mu.Unlock()
	switch {
	case stream != nil:
		h.pump(turn, beginEvents(w), x.session, stream, reader)
	case msg == nil:
		w.WriteHeader(http.StatusAccepted)
	default:
		if challenge != "" {
			w.Header().Set(headerChallenge, challenge)
		}
		writeJSON(w, legacyStatus(why), msg)
		if isAwaited {
			_ = http.NewResponseController(w).Flush() // who does not read it has gone
		}
	}
}
