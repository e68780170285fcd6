package runtime

import (
	"errors"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Causes that end the context of a call from outside. A tool gets them from [context.Cause], possibly wrapped in an
// error with the details: test with [errors.Is].
var (
	// ErrCancelled means that the client has cancelled the call, or the task that the call has become.
	ErrCancelled = errors.New("the client cancelled the call")
	// ErrShutdown means that the session, the [Endpoint] or the server is being closed, and that the time which the
	// call had to end is over.
	ErrShutdown = errors.New("the server is shutting down")
	// ErrDisconnected means that the client has disconnected, or cannot be reached any more.
	ErrDisconnected = errors.New("the client has gone")
)

// pending is a request that has not been answered yet.
type pending interface {
	// cancelled ends the request without a response. It is called at most once, without holding locks.
	cancelled(reason string)
	// abandoned ends the request because the session ends.
	abandoned()
}

// enroll registers a request that will be answered later. It refuses an id that is in use by an unanswered request,
// because the client could not distinguish the two answers. The caller holds s.mu.
func (s *Session) enroll(key string, p pending) *wireError {
	s.settle()
	if s.closing {
		return internalError(stopReason(s.ctx))
	}
	if _, taken := s.requests[key]; taken {
		return invalidRequest("a request with this id is still being answered")
	}
	s.requests[key] = p
	return nil
}

// enrollTurn is enroll for a call that a reader runs. Such a call is rarely looked up before it is answered, so if it
// is the only request in flight, it is stored outside of the map, without a key.
func (s *Session) enrollTurn(c *call) *wireError {
	s.settle() // another reader may still be running a slow call
	if s.closing || len(s.requests) > 0 {
		return s.enroll(envelope.Key(c.id), c)
	}
	s.turn = c
	return nil
}

// settle moves turn to requests, because the caller is about to use them. The caller holds s.mu.
func (s *Session) settle() {
	if c := s.turn; c != nil {
		s.turn = nil
		s.requests[envelope.Key(c.id)] = c
	}
}

// remove removes a request that is about to be answered, so that the client can reuse the id as soon as it has the
// answer.
func (s *Session) remove(key string, p pending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests[key] == p {
		delete(s.requests, key)
	}
}

// discharge implements [peer]: it is remove for a call.
func (s *Session) discharge(c *call) {
	s.mu.Lock()
	inTurn := s.turn == c
	if inTurn {
		s.turn = nil
	}
	s.mu.Unlock()
	if !inTurn {
		s.remove(envelope.Key(c.id), c)
	}
}

// cancelRequest ends the request with this id, if it is in flight.
func (s *Session) cancelRequest(key, reason string) {
	s.mu.Lock()
	s.settle()
	p := s.requests[key]
	delete(s.requests, key)
	c, _ := p.(*call)
	waited := c != nil && s.calls.remove(c)
	s.mu.Unlock()
	if waited { // it will not run; a running call does this itself, and may be waiting for the store
		s.inFlight.leave(c)
		if run := c.extras().taskRun(); run != nil {
			run.untie()
		}
	}
	if p != nil {
		p.cancelled(reason)
	}
}

// cancelNotified handles notifications/cancelled. It ignores a request that is not in flight, because it was answered
// before or never arrived.
func (s *Session) cancelNotified(p *envelope.Params) {
	var id []byte
	var reason string
	wire.Members(p.Raw, func(name string, value []byte) {
		switch {
		case name == "requestId":
			id = value
		case name == "reason" && rawjson.KindOf(value) == rawjson.String:
			reason = wire.OneLine(string(rawjson.Unquote(value)), s.limits.MaxTextBytes)
		}
	})
	if envelope.ValidID(id) {
		s.cancelRequest(envelope.Key(id), reason)
	}
}
