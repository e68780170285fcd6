package streamhttp

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/engine"
)

// stateless answers the messages that need no session: those of revision 2026-07-28 and later, and those of earlier revisions
// whose client has no session.
type stateless struct {
	*shared
	endpoint engine.Endpoint
	streams  *streams
}

// answerModern answers a message of revision 2026-07-28 or later.
func (s *stateless) answerModern(q *request) *httpError {
	if _, named := q.message.ProtocolVersion(); !named && q.message.Method() != methodInitialize {
		if _, problem := namedRevision(q.r.Header, s.supported); problem != "" {
			return newError(http.StatusBadRequest, problem).about(q.id())
		}
	}
	q.message.Mismatch = checkHeaders(q.r.Header, q.message)
	if q.message.Method() == methodListen && q.message.Kind == engine.Request {
		return s.listen(q)
	}
	return s.answer(q)
}

// answer answers a message of revision 2026-07-28 or later, or a message of an earlier revision without a session. Its
// tool runs on this goroutine, unless it has a timeout or may become a task.
func (s *stateless) answer(q *request) *httpError {
	switch q.message.Kind {
	case engine.Notification: // only notifications of extensions have an effect
		q.accept.events = false
	case engine.Response:
		return newError(http.StatusBadRequest, "the message is a response, but the server has sent no request")
	default:
	}
	p := newReply(q, s.streams)
	if !p.isLegacy {
		q.message.Header = q.r.Header
	}
	defer p.abandon()
	s.endpoint.Answer(q.r.Context(), q.message, p)
	return nil
}

const methodListen = "subscriptions/listen"

// listen serves a subscription, which lasts as long as its stream. Each subscription has its own session of the engine.
// With [NoListening] the engine ends it at once.
func (s *stateless) listen(q *request) *httpError {
	m := q.message
	if !q.accept.events {
		return q.accept.noEvents(m.ID())
	}
	if m.NoListening {
		return s.answer(q)
	}
	leave, failure := s.streams.enter(q)
	if failure != nil {
		return failure
	}
	defer leave()
	p := newReply(q, s.streams)
	p.id = bytes.Clone(p.id)
	p.done = make(chan struct{})
	ctx, stop := q.untilExpiry()
	defer stop()
	session := transport.Open(q.r.Context(), s.srv, p)
	m.Stateless = true
	session.Serve(m, p)
	m.Memory.Add(selectionSize(m.Select) - m.Memory.Size()) // the subscription needs no more of the message
	q.message = nil
	select {
	case <-p.done:
	case <-ctx.Done():
	case <-s.life.stopping.Done():
	}
	// Calls may finish until the context of Shutdown ends. Cancelled ones are logged by the engine.
	_ = session.Close(s.life.closing)
	p.abandon()
	return nil
}

// exchange is the part of an [engine.Writer] that all kinds of answers have.
type exchange struct {
	engine.NoAsk
	streams    *streams
	protection *Protection         // nil: access tokens are not verified
	memory     *engine.Reservation // for the message and its answer
	id         []byte              // of the message; nil if it has none
	accept     acceptable

	w http.ResponseWriter
	r *http.Request // its context ends when the client disconnects

	mu        sync.Mutex
	challenge string // of the answer; "" means none
	isAwaited bool   // the answer is flushed, because the handler may return much later, or another message waits for it
}

func newExchange(q *request, streams *streams) exchange {
	q.message.StepUp = q.caller.protection != nil
	return exchange{
		streams: streams, protection: q.caller.protection, memory: q.message.Memory, id: q.message.Single.ID,
		accept: q.accept, w: q.w, r: q.r,
	}
}

// prepare sets what the end of the message adds to the answer. The caller holds x.mu.
func (x *exchange) prepare(end engine.End) {
	if end.EndExtra == nil {
		return
	}
	if end.Scopes != nil {
		x.challenge = x.protection.stepUp(end.Scopes)
	}
	x.isAwaited = x.isAwaited || end.Written != nil
}

// writeJSON writes the complete answer as JSON.
func (x *exchange) writeJSON(status int, msg []byte) {
	if x.challenge != "" {
		x.w.Header().Set(headerChallenge, x.challenge)
	}
	writeJSON(x.w, status, msg)
	if x.isAwaited { // otherwise net/http does it when the handler returns
		_ = http.NewResponseController(x.w).Flush() // fails only when the client has disconnected
	}
}

