package streamhttp

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// legacyReply is the answer to one message in a session: JSON, or an event stream once
// something comes before the response, or the response has taken as long as [KeepAlive]. The stream belongs to the session, so that it outlives its
// connection: a client that disconnects cancels nothing, and may resume the stream. It
// implements [runtime.Exchange].
type legacyReply struct {
	handler *handler
	session *session
	memory  *runtime.Reservation // of the message, and of its answer
	id      []byte               // of the message, nil if it has none; its own, as the text of the message may be dropped
	accept  acceptable

	protection *Protection // nil: access tokens are not verified

	// The HTTP request, which whoever delivers the answer uses.
	w http.ResponseWriter
	r *http.Request // its context ends when the client disconnects

	mu        sync.Mutex
	call      *runtime.QuickCall // that the goroutine of the request runs, nil if it has not begun one
	runs      bool               // the goroutine of the request runs the call, so it cannot deliver the answer
	early     bool               // the call is answered before its tool has returned
	delivered chan any           // gets nil, or a panic, when the deliverer has ended, see quickcall.go; nil: there is none
	released  bool               // the request does not use the session any more
	changed   chan struct{}      // closed when there is a stream, or the answer is complete; nil if nothing waits for that
	written   chan struct{}      // see Written; nil if nothing waits for that
	left      bool               // the connection has ended
	ended     bool               // the answer is complete
	stream    *stream
	reader    *reader
	msg       []byte // the answer, without a stream
	how       runtime.Disposition

	challenge string // of the answer, "" for none
}

func (h *handler) newLegacyReply(s *session, q *request) *legacyReply {
	return &legacyReply{
		handler: h, session: s, memory: q.message.Memory, id: bytes.Clone(q.message.ID()), accept: q.accept, protection: q.caller.protection,
		w: q.w, r: q.r,
	}
}

// Send implements [runtime.Exchange]. A client that disconnects does not end the call. Nothing is sent if the client would
// only get it together with the answer: msg may be a request, whose response the answer waits for.
func (x *legacyReply) Send(msg []byte) error {
	if x.accept.buffered {
		return runtime.ErrUndelivered
	}
	if s := x.begin(); s == nil || !s.append(msg, false) {
		return runtime.ErrUndelivered
	}
	return nil
}

// End implements [runtime.Exchange].
func (x *legacyReply) End(msg []byte, how runtime.Disposition) {
	x.mu.Lock()
	s := x.stream
	if s == nil && msg != nil && !x.accept.json && legacyStatus(how) == http.StatusOK {
		s = x.beginLocked()
	}
	x.ended = true
	x.notify()
	if s == nil {
		if answersBatch(msg) {
			x.memory.Add(len(msg))
		} else if err := x.memory.Answer(len(msg)); err != nil {
			msg = noMemory(x.id, err).message()
		}
		x.msg, x.how = bytes.Clone(msg), how
	}
	x.mu.Unlock()
	if s != nil {
		s.append(msg, true)
	}
}

// Written implements [runtime.Exchange].
func (x *legacyReply) Written() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.written = make(chan struct{})
	if x.left {
		close(x.written)
	}
	return x.written
}

// begin returns the stream, after it has begun one if there is none. It returns nil if the
// client accepts no streams, has disconnected before there was one, or the answer is complete without.
func (x *legacyReply) begin() *stream {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.beginLocked()
	if s != nil {
		x.beginDeliverer()
	}
	return s
}

func (x *legacyReply) beginLocked() *stream {
	if x.stream == nil && x.accept.events && !x.left && !x.ended && x.r.Context().Err() == nil {
		x.stream, x.reader = x.session.replay.begin()
		x.stream.request = x.id
		x.notify()
	}
	return x.stream
}

// notify wakes up what waits for a change. The caller holds x.mu.
func (x *legacyReply) notify() {
	if x.changed != nil {
		close(x.changed)
		x.changed = nil
	}
}

// await returns a channel that is closed when there is a stream, or the answer is complete; nil if that is so already.
func (x *legacyReply) await() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.stream == nil && !x.ended {
		x.changed = make(chan struct{})
	}
	return x.changed
}

// leave detaches the connection, which has ended.
func (x *legacyReply) leave() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.left = true
	if x.written != nil {
		close(x.written)
	}
	if x.stream != nil {
		x.stream.leave(x.reader)
	}
}

// deliver writes the answer to the client as it becomes available.
func (x *legacyReply) deliver() {
	defer x.leave()
	h := x.handler
	ctx, stop := h.untilPoll(x.r.Context(), x.session, x.accept.events)
	defer stop()
	if changed := x.await(); changed != nil {
		var quiet <-chan time.Time
		if interval := h.config.keepAlive; interval > 0 && x.accept.events {
			quiet = time.After(interval)
		}
		select {
		case <-changed:
		case <-quiet:
			x.begin()
		case <-ctx.Done():
			if !errors.Is(context.Cause(ctx), errPoll) {
				return
			}
			x.begin() // whose id tells the client where the rest will be
		}
	}
	x.mu.Lock()
	stream, reader, msg, how, challenge, isAwaited := x.stream, x.reader, x.msg, x.how, x.challenge, x.written != nil
	x.mu.Unlock()
	switch {
	case stream != nil:
		h.pump(ctx, beginEvents(x.w), x.session, stream, reader)
	case msg != nil:
		if challenge != "" {
			x.w.Header().Set(headerChallenge, challenge)
		}
		writeJSON(x.w, legacyStatus(how), msg)
		if isAwaited {
			_ = http.NewResponseController(x.w).Flush() // it fails only when the client has disconnected
		}
	case how == runtime.Cancelled && x.accept.events:
		// 202 is not for requests. The stream has no id, with which clients would try to resume it.
		beginEvents(x.w)
	default:
		x.w.WriteHeader(http.StatusAccepted)
	}
}
