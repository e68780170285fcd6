package runtime

import "github.com/mcptool-go/mcptool/internal/contain"

// changeNotifications is the state of a session's notifications of changes. Session.mu guards it.
type changeNotifications struct {
	sending bool        // a goroutine is sending them
	lists   listSet     // declared to a legacy client in the handshake
	seen    generations // of the lists that a legacy client knows
	updates updateQueue
}

// notifyChange makes the session notify its client of changes that it does not know. If changes are faster than the
// client reads, they are sent as one.
func (s *Session) notifyChange() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.startSending()
}

// startSending is notifyChange for a caller that holds s.mu.
func (s *Session) startSending() {
	if !s.changes.sending && !s.closing {
		s.changes.sending = true
		go s.sendChanges()
	}
}

// sendChanges notifies the client until nothing is due. A change is either seen by the last check, or finds that
// sending is false and starts it again.
func (s *Session) sendChanges() {
	done := false
	defer func() {
		if !done { // a condition of the author has called runtime.Goexit
			go s.sendChanges()
		}
	}()
	for s.sendChange() {
	}
	done = true
}

// sendChange sends the due changes, but only the first resource update. It reports whether there may be more to send.
func (s *Session) sendChange() (more bool) {
	defer contain.Panic(s.ctx, s.log, "change not announced")
	due := s.nextChanges()
	if more = !due.isEmpty(); !more {
		return false
	}
	for k, changed := range due.legacy {
		if changed {
			s.send(append(listKind(k).appendChanged(nil), '}'))
		}
	}
	for _, l := range due.listens {
		l.listen.announce(l.changed)
	}
	if due.update != nil {
		due.update.send(due.reader)
	}
	return true
}

// dueChanges are the changes of which a session must notify its client.
type dueChanges struct {
	legacy  listSet
	listens []listChange
	update  *resourceUpdate // nil if none is due
	reader  *resourceReader // of update
}

// listChange is a change of lists of which a subscription is notified.
type listChange struct {
	listen  *listen
	changed listSet
}

func (d *dueChanges) isEmpty() bool {
	return d.legacy.isEmpty() && len(d.listens) == 0 && d.update == nil
}

// nextChanges returns the due changes, and marks them as sent. If there are none, it ends the sending.
func (s *Session) nextChanges() (due dueChanges) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closing {
		now := s.generations()
		if s.confirmed {
			due.legacy = now.changed(s.changes.seen, s.changes.lists)
			s.changes.seen = now
		}
		for _, p := range s.requests.all() {
			l, ok := p.(*listen)
			if !ok || !l.acknowledged {
				continue
			}
			if changed := now.changed(l.seen, l.lists); !changed.isEmpty() {
				due.listens = append(due.listens, listChange{l, changed})
			}
			l.seen = now
		}
		due.update, due.reader = s.takeUpdate()
	}
	if due.isEmpty() {
		s.changes.sending = false
		s.checkIdle()
	}
	return due
}
