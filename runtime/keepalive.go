package runtime

import (
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

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
	ping := p.newPing()
	reached, err := s.conn.Out.Probe(ping)
	switch {
	case errors.Is(err, engine.ErrNoProbe):
		reached = func() bool { return true }
		go func() { // sending may block
			defer contain.Panic(s.ctx, s.log, "ping not sent")
			s.note(ping)
		}()
	case s.sent(err): // not now
		return true
	}
	return !sleep(s.ctx, s.pings.Timeout) || p.isAlive() || !reached()
}

// isAlive reports whether the client was active since the last check, or cannot be expected to be: while a message waits
// for room in the queue of calls, the messages after it are not read.
func (p *keepalive) isAlive() bool {
	before := p.seen
	p.seen = p.received.Load()
	return p.seen != before || !p.session.conn.IsReading()
}

// newPing returns a ping with a new id.
func (p *keepalive) newPing() []byte {
	ping := wire.ClientRequest{Method: methodPing}
	return ping.AppendMessage(nil, p.session.conn.NextPing())
}
