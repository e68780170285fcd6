package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/connection"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// session is the [engine.Session] of one client on one connection.
type session struct {
	origin

	end  context.CancelCauseFunc // ends the session's context
	conn *connection.Connection  // its requests without a response

	keepalive keepalive
	changes   *notify.Client
	legacy    *notify.Stream // the notifications of changes to a legacy client

	mu        sync.Mutex
	confirmed bool          // notifications/initialized has arrived
	listens   int           // number of subscriptions among the requests
	results   []taskWaiter  // of the subscriptions, those that wait for the end of a task; the oldest first
	resources subscriptions // of a legacy client
	op        *observation  // of the session, until it ends
	opEnded   chan struct{} // closed when op has ended; nil before the handshake
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
	s := &session{}
	s.core, s.peer, s.isSession, s.number = c, s, true, c.sessions.Add(1)
	s.ctx, s.end = context.WithCancelCause(ctx)
	s.changes = c.notices.NewClient(ctx, c.log, func() { s.conn.CheckIdle() })
	s.conn = connection.New(connection.Config{
		Out: out, Context: s.ctx, Log: c.log, Unread: &s.unread, Sent: s.sent, IsBusy: s.changes.IsSending, ErrShutdown: ErrShutdown,
		MaxRunning: c.limits.MaxConcurrentCalls, MaxQueued: c.limits.MaxQueuedCalls, MaxQueuedBytes: c.limits.MaxQueuedBytes,
		MaxQuestions: c.limits.MaxClientRequests,
	})
	s.legacy = s.changes.NewStream(func(l notify.List) { s.note(append(l.AppendChanged(nil), '}')) })
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
	how, cause := observe.OutcomeOK, context.Cause(s.ctx)
	if errors.Is(cause, ErrDisconnected) && as[*private.PublicError](cause) == nil { // a transport has public reasons
		how = observe.OutcomeStopped
	}
	s.conn.Stop()
	s.mu.Lock()
	op, opEnded := s.op, s.opEnded
	s.op = nil
	s.resources.endAll()
	s.mu.Unlock()
	switch {
	case op != nil:
		defer close(opEnded)
		wait(s.conn.Drain(), s.limits.CloseGrace)
		op.end(how, nil, 0)
	case opEnded != nil:
		wait(opEnded, s.limits.CloseGrace)
	}
}

// route returns the route of the messages that share one stream.
func (s *session) route() route { return route{to: s.conn.Out, isShared: true} }

// note sends a message that belongs to no request.
func (s *session) note(msg []byte) { s.send(msg) }

// send implements [peer]. If the transport cannot send the message, the session ends.
func (s *session) send(msg []byte) (lost bool) { return s.sent(s.conn.Out.Notify(msg)) }

// flush implements [peer].
func (s *session) flush() { s.conn.Flush() }

// run implements [peer]. It chooses the goroutine that runs the call, and where its messages are sent.
func (s *session) run(r *request, c *call) *wireError {
	if turn := r.route.turn; turn != nil && c.extras().runner == nil && c.target.pace.isQuick() {
		c.out.To = turn
		hasRun, err := turn.Run(c)
		switch {
		case err != nil:
			return s.refusal(err)
		case hasRun:
			return nil
		}
	}
	c.out.To = r.route.later().to
	return s.refusal(s.conn.Admit(c))
}

// refusal returns the answer to a request that the connection has not accepted; nil if err is nil.
func (s *session) refusal(err error) *wireError {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, connection.ErrID):
		return invalidRequest(err.Error())
	default:
		return internalError(stopReason(s.ctx))
	}
}

// freeID implements [peer].
func (s *session) freeID(c *call) { s.conn.Remove(c) }

// stepAside implements [peer].
func (s *session) stepAside(c *call) { s.conn.StepAside(c) }

// stepBack implements [peer].
func (s *session) stepBack(c *call) { s.conn.StepBack(c) }

