package runtime

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
)

// pulse is how a session knows that its client is there. Nothing of it runs but a timer.
type pulse struct {
	session *Session
	prober  Prober // the session's outbox, nil if it is none
	pings   Pings

	heard atomic.Bool // something has come since it was last looked at

	// Guarded by session.mu.
	timer    *time.Timer // nil until the client is initialized
	reached  func() bool // about the ping that is open; nil if there is no doubt
	failures int         // in a row
}

func newPulse(s *Session) *pulse {
	p := &pulse{session: s, pings: s.pings}
	p.prober, _ = s.out.(Prober)
	return p
}

// hear notes that the client has sent something.
func (s *Session) hear() {
	if s.pulse != nil {
		s.pulse.heard.Store(true)
	}
}

// begin begins to look. The caller holds session.mu.
func (p *pulse) begin() { p.after(p.pings.Every, p.look) }

// after sets the timer. The caller holds session.mu.
func (p *pulse) after(d time.Duration, do func()) { p.timer = time.AfterFunc(d, do) }

// end looks no more. The caller holds session.mu.
func (p *pulse) end() {
	if p.timer != nil {
		p.timer.Stop()
	}
}

// look sends a ping if the client has been silent.
func (p *pulse) look() {
	s := p.session
	defer contain.Panic(s.ctx, s.log, "ping not sent")
	if msg := p.ask(); msg != nil {
		s.send(msg)
	}
}

// ask begins a ping if there is need of one, and returns what is to be sent, nil if nothing is.
func (p *pulse) ask() []byte {
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
	s.questions.last++
	ping := clientRequest{method: methodPing}
	msg := ping.appendMessage(nil, s.questions.last)
	if p.prober != nil {
		if p.reached = p.probe(msg); p.reached == nil {
			p.passed(p.pings.Every)
			return nil
		}
		msg = nil // it is sent
	}
	s.questions.ping = s.questions.last
	p.after(p.pings.Timeout, p.judge) // also if the client does not read, and the sending takes longer
	return msg
}

// probe sends a ping where the client may not be reached. One that panics has not reached it.
func (p *pulse) probe(msg []byte) (reached func() bool) {
	defer contain.Panic(p.session.ctx, p.session.log, "ping not sent")
	return p.prober.Probe(msg)
}

// hasReached reports whether the open ping has reached the client.
func (p *pulse) hasReached() (has bool) {
	defer contain.Panic(p.session.ctx, p.session.log, "ping not judged")
	return p.reached == nil || p.reached()
}

// judge sees what has become of a ping.
func (p *pulse) judge() {
	s := p.session
	failures := p.count()
	if failures == 0 {
		return
	}
	s.log.LogAttrs(s.ctx, slog.LevelWarn, "ping not answered", slog.String("client", s.client(s.agreed(), nil).Name),
		slog.Int("failures", failures), slog.Int("most", p.pings.Failures))
	if failures >= p.pings.Failures {
		s.cancel(fmt.Errorf("%w: it has not answered %d pings", ErrDisconnected, failures))
	}
}

// count ends a ping, and returns how many in a row have failed if this one has, else 0.
func (p *pulse) count() (failures int) {
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
		p.after(rest, p.look)
	}
	return p.failures
}

// isAlive reports whether there was a sign of life since the last time. While a message waits
// for room in the queue of calls, what came after it has not been heard yet. The caller holds session.mu.
func (p *pulse) isAlive() bool { return p.heard.Swap(false) || p.session.calls.blocked > 0 }

// passed notes that the client has not failed, and looks again later. The caller holds session.mu.
func (p *pulse) passed(later time.Duration) {
	p.failures = 0
	p.after(later, p.look)
}
