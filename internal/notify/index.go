package notify

import (
	"slices"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// index finds the subscriptions to a resource, so that an update costs nothing for clients with other subscriptions.
type index struct {
	mu    sync.RWMutex
	byKey map[string][]*Subscription // by the normal form of their URIs
}

// add adds a subscription.
func (x *index) add(sub *Subscription) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.byKey == nil {
		x.byKey = map[string][]*Subscription{}
	}
	x.byKey[sub.Key] = append(x.byKey[sub.Key], sub)
}

// remove removes a subscription that was added.
func (x *index) remove(sub *Subscription) {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := x.byKey[sub.Key]
	i := slices.Index(list, sub)
	list = slices.Delete(list, i, i+1)
	switch {
	case len(list) > 0:
		x.byKey[sub.Key] = list
	case len(x.byKey) == 1:
		x.byKey = nil // a map does not shrink
	default:
		delete(x.byKey, sub.Key)
	}
}

// updated makes the clients that have subscribed to the URI, or to one above it, be notified. If named is false, clients
// are notified of the URI that they have subscribed to, and not of this one. Texts that are not URIs are ignored, because
// they cannot have subscriptions.
func (x *index) updated(n Notice, named bool) {
	key, ok := uritemplate.Normalize(n.Subject)
	if !ok {
		return
	}
	for _, sub := range x.find(key) {
		if named {
			sub.updated(n.Audience, key, n.Subject)
		} else {
			sub.updated(n.Audience, sub.Key, sub.URI)
		}
	}
}

// allUpdated makes the clients be notified of every resource that they have subscribed to.
func (x *index) allUpdated() {
	x.mu.RLock()
	var all []*Subscription
	for _, list := range x.byKey {
		all = append(all, list...)
	}
	x.mu.RUnlock()
	for _, sub := range all {
		sub.updated(Audience{}, sub.Key, sub.URI)
	}
}

// find returns the subscriptions to the URI with this normal form, and to URIs above it: docs://guide and docs://guide/
// are above docs://guide/intro.
func (x *index) find(key string) (found []*Subscription) {
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
	for n := min(len(path), len(key)-1, MaxURI); n > 0; n-- {
		if path[n-1] == '/' || n < len(path) && path[n] == '/' {
			found = append(found, x.byKey[path[:n]]...)
		}
	}
	return found
}
