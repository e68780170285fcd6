package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/mcptool-go/mcptool/runtime/internal/limit"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Session is one client on one connection. A transport makes it with [Server.Open],
// hands every message that comes in to [Session.Receive], and calls
// [Session.Close] when no more will come. All methods are safe for concurrent use, but
// messages whose order matters must be received in that order.
type Session struct {
	*core
	origin // of its calls' contexts
	self   weak.Pointer[Session]
	cancel context.CancelCauseFunc
	out    Outbox
	batch  batcher  // out, nil if it has not the methods
	gather gatherer // likewise

	// endpoint is set in the session of a single message that stands for itself. It has no
	// outbox and nothing in flight, and its cancel is that of the call, if it is one.
	endpoint *Endpoint

	keepalive *keepalive   // nil: no pings are sent
	logLevel  atomic.Int32 // least logLevel the client wants, of a legacy session
	logBudget limit.TokenBucket

	hello atomic.Pointer[handshake] // nil: there was none

	mu        sync.Mutex
	confirmed bool               // notifications/initialized came
	requests  map[string]pending // that are not answered, by envelope.Key of their ids, but for turn
	turn      *call              // what a reader runs, one of requests too; see enrollTurn
	questions questions          // to the client
	listens   int                // how many of requests are subscriptions
	calls     callQueue
	unread    atomic.Int32 // how many goroutines that run calls wait for the client to read
	changes   changeNotifications
	closing   bool          // nothing new is begun
	idle      chan struct{} // closed when nothing runs any more; made by Close
}

func newSession(ctx context.Context, c *core, out Outbox) *Session {
	s := &Session{core: c, out: out, requests: map[string]pending{}}
	s.self = weak.Make(s)
	s.batch, _ = out.(batcher)
	s.gather, _ = out.(gatherer)
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.calls.room.L = &s.mu
	s.logLevel.Store(int32(wire.DefaultLogLevel))
	if s.pings.Every > 0 {
		s.keepalive = newKeepalive(s)
	}
	context.AfterFunc(s.ctx, s.ended) //nolint:contextcheck // it ends with the context, there is nothing to inherit
	return s
}

// Context returns a context that ends with the session: when it was closed, or when its client can no longer be
// reached, because the [Outbox] has failed or [Pings] were not answered; [context.Cause] says which, with
// [ErrShutdown] or [ErrDisconnected]. A transport then closes the connection, if it is still there, and the session.
func (s *Session) Context() context.Context { return s.ctx }

// ended lets go of everything that waits, once the connection's context has ended.
func (s *Session) ended() {
	s.subscribers.leave(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	s.calls.room.Broadcast()
	if s.keepalive != nil {
		s.keepalive.end()
	}
}

// note implements [replier].
func (s *Session) note(msg []byte) { s.send(msg) }

// ask implements [replier]: what the transport cannot send ends the session.
func (s *Session) ask(msg []byte) (lost bool) {
	s.send(msg)
	return false
}

// reply implements [replier].
func (s *Session) reply(msg []byte, _ Disposition) { s.send(msg) }

// skip implements [replier]: a request on its own just stays unanswered.
func (s *Session) skip(Disposition) {}

// send hands one message to the transport.
func (s *Session) send(msg []byte) { s.sent(s.out.Send(msg)) }

// post hands one message to the transport, which may wait with it until flush.
func (s *Session) post(msg []byte) {
	if s.batch == nil {
		s.send(msg)
		return
	}
	s.sent(s.batch.Post(msg))
}

// flush has the transport deliver what was posted.
func (s *Session) flush() {
	if s.batch != nil {
		s.sent(s.batch.Flush())
	}
}

// sent takes note of how the sending of a message went.
func (s *Session) sent(err error) {
	if err != nil {
		s.log.LogAttrs(s.ctx, slog.LevelDebug, "message not delivered", slog.Any("error", err))
		if s.cancel != nil {
			s.cancel(fmt.Errorf("%w: %w", ErrDisconnected, err))
		}
	}
}

// Outbox delivers the messages of a session to its client. The transport implements it.
//
// These methods are optional; a session uses those that its Outbox has:
//
//   - Post(msg []byte) error and Flush() error deliver several messages at once. Post is Send, except that the message
//     may be held back until the next Send or Flush; Flush delivers the messages that were held back. A session that reads
//     from a [Source] posts the answer to a request when the next one is already there.
//   - SendPieces(pieces ...[]byte) error is Send for a message in pieces, without the need to join them. A session uses it
//     for large answers that it keeps, such as a long list of tools.
//   - Backlog() int returns the number of messages that were handed over and are not written yet, including
//     those whose Send still blocks. It must not block, nor call the session. A session logs it when calls
//     cannot end because the client does not read.
//   - Probe(msg []byte) (reached func() bool) is for transports whose client may be temporarily unreachable. It delivers
//     msg, a ping, if the client is reachable at this moment; otherwise it returns nil and drops msg. It must not block, nor
//     keep msg, nor call the session, which holds a lock. The session calls reached later, under the same conditions: it
//     reports whether msg was written to a connection that is still the one for reaching the client. If it
//     was not, the missing answer does not count as a failure.
type Outbox interface {
	// Send delivers msg: one complete JSON-RPC message, without framing and
	// without a line break inside. It is called by several goroutines at once and must
	// not keep msg, nor change it, nor call the session, which may hold a lock. It may
	// block until the client reads.
	//
	// An error means that nothing can be delivered any more. The session then
	// cancels its calls. A transport whose client
	// may reconnect does not return an error.
	Send(msg []byte) error
}

// The optional methods of an [Outbox].
type (
	batcher interface {
		Post(msg []byte) error
		Flush() error
	}
	gatherer interface {
		SendPieces(pieces ...[]byte) error
	}
	backlogger interface{ Backlog() int }
	prober     interface {
		Probe(msg []byte) (reached func() bool)
	}
)
