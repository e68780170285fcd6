package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
)

// Session is one client on one connection. A transport makes it with [Server.Open],
// hands every message that comes in to [Session.Receive], and calls
// [Session.Close] when no more will come. All methods are safe for concurrent use, but
// messages whose order matters must be received in that order.
type Session struct {
	*core
	ctx    context.Context // the connection's, parent of its calls'
	cancel context.CancelCauseFunc
	out    Outbox

	logLevel  atomic.Int64 // least logLevel the client wants, of a legacy session
	logBudget budget

	mu       sync.Mutex
	hello    handshake
	inFlight map[string]pending // by envelope.Key of the request id
	listens  int                // how many of inFlight are subscriptions
	calls    callQueue
	news     news
	closing  bool          // nothing new is begun
	idle     chan struct{} // closed when nothing runs any more; made by Close
}

func newSession(ctx context.Context, c *core, out Outbox) *Session {
	s := &Session{core: c, out: out, inFlight: map[string]pending{}}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.calls.room.L = &s.mu
	s.logLevel.Store(int64(defaultLogLevel))
	context.AfterFunc(s.ctx, s.ended) //nolint:contextcheck // it ends with the context, there is nothing to inherit
	return s
}

// ended lets go of everything that waits, once the connection's context has ended.
func (s *Session) ended() {
	s.watchers.leave(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	s.calls.room.Broadcast()
}

// note implements [replier].
func (s *Session) note(msg []byte) { s.send(msg) }

// reply implements [replier].
func (s *Session) reply(msg []byte, _ Refusal) { s.send(msg) }

// skip implements [replier]: a request on its own just stays unanswered.
func (s *Session) skip() {}

// send hands one message to the transport.
func (s *Session) send(msg []byte) { s.sent(s.out.Send(msg)) }

// sent takes note of how the sending of a message went.
func (s *Session) sent(err error) {
	if err != nil {
		s.log.LogAttrs(s.ctx, slog.LevelDebug, "message not delivered", slog.Any("error", err))
		s.cancel(fmt.Errorf("%w: %w", ErrDisconnected, err))
	}
}
