package runtime

import (
	"sync"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/mcptool"
)

// watchers is the sessions that are to be told when the tools change. While there is
// one, and no longer, they watch the registry.
type watchers struct {
	tools *mcptool.Registry

	mu       sync.Mutex
	sessions map[*Session]struct{}
	stop     func()
}

// join adds s; a second time does nothing.
func (w *watchers) join(s *Session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.ctx.Err() != nil {
		return // s has left for good
	}
	if len(w.sessions) == 0 {
		w.sessions = map[*Session]struct{}{}
		w.stop = w.tools.OnChange(w.changed)
	}
	w.sessions[s] = struct{}{}
}

// leave removes s, if it is there.
func (w *watchers) leave(s *Session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.sessions[s]; !ok {
		return
	}
	if delete(w.sessions, s); len(w.sessions) == 0 {
		w.stop()
	}
}

// changed passes on that the tools have changed. It runs in the goroutine that
// changed them, which must not wait for clients.
func (w *watchers) changed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for s := range w.sessions {
		s.announce()
	}
}

// news is a session's part in spreading that the tools have changed.
type news struct {
	busy bool   // a goroutine is at it
	seen uint64 // generation of the tools a legacy client knows about
}

// announce sees to it that the client is told of changes it has not heard of. Changes
// that come faster than the client reads are told as one.
func (s *Session) announce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.news.busy && !s.closing {
		s.news.busy = true
		go s.spread()
	}
}

// spread tells the client, again and again until there is nothing new. Every change
// either is seen by its last look at the generation, or finds busy false and begins anew.
func (s *Session) spread() {
	for s.spreadOnce() {
	}
}

// spreadOnce tells who has not heard of the latest tools; it reports whether there may be more to tell.
func (s *Session) spreadOnce() (more bool) {
	defer contain.Panic(s.ctx, s.log, "change of tools not announced")
	legacy, listens := s.untold()
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

// untold returns who has not heard of the latest tools, and notes that they have.
// When there is nobody, the spreading is over.
func (s *Session) untold() (legacy bool, listens []*listen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.tools.Generation()
	if s.confirmed && s.news.seen != now {
		s.news.seen, legacy = now, true
	}
	for _, p := range s.inFlight {
		if l, ok := p.(*listen); ok && l.tools && l.acknowledged && l.seen != now {
			l.seen = now
			listens = append(listens, l)
		}
	}
	if !legacy && len(listens) == 0 || s.closing {
		s.news.busy = false
		s.checkIdle()
		return false, nil
	}
	return legacy, listens
}
