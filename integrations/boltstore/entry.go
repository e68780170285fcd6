package boltstore

import (
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// entry is a record in memory, guarded by Store.mu.
type entry struct {
	record task.Record // shortened after the end of the task
	key    uint64      // in the file
	size   int64       // in the file

	creating bool // not yet in the file, so not visible to callers
	writing  bool // a write is in progress; other writers wait for changed
	gone     bool // removed

	changed chan struct{} // closed when the record changes or is removed, or a write completes
	expiry  *time.Timer
}

// signal wakes the goroutines waiting for e.
func (e *entry) signal() {
	close(e.changed)
	e.changed = make(chan struct{})
}

// stop stops the timer, if there is one.
func (e *entry) stop() {
	if e.expiry != nil {
		e.expiry.Stop()
	}
}

// add adds an entry for a record. The caller holds s.mu.
func (s *Store) add(r *task.Record) *entry {
	e := &entry{record: *r, changed: make(chan struct{})}
	s.tasks[r.ID] = e
	if s.owned[r.Owner] == nil {
		s.owned[r.Owner] = map[*entry]struct{}{}
	}
	s.owned[r.Owner][e] = struct{}{}
	return e
}

// keep starts the expiry timer of e, which is in the file. The caller holds s.mu.
func (s *Store) keep(e *entry) {
	e.expiry = time.AfterFunc(time.Until(e.record.Expires()), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if e.gone || s.isClosed() {
			return
		}
		s.drop(e)
		if !e.writing { // otherwise it is deleted after the write
			s.enqueue(write{key: e.key})
		}
	})
}

// drop removes an entry from memory. The caller holds s.mu.
func (s *Store) drop(e *entry) {
	delete(s.tasks, e.record.ID)
	s.leases.Forget(e.record.ID)
	owned := s.owned[e.record.Owner]
	if delete(owned, e); len(owned) == 0 {
		delete(s.owned, e.record.Owner)
	}
	s.bytes -= e.size
	e.size, e.gone = 0, true
	e.stop()
	e.signal()
}

// rewrite replaces the record of e in the file with r, or deletes it if r is nil. The caller holds s.mu, which rewrite
// releases while it waits; e.writing excludes other writers of e.
func (s *Store) rewrite(e *entry, r *task.Record) error {
	e.writing = true
	w := write{key: e.key, replaces: true}
	var err error
	if r != nil {
		s.mu.Unlock() // a result can be large
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
