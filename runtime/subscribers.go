package runtime

import (
	"sync"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/mcptool"
)

// subscribers are the sessions that are notified when the tools change. They listen to the registry only while there
// are any.
type subscribers struct {
	tools *mcptool.Registry

	mu       sync.Mutex
	sessions map[*Session]struct{}
	stop     func()
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
		b.stop = b.tools.OnChange(b.changed)
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

// changed notifies the sessions that the tools have changed. It runs in the goroutine that has changed them, which must
// not wait for clients.
func (b *subscribers) changed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for s := range b.sessions {
		s.notifyChange()
	}
}

// changeNotifications is the state of a session's notifications that the tools have changed.
type changeNotifications struct {
	sending bool   // a goroutine sends them
	seen    uint64 // generation of the tools that a legacy client knows about
}

// notifyChange makes the session notify its client of changes that it does not know about. Changes that come faster
// than the client reads are sent as one.
func (s *Session) notifyChange() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.changes.sending && !s.closing {
		s.changes.sending = true
		go s.sendChanges()
	}
}

// sendChanges notifies the client until there is nothing new. Every change is either seen when it last reads the
// generation, or finds sending false and starts it again.
func (s *Session) sendChanges() {
	for s.sendChange() {
	}
}

// sendChange sends one notification to each subscriber that needs it; it reports whether there may be more to send.
func (s *Session) sendChange() (more bool) {
	defer contain.Panic(s.ctx, s.log, "change of tools not announced")
	legacy, listens := s.outdated()
	if more = legacy || len(listens) > 0; !more {
		return false
	}
	if legacy {
		s.send([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
	}
	for _, l := range listens {
		l.announce()
	}
	return true
}

// outdated returns the subscribers that do not know about the latest tools, and marks them as notified. If there are
// none, it ends the sending.
func (s *Session) outdated() (legacy bool, listens []*listen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.tools.Generation()
	if s.confirmed && s.changes.seen != now {
		s.changes.seen, legacy = now, true
	}
	for _, p := range s.requests {
		if l, ok := p.(*listen); ok && l.tools && l.acknowledged && l.seen != now {
			l.seen = now
			listens = append(listens, l)
		}
	}
	if !legacy && len(listens) == 0 || s.closing {
		s.changes.sending = false
		s.checkIdle()
		return false, nil
	}
	return legacy, listens
}
