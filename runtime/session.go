package runtime

import (
	"context"
	"errors"
	"sync"
	"weak"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// session is the [engine.Session] of one client on one connection.
type session struct {
	origin

	end   context.CancelCauseFunc // ends the session's context
	out   engine.Outbox
	batch batcher // out, if it implements batcher

	keepalive keepalive
	changes   *notify.Client
	legacy    *notify.Stream // the notifications of changes to a legacy client

	mu        sync.Mutex
	confirmed bool // notifications/initialized has arrived
	requests  openRequests
	questions questions       // requests to the client
	listens   int             // number of subscriptions among requests
	results   []*storeRequest // of the subscriptions, those that wait for the end of a task; the oldest first
	resources subscriptions   // of a legacy client
	calls     callQueue
	flushes   flushes
	op        *observation  // of the session, until it ends
	opEnded   chan struct{} // closed when op has ended; nil before the handshake
	closing   bool          // no new work is begun
	idle      chan struct{} // closed when nothing is running; created by Close
}

func newSession(ctx context.Context, c *core, out engine.Outbox) *session {
	s := &session{out: out, requests: openRequests{byKey: map[string]pending{}}}
	s.core, s.peer, s.session, s.self = c, s, s, weak.Make(&s.origin)
	s.batch, _ = out.(batcher)
	s.ctx, s.end = context.WithCancelCause(ctx)
	s.changes = c.notices.NewClient(ctx, c.log, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.checkIdle()
	})
	s.legacy = s.changes.NewStream(func(l notify.List) { s.note(append(l.AppendChanged(nil), '}')) })
	s.calls.session, s.calls.room.L = s, &s.mu
	s.resources.session = s
	s.logLevel.Store(int32(wire.DefaultLogLevel))
	s.keepalive.session = s
	context.AfterFunc(s.ctx, s.ended) //nolint:contextcheck // ends with the context, nothing to inherit
	return s
}

// Context implements [engine.Session].
func (s *session) Context() context.Context { return s.ctx }

// interrupt implements [peer]: it ends the context of the session.
func (s *session) interrupt(cause error) { s.end(cause) }

// ended wakes up everything that waits, after the context of the session has ended. More calls only wait until the
// observer was notified, at most for [Limits.CloseGrace].
func (s *session) ended() {
	s.changes.Close()
	how, cause := outcomeOK, context.Cause(s.ctx)
	if errors.Is(cause, ErrDisconnected) && as[*private.PublicError](cause) == nil { // a transport has public reasons
		how = outcomeStopped
	}
	s.mu.Lock()
	op, opEnded := s.op, s.opEnded
	s.op, s.closing = nil, true
	s.calls.room.Broadcast()
	s.resources.endAll()
	s.mu.Unlock()
	switch {
	case op != nil:
		defer close(opEnded)
		op.end(how, nil, 0)
	case opEnded != nil:
		wait(opEnded, s.limits.CloseGrace)
	}
}

// note passes one message to the transport.
func (s *session) note(msg []byte) { s.sent(s.out.Send(msg)) }

// send implements [replier] and [peer]. If the transport cannot send the message, the session ends.
func (s *session) send(msg []byte) (lost bool) {
	s.note(msg)
	return false
}

// reply implements [replier].
func (s *session) reply(msg []byte, _ engine.Disposition) { s.note(msg) }

// skip implements [replier]. A single request without a response needs no message.
func (s *session) skip(engine.Disposition) {}

// flushPosted makes the transport deliver posted messages.
func (s *session) flushPosted() {
	if s.batch != nil {
		s.sent(s.batch.Flush())
	}
}

// flush implements [peer]. It is flushPosted for a goroutine that runs no call: Close waits for it, because the client
// may not be reading.
func (s *session) flush() {
	s.mu.Lock()
	s.flushes.add(1)
	s.mu.Unlock()
	defer func() { // also if the transport panics
		s.mu.Lock()
		defer s.mu.Unlock()
		s.flushes.add(-1)
	}()
	s.flushPosted()
}

// The optional methods of an [engine.Outbox].
type (
	batcher interface {
		Post(msg []byte) error
		Flush() error
	}
	prober interface {
		Probe(msg []byte) (reached func() bool)
	}
)
