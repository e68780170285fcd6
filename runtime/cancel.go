package runtime

import (
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// pending is a request that has not been answered yet.
type pending interface {
	// cancelled ends the request without a response. It is called at most once, without holding locks.
	cancelled(reason string)
	// abandoned ends the request because the session ends.
	abandoned()
}

// openRequests are the requests of a session that have not been answered yet. session.mu guards them.
type openRequests struct {
	byKey map[string]pending // by envelope.Key of their ids
	turn  *call              // run by a reader, and not in byKey; see addTurn
}

// all returns the requests by envelope.Key of their ids.
func (u *openRequests) all() map[string]pending {
	if c := u.turn; c != nil {
		u.turn = nil
		u.byKey[envelope.Key(c.id)] = c
	}
	return u.byKey
}

// addTurn adds a call that a reader runs, unless there are other requests. Such a call is rarely looked up before it is
// answered, so it is stored without a key.
func (u *openRequests) addTurn(c *call) (isAdded bool) {
	if len(u.all()) > 0 { // another reader may still be running a slow call
		return false
	}
	u.turn = c
	return true
}

// remove removes a request, and reports whether it was still there.
func (u *openRequests) remove(key string, p pending) bool {
	was := u.byKey[key] == p
	if was {
		delete(u.byKey, key)
	}
	return was
}

// enroll registers a request that will be answered later. It refuses an id that is in use by an unanswered request, because
// the client could not distinguish the two answers. The caller holds s.mu.
func (s *session) enroll(key string, p pending) *wireError {
	all := s.requests.all()
	if s.closing {
		return internalError(stopReason(s.ctx))
	}
	if _, taken := all[key]; taken {
		return invalidRequest("a request with this id is still being answered")
	}
	all[key] = p
	return nil
}

// remove removes a request that is about to be answered, so that the client can reuse the id as soon as it has the
// answer. It reports false if the client has cancelled the request, or the session has ended it.
func (s *session) remove(key string, p pending) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests.remove(key, p)
}

// discharge implements [peer]: it is remove for a call.
func (s *session) discharge(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests.turn == c {
		s.requests.turn = nil
		return
	}
	s.requests.remove(envelope.Key(c.id), c)
}

// cancelNotified handles notifications/cancelled. It ignores a request that is not in flight, because it was answered
// before or never arrived.
func (s *session) cancelNotified(p *envelope.Params) {
	id := rawjson.Lookup(p.Raw, "requestId")
	if !envelope.ValidID(id) {
		return
	}
	key := envelope.Key(id)
	s.mu.Lock()
	request := s.requests.all()[key]
	delete(s.requests.byKey, key)
	c, _ := request.(*call)
	waited := c != nil && s.calls.remove(c)
	s.calls.room.Broadcast() // it may be blocked
	s.mu.Unlock()
	if waited {
		s.inFlight.leave(c)
	}
	if request != nil {
		request.cancelled(wire.OneLine(wire.TextOf(rawjson.Lookup(p.Raw, "reason")), s.limits.MaxTextBytes))
	}
}
