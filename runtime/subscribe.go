package runtime

import (
	"fmt"

	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// subscribeResource answers resources/subscribe of legacy revisions. A second subscription to a resource replaces the
// first.
func subscribeResource(r *request, dst []byte) ([]byte, *wireError) {
	uri := wire.TextOf(r.uri.raw)
	if len(uri) > notify.MaxURI {
		return dst, invalidParams(fmt.Sprintf("params.uri is longer than %d bytes", notify.MaxURI))
	}
	s := r.from.session
	sub := newSubscription(s, nil, r.reader(), uri)
	if sub == nil {
		return dst, resourceNotFound(r.uri.raw, r.version)
	}
	if err := s.resources.add(sub); err != nil {
		return dst, err
	}
	s.changes.Join()
	return s.appendResultTail(append(dst, '{'), r.version, nil), nil
}

// unsubscribeResource answers resources/unsubscribe of legacy revisions. It does nothing if the subscription does not
// exist.
func unsubscribeResource(r *request, dst []byte) ([]byte, *wireError) {
	raw := wire.Member(r.params.Raw, "uri")
	if rawjson.KindOf(raw) != rawjson.String {
		return dst, invalidParams("params.uri must be a string")
	}
	if key, ok := uritemplate.Normalize(wire.TextOf(raw)); ok {
		r.from.session.resources.remove(key)
	}
	return r.from.appendResultTail(append(dst, '{'), r.version, nil), nil
}

// subscriptions are the subscriptions of a legacy client to resources.
type subscriptions struct {
	session *Session
	byKey   map[string]*resourceSubscription // by the normal form of their URIs; nil if none. Session.mu guards it.
}

// add adds a subscription.
func (b *subscriptions) add(sub *resourceSubscription) *wireError {
	s := b.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return internalError(stopReason(s.ctx))
	}
	old := b.byKey[sub.Key]
	if old == nil && len(b.byKey) >= s.limits.MaxSubscriptions {
		return internalError(fmt.Sprintf("the session has subscribed to %d resources, and may not to more: unsubscribe from some first", len(b.byKey)))
	}
	if old != nil {
		sub.URI = old.URI
	}
	if err := s.memory.Take(sub.reader.access.Caller(), sub.cost()); err != nil {
		return noRoomToSubscribe()
	}
	if old != nil { // its interval continues
		s.memory.Give(old.reader.access.Caller(), old.cost())
		old.reader = sub.reader
		return nil
	}
	if b.byKey == nil {
		b.byKey = map[string]*resourceSubscription{}
	}
	b.byKey[sub.Key] = sub
	sub.Begin()
	return nil
}

// noRoomToSubscribe refuses a subscription beyond the memory limit.
func noRoomToSubscribe() *wireError {
	return internalError("there is no memory for another subscription: end some, or try again later")
}

// remove ends the subscription to the URI with this normal form, if it exists.
func (b *subscriptions) remove(key string) {
	b.session.mu.Lock()
	defer b.session.mu.Unlock()
	if sub := b.byKey[key]; sub != nil {
		b.end(sub)
	}
}

// end ends a subscription. The caller holds Session.mu.
func (b *subscriptions) end(sub *resourceSubscription) {
	delete(b.byKey, sub.Key)
	sub.End()
	b.session.memory.Give(sub.reader.access.Caller(), sub.cost())
}

// endAll ends all subscriptions, when the session has ended. The caller holds Session.mu.
func (b *subscriptions) endAll() {
	for _, sub := range b.byKey {
		b.end(sub)
	}
}
