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
	key      uint64
	value    []byte     // nil deletes
	replaces int64      // the size of what a value replaces; 0 if nothing
	done     chan error // takes one error; nil if nobody waits
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
		s.file.writeBatch(batch, s.finish)
	}
}

// writeBatch writes what it can of a batch: all at once, or, if that fails, deletions before the rest, which make room, and
// each by itself.
func (d *disk) writeBatch(batch []write, finish func([]write, error)) {
	err := d.write(batch)
	if err == nil || len(batch) == 1 || errors.Is(err, ErrCorrupt) {
		finish(batch, err)
		return
	}
	slices.SortStableFunc(batch, func(a, b write) int { return len(a.value) - len(b.value) })
	for i := range batch {
		one := batch[i : i+1]
		finish(one, d.write(one))
	}
}

// write writes a batch, or nothing of it. If there is no room it waits for those who read: they keep pages from being free.
func (d *disk) write(batch []write) error {
	full := false
	attempt := func(readers bool) func(*bbolt.Tx) error {
		return func(tx *bbolt.Tx) error {
			tasks := tx.Bucket(tasksBucket)
			for _, w := range batch {
				if err := w.apply(tasks); err != nil {
					return err
				}
			}
			err := d.reserve.secure(d.os, tx, batch, readers)
			full = err != nil
			return err
		}
	}
	if err := d.update(attempt(true)); !full {
		return err
	}
	return d.updateAlone(attempt(false))
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
