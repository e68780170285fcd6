package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/mcptool"
)

// The causes that end the context of a call from outside; a tool finds them with
// [context.Cause], wrapped in an error that says more.
var (
	// ErrCancelled says that the client cancelled the call.
	ErrCancelled = errors.New("the client cancelled the call")
	// ErrShutdown says that the session is being closed and the time for its
	// calls is up.
	ErrShutdown = errors.New("the server is shutting down")
	// ErrDisconnected says that the client can no longer be reached.
	ErrDisconnected = errors.New("the client has gone")
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

// pending is a request that has not been answered yet.
type pending interface {
	// cancelled ends the request without a response. It is called without locks, once at most.
	cancelled(reason string)
	// abandoned ends the request because the session ends.
	abandoned()
}

// handshake is what a legacy client said in initialize.
type handshake struct {
	version   version // noVersion: there was no handshake
	confirmed bool    // notifications/initialized came
	client    mcptool.ClientInfo
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

// reply implements [replier].
func (s *Session) reply(msg []byte) { s.send(msg) }

// skip implements [replier]: a request on its own just stays unanswered.
func (s *Session) skip() {}

// send hands one message to the transport.
func (s *Session) send(msg []byte) {
	if err := s.out.Send(msg); err != nil {
		s.log.LogAttrs(s.ctx, slog.LevelDebug, "message not delivered", slog.Any("error", err))
		s.cancel(fmt.Errorf("%w: %w", ErrDisconnected, err))
	}
}

// enroll notes a request that will be answered later. It refuses an id that is
// still waiting for its answer: two answers to one id could not be told apart.
// The caller holds s.mu.
func (s *Session) enroll(key string, p pending) *wireError {
	if s.closing {
		return &wireError{code: codeInternal, message: ErrShutdown.Error()}
	}
	if _, taken := s.inFlight[key]; taken {
		return invalidRequest("a request with this id is still being answered")
	}
	s.inFlight[key] = p
	return nil
}

// discharge forgets a request that is about to be answered, so that the client
// may use the id again as soon as it has the answer.
func (s *Session) discharge(key string, p pending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight[key] == p {
		delete(s.inFlight, key)
	}
}

// cancelRequest ends the request with this id, if it is in flight.
func (s *Session) cancelRequest(key, reason string) {
	s.mu.Lock()
	p := s.inFlight[key]
	delete(s.inFlight, key)
	s.mu.Unlock()
	if p != nil {
		p.cancelled(reason)
	}
}

// exchange is a request that is not answered at once. Everything it sends goes
// through here, so that nothing is sent after its end.
type exchange struct {
	session *Session
	to      replier // where the response goes

	mu   sync.Mutex // held while a message of the exchange is sent
	over bool

	// unwanted is set before the work is told to stop: what it still
	// says is not sent, although silence has to wait for mu.
	unwanted atomic.Bool
}

// mute says whether nothing may be sent any more. The caller holds x.mu.
func (x *exchange) mute() bool { return x.over || x.unwanted.Load() }

// note sends a notification, unless the exchange is over.
func (x *exchange) note(msg []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.mute() {
		x.session.send(msg)
	}
}

// finish ends the exchange with a response, unless it is over already or the
// client wants none.
func (x *exchange) finish(msg []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.mute() {
		x.over = true
		x.to.reply(msg)
	}
}

// silence ends the exchange without a response.
func (x *exchange) silence() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over {
		x.over = true
		x.to.skip()
	}
}

// oneLine cuts text to at most limit bytes and puts it on one line.
func oneLine(text string, limit int) string {
	return string(bytes.Join(bytes.Fields([]byte(cut(text, limit))), []byte(" ")))
}