// reserve reserves memory for an answer until it is written. The error is to be sent instead of the answer.
func (x *exchange) reserve(msg []byte) *httpError {
	if bytes.HasPrefix(msg, []byte("[")) { // the answer to a batch
		x.memory.Add(len(msg))
		return nil
	}
	if err := x.memory.Grow(len(msg), admission.Overdraft); err != nil {
		return noMemory(x.id, err)
	}
	return nil
}

// reply is the answer to one request without a session: JSON, or an event stream if another message precedes the
// response, or the response takes longer than [KeepAlive]. Nothing is written before that is decided, so that an error
// can still have its HTTP status. It implements [engine.Writer], and for a subscription [engine.Conn].
type reply struct {
	exchange               // mu is held while writing
	isLegacy bool          // an earlier revision, with other status codes
	done     chan struct{} // closed when the answer is complete; nil if not used

	// Guarded by mu.
	ended     bool         // nothing may be written any more
	events    *eventStream // nil: not begun
	keepalive *time.Timer  // begins the stream, and sends comments on it; nil if not used
}

func newReply(q *request, streams *streams) *reply {
	p := &reply{exchange: newExchange(q, streams), isLegacy: q.message.Revision != ""}
	if keepAlive := streams.config.keepAlive; keepAlive > 0 && p.accept.events {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.keepalive = time.AfterFunc(keepAlive, p.sendKeepalive)
	}
	return p
}

var errEnded = errors.New("the request has ended")

// Notify implements [engine.Writer]. It drops the message if the client accepts no event streams.
func (p *reply) Notify(msg []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended:
		return errEnded
	case !p.accept.events:
		return nil
	default:
		return p.begin().message("", msg)
	}
}

// begin returns the event stream, and begins it if necessary. The caller holds p.mu.
func (p *reply) begin() *eventStream {
	if p.events == nil {
		p.events = beginEvents(p.w)
	}
	return p.events
}

// Respond implements [engine.Writer].
func (p *reply) Respond(msg []byte, end engine.End) error {
	defer end.Wrote()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return nil
	}
	p.finish()
	p.prepare(end)
	if end.Running {
		p.isAwaited = true
		if p.events == nil && p.r.ProtoMajor == 1 { // in HTTP/2 requests do not share a goroutine
			p.w.Header().Set("Connection", "close")
		}
	}
	status := statusOf(end.Disposition, p.isLegacy)
	if refusal := p.reserve(msg); refusal != nil {
		p.streams.log.Warn("answer not sent", "reason", refusal.text)
		if p.events == nil {
			refusal.write(p.w)
			return nil
		}
		msg = refusal.message()
	}
	switch {
	case msg == nil && p.events == nil: // a notification, a batch without requests, or the client has disconnected
		p.w.WriteHeader(http.StatusAccepted)
	case msg == nil:
	case p.events == nil && (p.accept.json || status != http.StatusOK):
		p.writeJSON(status, msg)
	default:
		_ = p.begin().message("", msg) // fails only when the client has disconnected
	}
	return nil
}

// Flush implements [engine.Conn]. Nothing is held back.
func (*reply) Flush() error { return nil }

// Probe implements [engine.Conn].
func (*reply) Probe([]byte) (reached func() bool, err error) { return nil, engine.ErrNoProbe }

// finish marks the answer as complete. The caller holds p.mu.
func (p *reply) finish() {
	p.ended = true
	if p.keepalive != nil {
		p.keepalive.Stop()
	}
	if p.done != nil {
		close(p.done)
	}
}

// sendKeepalive sends a comment on the stream, which it begins if necessary, and resets the timer.
func (p *reply) sendKeepalive() {
	defer contain.Panic(context.Background(), p.streams.log, "keepalive not sent") // not a goroutine of net/http
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		_ = p.begin().comment() // an error means that the client has disconnected, which ends the context of the request
		p.keepalive.Reset(p.streams.config.keepAlive)
	}
}

// abandon marks the answer as ended, also if it is not complete because the ResponseWriter has panicked or the server
// has ended a subscription. Nothing is written any more. It also drops what refers to the request: a stopped timer, and
// with it p, can stay in the heap of timers for as long as it would have run.
func (p *reply) abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.finish()
	}
	p.id, p.r, p.w = nil, nil, nil
}
