package runtime

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Pings configures keepalive pings to inactive clients, so that the sessions of clients that have disconnected
// unnoticed end. They are sent to clients of revisions up to 2025-11-25 that have sent notifications/initialized; later
// revisions have no ping. The zero value sends none.
//
// The protocol recommends that servers send pings. The default is none because a ping seldom detects more than the
// transport does, and can end sessions that work: some clients answer no ping, and laptops are suspended. Without
// pings, a client that exits closes the input of a server on stdio; over HTTP its stream breaks at the next keepalive
// comment, and a session without requests expires. If other processes keep the input open, package stdio checks the
// client when the process that started the server has ended ([Session.CheckClient]). Send pings where a connection can
// outlive its client in other ways, for example behind a proxy that keeps streams open.
//
// Any message of the client counts as activity, also while a ping is unanswered: a client that sends requests is not
// pinged, and one that answers a ping with an error, because it does not know the method, is alive. A ping that does
// not reach the client does not count as a failure. Over HTTP a ping is sent on the stream that the client has opened
// last with GET, and is neither kept nor repeated. A client without such a stream is not pinged, and a ping does not
// fail if the client has lost the stream since, or has opened another one. Nor does it fail while the calls of the
// client fill [Limits.MaxQueuedCalls], because then its messages are not read.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping.
type Pings struct {
	// Every is the interval at which a session checks whether its client has sent anything, and pings it if not; zero
	// or less means never. A minute is often enough for most servers: for 10 000 inactive clients that is 170 pings per
	// second, and as many answers.
	Every time.Duration
	// Timeout is how long a client may take to send something after a ping. Zero or less means the default, 30 s: the
	// time that a client has over HTTP to read what is written to it.
	Timeout time.Duration
	// Failures is the number of consecutive pings that must fail before the client counts as disconnected. Zero or less
	// means the default, 3, because a ping may be lost. Each failure is logged. After the last one the session ends as
	// if its connection had broken: calls are cancelled, with the cause [ErrDisconnected], and the transport closes the
	// connection if it is still open.
	Failures int
}

// resolved returns p with the defaults filled in.
func (p Pings) resolved() Pings {
	return Pings{
		Every:    p.Every,
		Timeout:  positive(p.Timeout, 30*time.Second),
		Failures: positive(p.Failures, 3),
	}
}

// keepalive pings an inactive client. Between pings it is only a timer.
type keepalive struct {
	session *Session
	prober  prober // the session's outbox; nil if that is not a prober
	pings   Pings

	received atomic.Uint64 // number of messages of the client

	// Guarded by session.mu.
	timer    *time.Timer // nil until the client is initialized, and if Pings.Every is 0
	seen     uint64      // received at the last check
	reached  func() bool // of the unanswered ping; nil if it certainly was delivered
	failures int         // in a row
}

// CheckClient ends the session unless the client sends a message within the timeout. The cause wraps [ErrDisconnected]
// and contains the reason, which is also logged; it should explain why the transport doubts that the client is still
// running. If the client can be pinged (see [Pings]), it is sent a ping, even if Server.Pings is zero. Other clients,
// such as clients of revision 2026-07-28, must send a message without being pinged. While the calls of the client fill
// [Limits.MaxQueuedCalls], its messages are not read, and the timeout is extended.
//
// CheckClient returns at once. It checks the client once: if a message arrives in time, the session continues as
// before.
func (s *Session) CheckClient(reason string, timeout time.Duration) {
	p := &s.keepalive
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.confirmed {
		time.AfterFunc(0, p.pingNow) // sending may block
	}
	p.expectMessage(p.received.Load(), reason, timeout)
}

// expectMessage ends the session after the timeout, unless the client has sent more than the given number of messages.
func (p *keepalive) expectMessage(seen uint64, reason string, timeout time.Duration) {
	s := p.session
	time.AfterFunc(timeout, func() {
		s.mu.Lock()
		alive, blocked := s.closing || p.received.Load() != seen, s.calls.blocked > 0
		s.mu.Unlock()
		switch {
		case alive:
		case blocked:
			p.expectMessage(seen, reason, timeout)
		default:
			s.log.LogAttrs(s.ctx, slog.LevelWarn, "client does not answer", slog.String("reason", reason), slog.Duration("timeout", timeout))
			s.end(fmt.Errorf("%w: %s, and the client has sent nothing for %v", ErrDisconnected, reason, timeout))
		}
	})
}

