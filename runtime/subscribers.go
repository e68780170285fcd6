package runtime

import (
	"sync"

	"github.com/mcptool-go/mcptool/mcptool"
)

// subscribers are the sessions that are notified of changes. They listen to the registry only while there is a session.
//
//	registry, bus ─▶ deliver ─▶ sessions   of a changed list, each that is notified of changes
//	                       └──▶ resources  of an updated resource, those that have subscribed to it
type subscribers struct {
	registry  *mcptool.Registry
	bus       *busClient
	resources resourceIndex

	mu       sync.Mutex
	sessions map[*Session]struct{}
	stop     func()
}

// deliver makes the sessions concerned by a notice notify their clients. All notices reach the sessions through it. It
// runs in the goroutine that has made the change, or in a goroutine of the Bus, which must not wait for clients. If
// named is false, the URI of the resource is not sent: clients are notified of the resource above it that they have
// subscribed to.
func (b *subscribers) deliver(n Notice, named bool) {
	if n.Kind == ResourceUpdated {
		b.resources.updated(n.Subject, named)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for s := range b.sessions {
		s.notifyChange()
	}
}

// watchRegistry calls fn for each change of the registry until stop is called.
func watchRegistry(registry *mcptool.Registry, fn func(Notice)) (stop func()) {
	changed := func(kind NoticeKind) func() { return func() { fn(Notice{Kind: kind}) } }
	stops := []func(){
		registry.OnChange(changed(ToolsChanged)),
		registry.OnPromptsChange(changed(PromptsChanged)),
		registry.OnResourcesChange(changed(ResourcesChanged)),
		registry.OnResourceUpdated(func(uri string) { fn(Notice{Kind: ResourceUpdated, Subject: uri}) }),
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// join adds s, unless it was added before.
func (b *subscribers) join(s *Session) {
	b.bus.subscribe()
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.ctx.Err() != nil {
		return // the session has ended
	}
	if len(b.sessions) == 0 {
		b.sessions = map[*Session]struct{}{}
		b.stop = watchRegistry(b.registry, func(n Notice) { b.deliver(n, true) })
	}
	b.sessions[s] = struct{}{}
}

// leave removes s, if it was added.
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
