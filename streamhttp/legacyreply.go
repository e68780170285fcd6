package streamhttp

import (
	"bytes"
	"net/http"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// legacyReply is the answer to one message in a session: JSON, or an event stream if another message precedes the
// response, or the response takes longer than [KeepAlive]. The stream belongs to the session and outlives its
// connection: a disconnect cancels nothing, and the client may resume the stream. It implements [engine.Writer].
type legacyReply struct {
	exchange // only the goroutine that delivers the answer writes to w; Notify and Respond may run in others
	session  *session

	begun chan struct{} // closed when the stream begins or the answer is complete

	// Guarded by mu.
	left   bool // the connection has ended
	ended  bool // the answer is complete
	stream *stream
	reader *reader
	msg    []byte     // the answer if it is not sent on a stream
	end    engine.End // of the answer
}

func newLegacyReply(s *session, q *request, streams *streams) *legacyReply {
	x := &legacyReply{exchange: newExchange(q, streams), session: s, begun: make(chan struct{})}
	x.id = bytes.Clone(x.id) // the text of the message may be dropped
	return x
}

// Notify implements [engine.Writer]. A disconnect of the client does not end the call.
func (x *legacyReply) Notify(msg []byte) error {
	if s := x.begin(); s == nil || !s.send(msg) {
		return engine.ErrUndelivered
	}
	return nil
}

// Respond implements [engine.Writer]. The response has been written when the connection has ended.
func (x *legacyReply) Respond(msg []byte, end engine.End) error {
	x.mu.Lock()
	s := x.stream
	if s == nil && msg != nil && !x.accept.json && statusOf(end.Disposition, true) == http.StatusOK {
		s = x.beginLocked()
	}
	x.ended, x.end = true, end
	x.prepare(end)
	if s == nil {
		if refusal := x.reserve(msg); refusal != nil {
			msg = refusal.message()
		}
		x.msg = bytes.Clone(msg)
		close(x.begun)
	}
	left := x.left
	x.mu.Unlock()
	if s != nil {
		s.end(msg)
	}
	if left {
		end.Wrote()
	}
	return nil
}

// begin returns the stream, and begins it if necessary. It returns nil if the client does not accept streams, has
// disconnected before the stream began, or the answer is complete without one.
func (x *legacyReply) begin() *stream {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.beginLocked()
}

func (x *legacyReply) beginLocked() *stream {
	if x.stream == nil && x.accept.events && !x.left && !x.ended && x.r.Context().Err() == nil {
		x.stream, x.reader = x.session.replay.begin()
		close(x.begun)
	}
	return x.stream
}

// leave detaches the connection, which has ended.
func (x *legacyReply) leave() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.left = true
	x.end.Wrote() // if there is an answer
	if x.stream != nil {
		x.stream.leave(x.reader)
	}
}

// deliver writes the answer to the client as it becomes available.
func (x *legacyReply) deliver() {
	defer x.leave()
	ctx := x.r.Context()
	poll, stopPolling := x.streams.poll(x.session, x.accept.events)
	defer stopPolling()
	var quiet <-chan time.Time
	if interval := x.streams.config.keepAlive; interval > 0 && x.accept.events {
		quiet = time.After(interval)
	}
	select {
	case <-x.begun:
	case <-quiet:
		x.begin()
	case <-ctx.Done():
		return
	case <-poll:
		x.begin() // its event id is where the client resumes
	}
	x.mu.Lock()
	stream, reader, msg, how := x.stream, x.reader, x.msg, x.end.Disposition
	x.mu.Unlock()
	switch {
	case stream != nil:
		x.streams.pump(ctx, poll, beginEvents(x.w), x.session, stream, reader)
	case msg != nil:
		x.writeJSON(statusOf(how, true), msg)
	case how == engine.Cancelled && x.accept.events:
		// 202 is not for requests. The stream has no event id, so clients do not try to resume it.
		beginEvents(x.w)
	default:
		x.w.WriteHeader(http.StatusAccepted)
	}
}
