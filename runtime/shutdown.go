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
// blocks; for a [Server.Logger] and a [Server.Audit] that block it waits half a second each. Its error is nil if every
// call ended by itself; otherwise it says how many were cancelled, and wraps the cause of ctx. A second Close waits
// like the first.
func (s *Session) Close(ctx context.Context) error {
	s.subscribers.leave(s)
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
	s.flushLogs()
	return err
}

// lastRecords bounds the wait for a log handler that blocks, at the end of a session or a server.
const lastRecords = 500 * time.Millisecond

// flushLogs waits for what was logged last, but no longer than lastRecords for each log.
func (c *core) flushLogs() {
	contain.Flush(c.log, lastRecords)
	if c.auditLog != nil {
		contain.Flush(c.auditLog, lastRecords)
	}
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
		s.logStuck()
	}
	return fmt.Errorf("%d calls were cancelled: %w", left, cause)
}

// logStuck logs why calls have not ended: their client does not read what they send, or their tools ignore their
// contexts.
func (s *Session) logStuck() {
	s.mu.Lock()
	unread := int(s.unread.Load())
	s.settle()
	for _, p := range s.requests {
		if c, ok := p.(*call); ok && c.extras().taskRun() == nil && c.isSending() {
			unread++
		}
	}
	tools := s.calls.running + s.calls.parked - unread
	s.mu.Unlock()
	if unread > 0 {
		if b, ok := s.out.(backlogger); ok {
			unread = max(unread, b.Backlog())
		}
		s.log.LogAttrs(s.ctx, slog.LevelError, "the client does not read, and messages to it could not be delivered", slog.Int("messages", unread))
	}
	if tools > 0 {
		s.log.LogAttrs(s.ctx, slog.LevelError, "tools ignore that their calls were cancelled", slog.Int("calls", tools))
	}
}

// farewell ends every request that is still unanswered, and has the transport deliver the answers
// that wait for others. The messages go out in a goroutine of their own, which ends
// when the transport has taken or refused them.
func (s *Session) farewell() {
	s.mu.Lock()
	s.settle()
	left := slices.Collect(maps.Values(s.requests))
	clear(s.requests)
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
