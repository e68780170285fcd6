package runtime

import (
	"errors"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
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

// pending is a request that has not been answered yet.
type pending interface {
	// cancelled ends the request without a response. It is called without locks, once at most.
	cancelled(reason string)
	// abandoned ends the request because the session ends.
	abandoned()
}

// enroll notes a request that will be answered later. It refuses an id that is
// still waiting for its answer: two answers to one id could not be told apart.
// The caller holds s.mu.
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

// enrollTurn is enroll for a call that a reader runs. Hardly anybody asks for it before it is
// answered, so if it is the only one in flight it is kept beside the map, without a key.
func (s *Session) enrollTurn(c *call) *wireError {
	s.settle() // another reader may run it, for long
	if s.closing || len(s.requests) > 0 {
		return s.enroll(envelope.Key(c.id), c)
	}
	s.turn = c
	return nil
}

// settle moves turn to requests, where the caller, who holds s.mu, is about to look.
func (s *Session) settle() {
	if c := s.turn; c != nil {
		s.turn = nil
		s.requests[envelope.Key(c.id)] = c
	}
}

// discharge forgets a request that is about to be answered, so that the client
// may use the id again as soon as it has the answer.
func (s *Session) discharge(key string, p pending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests[key] == p {
		delete(s.requests, key)
	}
}

// discharge is [Session.discharge] for a call.
func (c *call) discharge() {
	s := c.session
	if s.endpoint != nil {
		return // which has nothing in flight
	}
	s.mu.Lock()
	inTurn := s.turn == c
	if inTurn {
		s.turn = nil
	}
	s.mu.Unlock()
	if !inTurn {
		s.discharge(envelope.Key(c.id), c)
	}
}

// cancelRequest ends the request with this id, if it is in flight.
func (s *Session) cancelRequest(key, reason string) {
	s.mu.Lock()
	s.settle()
	p := s.requests[key]
	delete(s.requests, key)
	s.mu.Unlock()
	if p != nil {
		p.cancelled(reason)
	}
}

// cancelNotified takes notifications/cancelled. Requests that are not in flight, because they
// are answered already or never came, are nothing to worry about.
func (s *Session) cancelNotified(p *envelope.Params) {
	var id []byte
	var reason string
	wire.Members(p.Raw, func(name string, value []byte) {
		switch {
		case name == "requestId":
			id = value
		case name == "reason" && jsonscan.KindOf(value) == jsonscan.String:
			reason = wire.OneLine(string(jsonscan.Unquote(value)), s.limits.MaxTextBytes)
		}
	})
	if envelope.ValidID(id) {
		s.cancelRequest(envelope.Key(id), reason)
	}
}
