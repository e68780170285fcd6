package runtime

import (
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// resourceIndex finds the subscriptions to a resource, so that an update costs nothing for sessions with other
// subscriptions. Its lock may be acquired while the lock of a session is held, but not the other way round.
type resourceIndex struct {
	mu    sync.RWMutex
	byKey map[string][]*resourceSubscription // by the normal form of their URIs
}

// add adds a subscription.
func (x *resourceIndex) add(sub *resourceSubscription) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.byKey == nil {
		x.byKey = map[string][]*resourceSubscription{}
	}
	sub.position = len(x.byKey[sub.key])
	x.byKey[sub.key] = append(x.byKey[sub.key], sub)
}

// remove removes a subscription that was added.
func (x *resourceIndex) remove(sub *resourceSubscription) {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := x.byKey[sub.key]
	last := len(list) - 1
	list[sub.position] = list[last]
	list[sub.position].position = sub.position
	list[last] = nil
	switch {
	case last > 0:
		x.byKey[sub.key] = list[:last]
	case len(x.byKey) == 1:
		x.byKey = nil // a map does not shrink
	default:
		delete(x.byKey, sub.key)
	}
}

// updated makes the sessions that have subscribed to the URI, or to one above it, notify their clients. If named is
// false, clients are notified of the URI that they have subscribed to, and not of this one. Texts that are not URIs are
// ignored, because they cannot have subscriptions.
func (x *resourceIndex) updated(uri string, named bool) {
	key, ok := uritemplate.Normalize(uri)
	if !ok {
		return
	}
	for _, sub := range x.find(key) {
		if named {
			sub.session.noteUpdate(sub, key, uri)
		} else {
			sub.session.noteUpdate(sub, sub.key, sub.uri)
		}
	}
}

// allUpdated makes the sessions notify their clients of every resource that they have subscribed to.
func (x *resourceIndex) allUpdated() {
	x.mu.RLock()
	var all []*resourceSubscription
	for _, list := range x.byKey {
		all = append(all, list...)
	}
	x.mu.RUnlock()
	for _, sub := range all {
		sub.session.noteUpdate(sub, sub.key, sub.uri)
	}
}

// find returns the subscriptions to the URI with this normal form, and to URIs above it: docs://guide and docs://guide/
// are above docs://guide/intro.
func (x *resourceIndex) find(key string) (found []*resourceSubscription) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.byKey) == 0 {
		return nil
	}
	found = append(found, x.byKey[key]...)
	path := key
	if end := strings.IndexAny(key, "?#"); end >= 0 {
		path = key[:end]
	}
	for n := min(len(path), len(key)-1, maxSubscribedURI); n > 0; n-- {
		if path[n-1] == '/' || n < len(path) && path[n] == '/' {
			found = append(found, x.byKey[path[:n]]...)
		}
	}
	return found
}
