package runtime

import (
	"sync"

	"github.com/mcptool-go/mcptool/mcptool"
)

// subscribers are the sessions that are notified of changes. They listen to the registry only while there are any.
//
//	registry ─publish─▶ deliver ─▶ sessions   of a changed list, each that is notified of changes
//	                          └──▶ resources  of an updated resource, those that have subscribed to it
type subscribers struct {
	registry  *mcptool.Registry
	resources resourceIndex

	mu       sync.Mutex
	sessions map[*Session]struct{}
	stop     func()
}

// notice is a change of the registry that clients may have subscribed to.
type notice struct {
	list     listKind // it has changed, if resource is ""
	resource string   // URI of a resource that was updated
}

// publish passes a notice from the registry on. It is the only way for notices to reach the sessions. It runs in the
// goroutine that has made the change, which must not wait for clients.
func (b *subscribers) publish(n notice) { b.deliver(n) }

// deliver makes the sessions that a notice is for notify their clients.
func (b *subscribers) deliver(n notice) {
	if n.resource != "" {
		b.resources.updated(n.resource)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for s := range b.sessions {
		s.notifyChange()
	}
}

// watch publishes the changes of the registry until stop is called.
func (b *subscribers) watch() (stop func()) {
	changed := func(list listKind) func() { return func() { b.publish(notice{list: list}) } }
	stops := []func(){
		b.registry.OnChange(changed(listOfTools)),
		b.registry.OnPromptsChange(changed(listOfPrompts)),
		b.registry.OnResourcesChange(changed(listOfResources)),
		b.registry.OnResourceUpdated(func(uri string) { b.publish(notice{resource: uri}) }),
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// join adds s; a second time does nothing.
func (b *subscribers) join(s *Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.ctx.Err() != nil {
		return // the session has ended
	}
	if len(b.sessions) == 0 {
		b.sessions = map[*Session]struct{}{}
		b.stop = b.watch()
	}
	b.sessions[s] = struct{}{}
}

// leave removes s, if it is there.
func (b *subscribers) leave(s *Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.sessions[s]; !ok {
		return
	}
	if delete(b.sessions, s); len(b.sessions) == 0 {
		b.stop()
	}
}
