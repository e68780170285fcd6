package runtime

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"weak"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// session is the [engine.Session] of one client on one connection.
type session struct {
	origin

	end context.CancelCauseFunc // ends the session's context
	out engine.Conn

	keepalive keepalive
	changes   *notify.Client
	legacy    *notify.Stream // the notifications of changes to a legacy client

	mu        sync.Mutex
	confirmed bool // notifications/initialized has arrived
	requests  respond.Table
	readings  []*reading    // usually one
	questions questions     // requests to the client
	listens   int           // number of subscriptions among requests
	results   []taskWaiter  // of the subscriptions, those that wait for the end of a task; the oldest first
	resources subscriptions // of a legacy client
	calls     callQueue
	flushes   flushes
	op        *observation  // of the session, until it ends
	opEnded   chan struct{} // closed when op has ended; nil before the handshake
	closing   bool          // no new work is begun
	idle      chan struct{} // closed when nothing is running; created by Close
}

// taskWaiter is a request that waits for the end of a task.
type taskWaiter interface {
	// waitsFor returns where the messages of the task are sent; nil if the request waits for another task. The caller holds
	// session.mu.
	waitsFor(task string) *respond.Out
}

// sessionOf returns the session that messages come from; nil if they come from elsewhere.
func sessionOf(o *origin) *session {
	s, _ := o.peer.(*session)
	return s
}

func newSession(ctx context.Context, c *core, out engine.Conn) *session {
	s := &session{out: out}
	s.core, s.peer, s.isSession, s.self = c, s, true, weak.Make(&s.origin)
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

// ended wakes up everything that waits, after the context of the session has ended. When no calls are running any more,
// or after [Limits.CloseGrace], it notifies the observer, which may release what the calls use. More calls of ended only
// wait until the observer was notified, at most for another CloseGrace.
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
		wait(s.drain(), s.limits.CloseGrace)
		op.end(how, nil, 0)
	case opEnded != nil:
		wait(opEnded, s.limits.CloseGrace)
	}
}

// route returns the route of the messages that share one stream.
func (s *session) route() route { return route{to: s.out, isShared: true} }

// note sends a message that belongs to no request.
func (s *session) note(msg []byte) { s.send(msg) }

// send implements [peer]. If the transport cannot send the message, the session ends.
func (s *session) send(msg []byte) (lost bool) { return s.sent(s.out.Notify(msg)) }

// flushPosted makes the transport deliver posted messages.
func (s *session) flushPosted() { s.sent(s.out.Flush()) }

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

// Receive implements [engine.Session].
func (s *session) Receive(msg []byte) {
	m := new(engine.Message)
	readMessage(m, msg, &s.limits)
	s.take(m, s.route())
}

// take serves m; all messages that m causes are sent to the route.
func (s *session) take(m *engine.Message, to route) {
	s.keepalive.received.Add(1)
	s.origin.take(m, to)
}

// Reject implements [engine.Session].
func (s *session) Reject(reason error, start []byte) {
	s.keepalive.received.Add(1)
	r := request{from: &s.origin, route: s.route(), id: idAtStart(start), params: new(envelope.Params)}
	r.unreadable(reason)
}

// accept implements [peer].
func (s *session) accept(m *envelope.Message) (isDone bool) {
	switch {
	case m.Kind == envelope.Response:
		s.answered(m)
	case string(m.Method) == "notifications/initialized":
		s.initialized()
	case string(m.Method) == "notifications/cancelled":
		s.cancelNotified(&m.Params)
	default:
		return false
	}
	return true
}

// Serve implements [engine.Session].
func (s *session) Serve(m *engine.Message, w engine.Writer) {
	if w == nil {
		s.take(m, s.route())
		return
	}
	s.take(m, route{to: w, stepUp: m.StepUp})
}

// ProtocolVersion implements [engine.Session].
func (s *session) ProtocolVersion() string { return s.agreed().String() }

// beginning is what a session needs of the request that begins or resumes it.
type beginning struct {
	by          *Access
	values      context.Context // see [engine.Message]; nil if the transport has none
	noListening bool
	op          *observation // nil if nothing observes
	resumed     bool
}

// greet records the handshake, of this connection or of a session that is resumed. A session can have only one
// handshake, because its declarations must stay valid for the session.
func (s *session) greet(h handshake, b beginning) *wireError {
	s.mu.Lock()
	isFirst := s.hello.CompareAndSwap(nil, &h)
	if isFirst && !b.noListening {
		s.legacy.SetLists(s.notices.Offered(), b.by.audience(), b.resumed)
	}
	s.mu.Unlock()
	if !isFirst {
		return invalidRequest("the session is already initialized")
	}
	// The observer and the log handler are the author's: they run without the lock.
	if b.op != nil && s.ctx.Err() == nil {
		op := b.op.other(observe.KindSession)
		op.ProtocolVersion, op.SessionID = h.version.String(), h.sessionID
		s.begin(withValues(s.ctx, b.values), op)
		s.mu.Lock()
		s.op, s.opEnded = op, make(chan struct{})
		s.mu.Unlock()
		if s.ctx.Err() != nil {
			s.ended() // the session may have ended without op
		}
	}
	what := "session begins"
	if b.resumed {
		what = "session resumed"
	}
	s.log.LogAttrs(s.ctx, slog.LevelInfo, what, slog.String("client", h.client.Name),
		slog.String("client_version", h.client.Version), slog.String("protocol", h.version.String()))
	return nil
}

// initialized handles notifications/initialized: from now on the server may send notifications and requests.
func (s *session) initialized() {
	s.mu.Lock()
	begins := s.agreed() != wire.NoVersion && !s.confirmed && !s.closing
	s.confirmed = s.confirmed || begins
	if begins && s.pings.Every > 0 {
		go s.keepalive.run()
	}
	s.mu.Unlock()
	if begins {
		s.changes.Join()
		s.legacy.Begin()
	}
}
