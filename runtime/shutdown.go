package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
)

// Close ends the session. Nothing new is begun. What was received is still answered:
// calls that run or wait may finish until ctx ends. Then they are cancelled, with cause
// [ErrShutdown], and given [Limits.CloseGrace] to end; those that do not are answered
// for. Questions to the client are given up at once, since their answers would not be received. Last, subscriptions are ended as the protocol wants it. When Close has returned,
// the session begins no more messages.
//
// Close cannot be held up by a tool that ignores its context, nor by an [Outbox] that
// blocks. Its error is nil if every call ended by itself; otherwise it says how many
// were cancelled, and wraps the cause of ctx. A second Close waits like the first.
func (s *Session) Close(ctx context.Context) error {
	s.watchers.leave(s)
	idle := s.drain()
	var err error
	select {
	case <-idle:
	case <-ctx.Done():
		err = s.stop(idle, context.Cause(ctx))
	case <-s.ctx.Done():
		err = s.stop(idle, context.Cause(s.ctx)) //nolint:contextcheck // the connection's context, not the one of Close
	}
	s.farewell()
	s.cancel(ErrShutdown)
	return err
}

// drain begins nothing new and returns a channel that is closed when nothing runs.
func (s *Session) drain() <-chan struct{} {
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

// stop cancels what still runs and waits for it, not for ever.
func (s *Session) stop(idle <-chan struct{}, cause error) error {
	s.mu.Lock()
	left := s.calls.running + s.calls.parked + len(s.calls.waiting)
	s.mu.Unlock()
	if left == 0 {
		return nil
	}
	s.cancel(ErrShutdown)
	if !wait(idle, s.limits.CloseGrace) {
		s.mu.Lock()
		stuck := s.calls.running + s.calls.parked
		s.mu.Unlock()
		s.log.LogAttrs(s.ctx, slog.LevelError, "tools ignore that their calls were cancelled", slog.Int("calls", stuck))
	}
	return fmt.Errorf("%d calls were cancelled: %w", left, cause)
}

// farewell ends every request that is still unanswered, and has the transport deliver the answers
// that wait for others. The messages go out in a goroutine of their own, which ends
// when the transport has taken or refused them.
func (s *Session) farewell() {
	s.mu.Lock()
	s.settle()
	left := slices.Collect(maps.Values(s.inFlight))
	clear(s.inFlight)
	s.mu.Unlock()
	if len(left) == 0 && s.batch == nil {
		return
	}
	said := make(chan struct{})
	go func() {
		defer close(said)
		defer contain.Panic(s.ctx, s.log, "last answers not delivered") // of flush
		defer s.flush()
		for _, p := range left {
			s.abandon(p)
		}
	}()
	wait(said, s.limits.CloseGrace)
}

// abandon ends a request that is still unanswered. If that panics the others have their answers all the same.
func (s *Session) abandon(p pending) {
	defer contain.Panic(s.ctx, s.log, "request not ended")
	p.abandoned()
}

// wait waits until done is closed, for the time given at most; it reports whether it was.
func wait(done <-chan struct{}, most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
