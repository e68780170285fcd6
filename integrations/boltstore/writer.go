package boltstore

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// write is a change of the file.
type write struct {
	key   uint64
	value []byte     // nil deletes
	done  chan error // takes one error; nil if nobody waits
}

// enqueue has w written soon. The caller holds s.mu.
func (s *Store) enqueue(w write) {
	s.queue = append(s.queue, w)
	s.wakeWriter()
}

// retryDeletions is when deletions that nobody waits for are tried again after an error.
const retryDeletions = time.Minute

// writeAll writes until the store is closed, all that waits in one transaction: while the disk is
// waited for, others queue.
func (s *Store) writeAll() {
	defer close(s.written)
	for range s.wake {
		s.mu.Lock()
		batch := append(s.undeleted, s.queue...)
		s.undeleted, s.queue = nil, nil
		s.mu.Unlock()
		s.writeBatch(batch)
	}
}

// writeBatch writes what it can of a batch: all at once, or, if that fails, deletions before the rest, which make room, and
// each by itself.
func (s *Store) writeBatch(batch []write) {
	err := s.transact(batch)
	if err == nil || len(batch) == 1 || errors.Is(err, ErrCorrupt) {
		s.finish(batch, err)
		return
	}
	slices.SortStableFunc(batch, func(a, b write) int { return len(a.value) - len(b.value) })
	for i := range batch {
		one := batch[i : i+1]
		s.finish(one, s.transact(one))
	}
}

// transact writes a batch, or nothing of it.
func (s *Store) transact(batch []write) error {
	return s.file.update(func(tx *bbolt.Tx) error {
		if err := s.file.reserve.secure(s.file.os, tx, batch); err != nil {
			s.file.reserve.largest = s.largest() // perhaps that of before has gone
			if err := s.file.reserve.secure(s.file.os, tx, batch); err != nil {
				return err
			}
		}
		tasks := tx.Bucket(tasksBucket)
		for _, w := range batch {
			if err := w.apply(tasks); err != nil {
				return err
			}
		}
		return nil
	})
}

// largest returns the size of the largest record that is kept.
func (s *Store) largest() (size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.tasks {
		size = max(size, e.size)
	}
	return size
}

// finish tells who waits for a batch. Deletions that nobody waits for are tried again later; a file that is opened has them
// deleted, too.
func (s *Store) finish(batch []write, err error) {
	var again []write
	for _, w := range batch {
		switch {
		case w.done != nil:
			w.done <- err
		case err != nil:
			again = append(again, w)
		}
	}
	if len(again) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.undeleted = append(s.undeleted, again...)
	if !s.isClosed() {
		s.retry.Reset(retryDeletions)
	}
}

// wakeWriter has what waits written. The caller holds s.mu.
func (s *Store) wakeWriter() {
	if s.isClosed() {
		return
	}
	select {
	case s.wake <- struct{}{}:
	default: // the writer comes anyway
	}
}

func (w *write) apply(tasks *bbolt.Bucket) error {
	if w.value == nil {
		return tasks.Delete(keyOf(w.key))
	}
	return tasks.Put(keyOf(w.key), w.value)
}

// commit has w written, and waits for that. The caller holds s.mu, which is free meanwhile.
func (s *Store) commit(w write) error {
	if s.isClosed() {
		return ErrClosed
	}
	w.done = make(chan error, 1)
	s.enqueue(w)
	s.mu.Unlock()
	err := <-w.done
	s.mu.Lock()
	if err != nil {
		return fmt.Errorf("boltstore: %s: %w", s.path, err)
	}
	return nil
}
