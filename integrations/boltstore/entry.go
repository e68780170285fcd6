package boltstore

import (
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// entry is a record in memory. Store.mu guards it.
type entry struct {
	record task.Record // shortened once the task has ended
	key    uint64      // in the file
	size   int64       // in the file

	creating bool // it is not in the file yet, and so not there
	writing  bool // a write is under way: others who would write wait for changed
	gone     bool // it is not there any more

	changed chan struct{} // closed when the record changes or goes, and when a write is done
	expiry  *time.Timer
}

// signal wakes the goroutines that wait for e.
func (e *entry) signal() {
	close(e.changed)
	e.changed = make(chan struct{})
}

// stop ends the timer, if there is one.
func (e *entry) stop() {
	if e.expiry != nil {
		e.expiry.Stop()
	}
}

// add adds an entry for a record. The caller holds s.mu.
func (s *Store) add(r *task.Record) *entry {
	e := &entry{record: *r, changed: make(chan struct{})}
	s.tasks[r.ID] = e
	if s.owned[r.Principal] == nil {
		s.owned[r.Principal] = map[*entry]struct{}{}
	}
	s.owned[r.Principal][e] = struct{}{}
	return e
}

// keep starts the timer that removes e, which is in the file, when its TTL has passed. The caller holds s.mu.
func (s *Store) keep(e *entry) {
	e.expiry = time.AfterFunc(time.Until(e.record.Expires()), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if e.gone || s.isClosed() {
			return
		}
		s.drop(e)
		if !e.writing { // else it is deleted after that
			s.enqueue(write{key: e.key})
		}
	})
}

// drop removes an entry from memory. The caller holds s.mu.
func (s *Store) drop(e *entry) {
	delete(s.tasks, e.record.ID)
	s.leases.Forget(e.record.ID)
	owned := s.owned[e.record.Principal]
	if delete(owned, e); len(owned) == 0 {
		delete(s.owned, e.record.Principal)
	}
	s.bytes -= e.size
	e.size, e.gone = 0, true
	e.stop()
	e.signal()
}

// rewrite replaces the record of e in the file by r, or deletes it if r is nil. The caller holds s.mu, which rewrite
// releases while it waits; e.writing keeps others from writing e meanwhile.
func (s *Store) rewrite(e *entry, r *task.Record) error {
	e.writing = true
	w := write{key: e.key, replaces: e.size}
	var err error
	if r != nil {
		s.mu.Unlock() // a result can be long
		w.value, err = encode(e.key, r)
		s.mu.Lock()
	}
	if err == nil {
		err = s.commit(w)
	}
	e.writing = false
	switch {
	case e.gone && !s.isClosed():
		s.enqueue(write{key: e.key})
	case err == nil:
		s.bytes += int64(len(w.value)) - e.size
		e.size = int64(len(w.value))
	}
	e.signal()
	return err
}
