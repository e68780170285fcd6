package streamhttp

import (
	"context"
	"errors"
	"time"
)

// errPoll is the cause of a context that [handler.untilPoll] has ended.
var errPoll = errors.New("the client has been told to reconnect")

// untilPoll returns a context for a connection that waits for a call of a client of s. It ends with parent, and with
// [Poll] also when the connection has been open for long enough, with the cause errPoll. Polling does not end it during
// a shutdown, when the client could not reconnect, nor if the client does not read event streams.
func (h *handler) untilPoll(parent context.Context, s *session, readsEvents bool) (ctx context.Context, stop func()) {
	if !h.mayPoll(s, readsEvents) {
		return parent, func() {}
	}
	ctx, end := context.WithCancelCause(parent)
	timer := time.AfterFunc(h.config.pollOpen, func() {
		if h.config.until.Err() == nil {
			end(errPoll)
		}
	})
	return ctx, func() {
		timer.Stop()
		end(nil)
	}
}

// mayPoll reports whether a connection that waits for a call may end with [Poll].
func (h *handler) mayPoll(s *session, readsEvents bool) bool {
	return h.config.pollOpen > 0 && h.config.replay > 0 && readsEvents && s.hasPriming()
}

// retry returns how long a client should wait before it resumes s.
func (h *handler) retry(s *stream) time.Duration {
	if h.config.pollOpen > 0 && !s.standalone {
		return h.config.pollPause
	}
	return retryAfter
}

// leavePolled detaches r, whose client was asked to reconnect.
func (s *stream) leavePolled(r *reader) {
	s.log.mu.Lock()
	s.polled = s.reader == r
	s.log.mu.Unlock()
	s.leave(r)
}
