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
// comment, and a session without requests expires. Send pings where a connection can outlive its client in other ways,
// for example behind a proxy that keeps streams open.
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
	setDefault(&p.Timeout, 30*time.Second)
	setDefault(&p.Failures, 3)
	return p
}

// keepalive pings an inactive client.
type keepalive struct {
	session  *session
	received atomic.Uint64 // number of messages of the client
	seen     uint64        // received at the last check; of the goroutine of run
}

// run pings the client when it is inactive, until the session ends, or too many pings in a row have failed.
func (p *keepalive) run() {
	s, failures := p.session, 0
	for pause := s.pings.Every; sleep(s.ctx, pause); {
		begun := time.Now()
		if p.check() {
			failures = 0
		} else {
			failures++
			s.log.LogAttrs(s.ctx, slog.LevelWarn, "ping not answered", slog.String("client", s.client(s.agreed(), nil).Name),
				slog.Int("failures", failures), slog.Int("most", s.pings.Failures))
		}
		if failures >= s.pings.Failures {
			s.end(fmt.Errorf("%w: it has not answered %d pings", ErrDisconnected, failures))
		}
		pause = s.pings.Every - time.Since(begun)
	}
}

// check pings the client if it has been inactive since the last check. It reports false if the client was reached, and
// has sent nothing until the timeout.
func (p *keepalive) check() (passed bool) {
	s := p.session
	passed = true //nolint:wastedassign // the result if the transport panics
	defer contain.Panic(s.ctx, s.log, "ping not sent")
	if p.isAlive() {
		return true
	}
	reached := func() bool { return true }
	if out, ok := s.out.(prober); ok {
		if reached = out.Probe(p.newPing()); reached == nil {
			return true
		}
	} else {
		go func() { // sending may block
			defer contain.Panic(s.ctx, s.log, "ping not sent")
			s.note(p.newPing())
		}()
	}
	return !sleep(s.ctx, s.pings.Timeout) || p.isAlive() || !reached()
}

// isAlive reports whether the client was active since the last check, or cannot be expected to be: while a message waits
// for room in the queue of calls, the messages after it are not read.
func (p *keepalive) isAlive() bool {
	s := p.session
	s.mu.Lock()
	defer s.mu.Unlock()
	before := p.seen
	p.seen = p.received.Load()
	return p.seen != before || s.calls.blocked > 0 || s.closing
}

// newPing returns a ping with a new id.
func (p *keepalive) newPing() []byte {
	s := p.session
	s.mu.Lock()
	defer s.mu.Unlock()
	s.questions.last++
	s.questions.ping = s.questions.last
	ping := wire.ClientRequest{Method: methodPing}
	return ping.AppendMessage(nil, s.questions.ping)
}
