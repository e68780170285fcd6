package streamhttp

import (
	"context"
	"errors"
	"time"
)

// errTurn is why the turn of a connection is over.
var errTurn = errors.New("the client has been told to come back")

// turn returns a context for one connection that waits for a call, of a client in s that can read
// event streams or cannot. It ends with ctx, and with [Poll], for errTurn, when the connection
// has been open for long enough; but not while the handler shuts down, for there is no coming back then.
func (h *handler) turn(ctx context.Context, s *session, readsEvents bool) (turn context.Context, stop func()) {
	if h.config.poll.open <= 0 || h.config.replay <= 0 || !readsEvents || !s.hasPriming() {
		return ctx, func() {}
	}
	turn, end := context.WithCancelCause(ctx)
	timer := time.AfterFunc(h.config.poll.open, func() {
		if h.config.until.Err() == nil {
			end(errTurn)
		}
	})
	return turn, func() {
		timer.Stop()
		end(nil)
	}
}

// retry returns how long a client should wait before it resumes s.
func (h *handler) retry(s *stream) time.Duration {
	if h.config.poll.open > 0 && !s.unbound {
		return h.config.poll.pause
	}
	return retryAfter
}

// hangUp ends the reading of r, who has been told to come back.
func (s *stream) hangUp(r *reader) {
	s.journal.mu.Lock()
	s.owed = s.reader == r
	s.journal.mu.Unlock()
	s.leave(r)
}