// ReceiveFrom implements [engine.Session].
func (s *session) ReceiveFrom(src engine.Source) error {
	return s.conn.Read(src, func(text []byte, t *connection.Turn) {
		readMessage(&t.Message, text, &s.limits)
		to := route{to: t, turn: t, isShared: true}
		if t.Message.Kind == engine.Batch {
			to = to.later() // it may be answered in another turn
		}
		s.take(&t.Message, to)
	})
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
		op.begin(withValues(s.ctx, b.values))
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
	begins := s.agreed() != wire.NoVersion && !s.confirmed && !s.conn.IsClosing()
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

// cancelNotified handles notifications/cancelled.
func (s *session) cancelNotified(p *envelope.Params) {
	if id := rawjson.Lookup(p.Raw, "requestId"); envelope.ValidID(id) {
		reason := wire.TextOf(rawjson.Lookup(p.Raw, "reason"))
		s.conn.Cancel(envelope.Key(id), wire.OneLine(reason, s.limits.MaxTextBytes))
	}
}

// request implements [peer].
func (s *session) request(ctx context.Context, c *call, r wire.ClientRequest) (json.RawMessage, error) {
	return s.conn.Ask(ctx, c, connection.Question{
		Timeout: s.limits.ClientRequestTimeout, IsOfTask: c.extras().runner != nil,
		Send: func(id int64) (lost bool) {
			wire.Compose(func(msg []byte) { lost = s.sent(c.out.Notify(msg)) }, func(dst []byte) []byte {
				return r.With(c.appendRelated(nil)).AppendMessage(dst, id)
			})
			return lost
		},
		Withdraw: func(id int64, reason string, hasEnded bool) {
			to := c.note
			if hasEnded {
				to = s.note
			}
			s.withdraw(to, id, reason)
		},
	})
}

// FailRequests implements [engine.Session].
func (s *session) FailRequests() { s.conn.FailQuestions() }

// answered handles a response of the client. It may not belong to any request.
func (s *session) answered(m *envelope.Message) {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	if err != nil {
		id = 0 // of no request
	}
	to, isPong := s.conn.Answered(id)
	switch {
	case isPong:
	case to == nil:
		s.log.LogAttrs(s.ctx, slog.LevelDebug, "response ignored", slog.String("id", string(m.ID)))
	case m.Error != nil || m.Result == nil || m.Flaw != "":
		to <- connection.Answer{Err: clientError(m.Error, s.limits.MaxTextBytes)}
	default:
		to <- connection.Answer{Result: bytes.Clone(m.Result)}
	}
}

// withdraw notifies the client that a request need not be answered, unless the client cannot be reached.
func (o *origin) withdraw(note func(msg []byte), id int64, reason string) {
	if errors.Is(context.Cause(o.ctx), ErrDisconnected) {
		return
	}
	wire.Compose(note, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`...)
		dst = strconv.AppendInt(dst, id, 10)
		return append(wire.AppendText(dst, "reason", reason), `}}`...)
	})
}

// clientError returns the error in a client's response, with a message of at most this length.
func clientError(raw []byte, limit int) error {
	e := &mcptool.AskAnswerError{Code: int(wire.CodeInternal), Err: errors.New("it sent an invalid answer")}
	wire.Members(raw, func(name string, value []byte) {
		switch {
		case name == "code" && rawjson.IsInteger(value):
			if n, err := strconv.Atoi(string(value)); err == nil && n != 0 {
				e.Code = n
			}
		case name == "message" && rawjson.KindOf(value) == rawjson.String:
			e.Err = errors.New(wire.OneLine(string(rawjson.Unquote(value)), limit))
		}
	})
	return e
}

// Close implements [engine.Session].
func (s *session) Close(ctx context.Context) error {
	s.changes.Close()
	idle := s.conn.Drain()
	var err error
	select {
	case <-idle:
		s.awaitFlushes() //nolint:contextcheck // calls are logged with the context of the server
	case <-ctx.Done():
		err = s.stop(idle, context.Cause(ctx)) //nolint:contextcheck // as above
	case <-s.ctx.Done():
		err = s.stop(idle, context.Cause(s.ctx)) //nolint:contextcheck // with the connection's context
	}
	wait(s.conn.Abandon(), s.limits.CloseGrace)
	s.end(ErrShutdown)
	s.ended() //nolint:contextcheck // now, for observers, which get the context of each call
	return err
}

// stop cancels the calls that are still running, and waits for them for at most [Limits.CloseGrace].
func (s *session) stop(idle <-chan struct{}, cause error) error {
	left, flushed := s.conn.Left()
	if left == 0 {
		s.awaitFlushes()
		return nil
	}
	s.end(ErrShutdown)
	if wait(idle, s.limits.CloseGrace) {
		s.awaitFlushes()
	} else {
		s.logStuck(!wait(flushed, 0))
	}
	return fmt.Errorf("%d calls were cancelled: %w", left, cause)
}

// awaitFlushes waits for goroutines that deliver messages but run no calls, for at most [Limits.CloseGrace].
func (s *session) awaitFlushes() {
	_, flushed := s.conn.Left()
	if !wait(flushed, s.limits.CloseGrace) {
		s.logStuck(true)
	}
}

// logStuck logs why calls, or the delivery of messages, have not ended: the client does not read, or tools ignore their
// contexts. Blocked means that a goroutine without a call has been delivering messages all the time.
func (s *session) logStuck(blocked bool) {
	unread := s.conn.CountUnread()
	if blocked {
		unread = max(unread, 1)
	}
	if unread > 0 {
		s.log.LogAttrs(s.ctx, slog.LevelError, "the client does not read, and messages to it could not be delivered", slog.Int("messages", unread))
	}
	s.running.logStuck(func(c *call) bool { return c.from == &s.origin && !c.isTask() && !c.out.IsSending() })
}
