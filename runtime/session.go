package runtime

import (
	"context"
	"sync"
	"weak"

	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Session is one client on one connection. A transport opens it with [Server.Open], passes every received message to
// [Session.Receive], and calls [Session.Close] when there are no more. All methods are safe for concurrent use, but
// messages whose order matters must be passed one after the other.
type Session struct {
	origin

	end   context.CancelCauseFunc // ends the session's context
	out   Outbox
	batch batcher // out, if it implements batcher

	keepalive keepalive
	changes   *notify.Client
	legacy    *notify.Stream // the notifications of changes to a legacy client

	mu        sync.Mutex
	confirmed bool // notifications/initialized has arrived
	requests  openRequests
	questions questions     // requests to the client
	listens   int           // number of subscriptions among requests
	resources subscriptions // of a legacy client
	calls     callQueue
	flushes   flushes
	closing   bool          // no new work is begun
	idle      chan struct{} // closed when nothing is running; created by Close
}

func newSession(ctx context.Context, c *core, out Outbox) *Session {
	s := &Session{out: out, requests: openRequests{byKey: map[string]pending{}}}
	s.core, s.peer, s.session, s.self = c, s, s, weak.Make(&s.origin)
	s.batch, _ = out.(batcher)
	s.ctx, s.end = context.WithCancelCause(ctx)
	s.changes = c.notices.NewClient(ctx, c.log, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.checkIdle()
	})
	s.legacy = s.changes.NewStream(func(l notify.List) { s.note(append(l.AppendChanged(nil), '}')) })
	s.calls.session, s.calls.room.L = s, &s.mu
	s.resources.session = s
	s.logLevel.Store(int32(wire.DefaultLogLevel))
	s.keepalive.session = s
	context.AfterFunc(s.ctx, s.ended) //nolint:contextcheck // ends with the context, nothing to inherit
	return s
}

// Context returns a context that ends with the session: when the session was closed, when the context given to
// [Server.Open] has ended, or when the client cannot be reached any more, because the [Outbox] has returned an error,
// or [Pings] got no answer. [context.Cause] then wraps [ErrShutdown], the cause of that
// context, or [ErrDisconnected]. When the context ends, the transport must close the session, and the connection if it
// is still open.
func (s *Session) Context() context.Context { return s.ctx }

// interrupt implements [peer]: it ends the context of the session.
func (s *Session) interrupt(cause error) { s.end(cause) }

// ended wakes up everything that waits, after the context of the session has ended.
func (s *Session) ended() {
	s.changes.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
	s.calls.room.Broadcast()
	s.resources.endAll()
}

// note implements [replier] and [peer]. It passes one message to the transport.
func (s *Session) note(msg []byte) { s.sent(s.out.Send(msg)) }

// ask implements [replier] and [peer]. If the transport cannot send the message, the session ends.
func (s *Session) ask(msg []byte) (lost bool) {
	s.note(msg)
	return false
}

// reply implements [replier].
func (s *Session) reply(msg []byte, _ Disposition) { s.note(msg) }

// skip implements [replier]. A single request without a response needs no message.
func (s *Session) skip(Disposition) {}

// post passes one message to the transport, which may hold it back until flush.
func (s *Session) post(msg []byte) {
	if s.batch == nil {
		s.note(msg)
		return
	}
	s.sent(s.batch.Post(msg))
}

// flushPosted makes the transport deliver posted messages.
func (s *Session) flushPosted() {
	if s.batch != nil {
		s.sent(s.batch.Flush())
	}
}

// flush implements [peer]. It is flushPosted for a goroutine that runs no call: Close waits for it, because the client
// may not be reading.
func (s *Session) flush() {
	s.mu.Lock()
	s.flushes.add(1)
	s.mu.Unlock()
	defer func() { // also if the transport panics
		s.mu.Lock()
		defer s.mu.Unlock()
		s.flushes.add(-1)
	}()
	s.flushPosted()
}

// Outbox delivers the messages of a session to its client. The transport implements it.
//
// These methods are optional; a session uses the ones that its Outbox has:
//
//   - Post(msg []byte) error and Flush() error deliver several messages at once. Post is like Send, but may hold the
//     message back until the next Send or Flush. Flush delivers the messages that were held back. A session that reads
//     from a [Source] posts its answers to quick requests, and calls Flush when no further message is ready.
//   - Probe(msg []byte) (reached func() bool) is for transports whose client may be temporarily unreachable. If the
//     client is reachable now, it delivers msg, a ping; otherwise it drops msg and returns nil. It must not block or
//     keep msg. Later the session calls reached, which must not block: it reports whether msg was written to the
//     connection over which the client can still be reached. If not, the missing answer does not count as a failure.
type Outbox interface {
	// Send delivers msg: one complete JSON-RPC message, without framing and without line breaks. It is called
	// concurrently. It must not keep or modify msg, and must not call the session, which may hold a lock. It may block
	// until the client reads.
	//
	// An error means that nothing can be delivered any more: the session ends with the cause [ErrDisconnected], which
	// cancels its calls. A transport whose client may reconnect returns no error.
	Send(msg []byte) error
}

// The optional methods of an [Outbox].
type (
	batcher interface {
		Post(msg []byte) error
		Flush() error
	}
	prober interface {
		Probe(msg []byte) (reached func() bool)
	}
)
