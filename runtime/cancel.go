package runtime

import (
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// enroll registers a request that will be answered later. It refuses an id that is in use by an unanswered request, because
// the client could not distinguish the two answers. The caller holds s.mu.
func (s *session) enroll(key string, p respond.Pending) *wireError {
	if s.closing {
		return internalError(stopReason(s.ctx))
	}
	if !s.requests.Add(key, p) {
		return invalidRequest("a request with this id is still being answered")
	}
	return nil
}

// remove removes a request that is about to be answered, so that the client can reuse the id as soon as it has the
// answer. It reports false if the client has cancelled the request, or the session has ended it.
func (s *session) remove(p respond.Pending) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests.Remove(p)
}

// discharge implements [peer]: it is remove for a call.
func (s *session) discharge(c *call) { s.remove(c) }

// cancelNotified handles notifications/cancelled. It ignores a request that is not in flight, because it was answered
// before or never arrived.
func (s *session) cancelNotified(p *envelope.Params) {
	id := rawjson.Lookup(p.Raw, "requestId")
	if !envelope.ValidID(id) {
		return
	}
	key := envelope.Key(id)
	s.mu.Lock()
	request := s.requests.Take(key)
	c := s.calls.unqueue(request)
	s.calls.room.Broadcast() // it may be blocked
	s.mu.Unlock()
	if c != nil {
		s.inFlight.leave(c)
	}
	if request != nil {
		request.Cancelled(wire.OneLine(wire.TextOf(rawjson.Lookup(p.Raw, "reason")), s.limits.MaxTextBytes))
	}
}
