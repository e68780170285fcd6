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
	replaces bool       // whether the key may have a value
	done     chan error // buffered for one error; nil if no caller waits
}

// enqueue adds w to the queue of the writer. The caller holds s.mu.
func (s *Store) enqueue(w write) {
	s.queue = append(s.queue, w)
	s.wakeWriter()
}

// retryDeletions is the interval between retries of failed deletions without a waiting caller.
const retryDeletions = time.Minute

// writeAll is the writer: until the store is closed, it writes all queued changes in one transaction. Further ones
// queue while it waits for the disk. Between writes it compacts the file.
func (s *Store) writeAll() {
	defer close(s.written)
	for range s.wake {
		s.mu.Lock()
		batch := append(s.undeleted, s.queue...)
		s.undeleted, s.queue = nil, nil
		s.mu.Unlock()
		if len(batch) > 0 {
			s.file.writeBatch(batch, s.finish)
		}
		s.shrink()
	}
}

// writeBatch writes a batch in one transaction. If that fails, it writes each change in its own transaction, deletions
// first, because they make room.
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

// write writes a batch in one transaction.
func (d *disk) write(batch []write) error {
	return d.update(func(tx *bbolt.Tx) error {
		tasks := tx.Bucket(tasksBucket)
		for _, w := range batch {
			if err := w.apply(tasks); err != nil {
				return err
			}
		}
		return nil
	})
}

// finish sends the result of a batch to the waiting goroutines. Failed deletions without a waiting caller are retried
// later, and when the file is opened.
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

// wakeWriter wakes the writer. The caller holds s.mu.
func (s *Store) wakeWriter() {
	if s.isClosed() {
		return
	}
	select {
	case s.wake <- struct{}{}:
	default: // a wake-up is pending
	}
}

// commit queues w and waits until it is written. The caller holds s.mu, which commit releases while it waits.
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
