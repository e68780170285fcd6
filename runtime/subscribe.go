package runtime

import (
	"fmt"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// subscribeResource answers resources/subscribe of legacy revisions. A second subscription to a resource replaces the
// first.
func (r *request) subscribeResource(dst []byte) ([]byte, *wireError) {
	uri := wire.TextOf(r.uri.raw)
	if len(uri) > maxSubscribedURI {
		return dst, invalidParams(fmt.Sprintf("params.uri is longer than %d bytes", maxSubscribedURI))
	}
	s := r.from.session
	sub := s.newSubscription(r.reader(), uri)
	if sub == nil {
		return dst, resourceNotFound(r.uri.raw, r.version)
	}
	if err := s.subscribeTo(sub); err != nil {
		return dst, err
	}
	s.subscribers.join(s)
	return s.appendResultTail(append(dst, '{'), r.version, nil), nil
}

// unsubscribeResource answers resources/unsubscribe of legacy revisions. It does nothing if the subscription does not
// exist.
func (r *request) unsubscribeResource(dst []byte) ([]byte, *wireError) {
	raw := wire.Member(r.params.Raw, "uri")
	if rawjson.KindOf(raw) != rawjson.String {
		return dst, invalidParams("params.uri must be a string")
	}
	if key, ok := uritemplate.Normalize(wire.TextOf(raw)); ok {
		r.from.session.unsubscribeFrom(key)
	}
	return r.from.appendResultTail(append(dst, '{'), r.version, nil), nil
}

// subscribeTo adds a subscription to the session.
func (s *Session) subscribeTo(sub *resourceSubscription) *wireError {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return internalError(stopReason(s.ctx))
	}
	old := s.resources[sub.key]
	if old == nil && len(s.resources) >= s.limits.MaxSubscriptions {
		return internalError(fmt.Sprintf("the session has subscribed to %d resources, and may not to more: unsubscribe from some first", len(s.resources)))
	}
	if old != nil {
		sub.uri = old.uri
	}
	if err := s.memory.Take(sub.reader.access.Caller(), sub.cost()); err != nil {
		return noRoomToSubscribe()
	}
	if old != nil { // its interval continues
		s.memory.Give(old.reader.access.Caller(), old.cost())
		old.reader = sub.reader
		return nil
	}
	if s.resources == nil {
		s.resources = map[string]*resourceSubscription{}
	}
	s.resources[sub.key] = sub
	s.subscribers.resources.add(sub)
	return nil
}

// noRoomToSubscribe refuses a subscription beyond the memory limit.
func noRoomToSubscribe() *wireError {
	return internalError("there is no memory for another subscription: end some, or try again later")
}

// unsubscribeFrom ends the subscription to the URI with this normal form, if it exists.
func (s *Session) unsubscribeFrom(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sub := s.resources[key]; sub != nil {
		s.endSubscription(sub)
	}
}

// endSubscription ends a subscription of the legacy session. The caller holds s.mu.
func (s *Session) endSubscription(sub *resourceSubscription) {
	delete(s.resources, sub.key)
	sub.end()
	s.memory.Give(sub.reader.access.Caller(), sub.cost())
}

// endSubscriptions ends all subscriptions, when the session has ended. The caller holds s.mu.
func (s *Session) endSubscriptions() {
	for _, sub := range s.resources {
		s.endSubscription(sub)
	}
	s.changes.updates.stop()
}
