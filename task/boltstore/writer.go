package boltstore

import (
	"errors"

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
	select {
	case s.wake <- struct{}{}:
	default: // the writer comes anyway
	}
}

// writeAll writes until the store is closed, all that waits in one transaction: while the disk is
// waited for, others queue.
func (s *Store) writeAll() {
	defer close(s.written)
	for range s.wake {
		s.mu.Lock()
		batch := s.queue
		s.queue = nil
		s.mu.Unlock()
		err := s.file.Update(func(tx *bbolt.Tx) error {
			tasks := tx.Bucket(tasksBucket)
			for _, w := range batch {
				if err := w.apply(tasks); err != nil {
					return err
				}
			}
			return nil
		})
		for _, w := range batch {
			if w.done != nil {
				w.done <- err
			}
		}
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
		return errors.Join(errors.New("boltstore: "+s.file.Path()), err)
	}
	return nil
}