// begin starts the timer. The caller holds session.mu.
func (p *keepalive) begin() { p.after(p.pings.Every, p.check) }

// after sets the timer. The caller holds session.mu.
func (p *keepalive) after(d time.Duration, do func()) { p.timer = time.AfterFunc(d, do) }

// end stops the timer. The caller holds session.mu.
func (p *keepalive) end() {
	if p.timer != nil {
		p.timer.Stop()
	}
}

// check sends a ping if the client has been inactive.
func (p *keepalive) check() {
	s := p.session
	defer contain.Panic(s.ctx, s.log, "ping not sent")
	if msg := p.next(); msg != nil {
		s.note(msg)
	}
}

// pingNow sends a ping that is not one of [Pings]: an answer counts as activity, and a missing answer has no effect.
func (p *keepalive) pingNow() {
	s := p.session
	defer contain.Panic(s.ctx, s.log, "ping not sent")
	s.mu.Lock()
	closing, msg := s.closing, p.newPing()
	s.mu.Unlock()
	if !closing {
		s.note(msg)
	}
}

// newPing returns a ping with a new id. The caller holds session.mu.
func (p *keepalive) newPing() []byte {
	q := &p.session.questions
	q.last++
	q.ping = q.last
	ping := wire.ClientRequest{Method: methodPing}
	return ping.AppendMessage(nil, q.ping)
}

// next starts a ping if one is due, and returns the message to send; nil if there is none.
func (p *keepalive) next() []byte {
	s := p.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return nil
	}
	if p.isAlive() {
		p.passed(p.pings.Every)
		return nil
	}
	msg := p.newPing()
	if p.prober != nil {
		if p.reached = p.probe(msg); p.reached == nil {
			p.passed(p.pings.Every)
			return nil
		}
		msg = nil // already sent
	}
	p.after(p.pings.Timeout, p.expire) // also covers a client that does not read, so that sending takes longer
	return msg
}

// probe sends a ping if the client is reachable. If the outbox panics, the ping does not count as sent.
func (p *keepalive) probe(msg []byte) (reached func() bool) {
	defer contain.Panic(p.session.ctx, p.session.log, "ping not sent")
	return p.prober.Probe(msg)
}

// hasReached reports whether the unanswered ping has reached the client.
func (p *keepalive) hasReached() (has bool) {
	defer contain.Panic(p.session.ctx, p.session.log, "ping not checked")
	return p.reached == nil || p.reached()
}

// expire handles the timeout of a ping.
func (p *keepalive) expire() {
	s := p.session
	failures := p.count()
	if failures == 0 {
		return
	}
	s.log.LogAttrs(s.ctx, slog.LevelWarn, "ping not answered", slog.String("client", s.client(s.agreed(), nil).Name),
		slog.Int("failures", failures), slog.Int("most", p.pings.Failures))
	if failures >= p.pings.Failures {
		s.end(fmt.Errorf("%w: it has not answered %d pings", ErrDisconnected, failures))
	}
}

// count ends a ping. If it has failed, count returns the number of consecutive failures, otherwise 0.
func (p *keepalive) count() (failures int) {
	s := p.session
	s.mu.Lock()
	defer s.mu.Unlock()
	s.questions.ping = 0
	if s.closing || s.ctx.Err() != nil {
		return 0
	}
	rest := max(p.pings.Every-p.pings.Timeout, 0)
	if p.isAlive() || !p.hasReached() {
		p.passed(rest)
		return 0
	}
	if p.failures++; p.failures < p.pings.Failures {
		p.after(rest, p.check)
	}
	return p.failures
}

// isAlive reports whether the client was active since the last check. While a message waits for room in the queue of
// calls, the messages after it are not read. The caller holds session.mu.
func (p *keepalive) isAlive() bool {
	before := p.seen
	p.seen = p.received.Load()
	return p.seen != before || p.session.calls.blocked > 0
}

// passed records that the client has not failed, and schedules the next check. The caller holds session.mu.
func (p *keepalive) passed(later time.Duration) {
	p.failures = 0
	p.after(later, p.check)
}
