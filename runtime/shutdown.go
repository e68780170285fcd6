package runtime

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/contain"
)

// Close implements [engine.Session].
func (s *session) Close(ctx context.Context) error {
	s.changes.Close()
	idle := s.drain()
	var err error
	select {
	case <-idle:
		s.awaitFlushes() //nolint:contextcheck // calls are logged with the context of the server
	case <-ctx.Done():
		err = s.stop(idle, context.Cause(ctx)) //nolint:contextcheck // as above
	case <-s.ctx.Done():
		err = s.stop(idle, context.Cause(s.ctx)) //nolint:contextcheck // with the connection's context
	}
	s.farewell()
	s.end(ErrShutdown)
	s.ended() //nolint:contextcheck // now, for observers, which get the context of each call
	return err
}

// drain makes the session begin no more calls, and returns a channel that is closed when no call is running.
func (s *session) drain() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	s.calls.room.Broadcast()
	s.questions.giveUp()
	if s.idle == nil {
		s.idle = make(chan struct{})
	}
	idle := s.idle
	s.checkIdle()
	return idle
}

// stop cancels the calls that are still running, and waits for them for at most [Limits.CloseGrace].
func (s *session) stop(idle <-chan struct{}, cause error) error {
	s.mu.Lock()
	left := s.calls.running + s.calls.parked + len(s.calls.waiting)
	flushed := s.flushes.done()
	s.mu.Unlock()
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
	s.mu.Lock()
	flushed := s.flushes.done()
	s.mu.Unlock()
	if !wait(flushed, s.limits.CloseGrace) {
		s.logStuck(true)
	}
}

// flushes counts the goroutines in [session.flush]. session.mu guards it.
type flushes struct {
	running int
	none    chan struct{} // closed when running is 0; nil until done
}

// done returns a channel that is closed when no goroutine is in flush.
func (f *flushes) done() <-chan struct{} {
	if f.none == nil {
		f.none = make(chan struct{})
	}
	none := f.none
	f.add(0)
	return none
}

// add adds n goroutines, which may be negative.
func (f *flushes) add(n int) {
	if f.running += n; f.running == 0 && f.none != nil {
		close(f.none)
		f.none = nil
	}
}

// logStuck logs why calls, or the delivery of messages, have not ended: the client does not read, or tools ignore their
// contexts. Blocked means that a goroutine without a call has been delivering messages all the time.
func (s *session) logStuck(blocked bool) {
	s.mu.Lock()
	unread := int(s.unread.Load())
	for _, p := range s.requests.All() {
		if c, ok := p.(*call); ok && c.extras().run == nil && c.out.IsSending() {
			unread++
		}
	}
	s.mu.Unlock()
	if blocked {
		unread = max(unread, 1)
	}
	if unread > 0 {
		s.log.LogAttrs(s.ctx, slog.LevelError, "the client does not read, and messages to it could not be delivered", slog.Int("messages", unread))
	}
	s.running.logStuck(func(c *call) bool { return c.from == &s.origin && !c.isTask() && !c.out.IsSending() })
}

// farewell ends every request that is still unanswered, and makes the transport deliver held back answers. The messages
// are sent in a separate goroutine, which ends when the transport has accepted or refused them.
func (s *session) farewell() {
	s.mu.Lock()
	left := s.requests.TakeAll()
	s.mu.Unlock()
	said := make(chan struct{})
	go func() {
		defer close(said)
		defer contain.Panic(s.ctx, s.log, "last answers not delivered") // of flush
		defer s.flushPosted()
		for _, p := range left {
			func() {
				defer contain.Panic(s.ctx, s.log, "request not ended") // so that the others are still answered
				p.Abandoned()
			}()
		}
	}()
	wait(said, s.limits.CloseGrace)
}
