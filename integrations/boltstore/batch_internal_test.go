package boltstore

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"
)

// has reports whether the file contains a record with this key.
func (s *Store) has(t *testing.T, key uint64) (has bool) {
	t.Helper()
	err := s.file.view(func(tx *bbolt.Tx) error {
		has = get(tx.Bucket(tasksBucket), key, 0) != nil
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return has
}

// TestBatch checks that a record that cannot be written does not affect other writes in its
// batch.
func TestBatch(t *testing.T) {
	t.Parallel()
	s := openHere(t, filepath.Join(t.TempDir(), "tasks.db"))
	small := []byte("small")
	if err := s.file.write([]write{{key: 1, value: small}}); err != nil {
		t.Fatal(err)
	}
	s.file.MaxSize = 1 << 20
	batch := []write{{key: 2, value: make([]byte, 4<<20)}, {key: 3, value: small}, {key: 1}}
	for i := range batch {
		batch[i].done = make(chan error, 1)
	}
	large, other, deletion := batch[0].done, batch[1].done, batch[2].done
	s.file.writeBatch(batch, s.finish)
	if err := <-large; err == nil {
		t.Error("the large one was written")
	}
	if err := errors.Join(<-other, <-deletion); err != nil {
		t.Errorf("the others: %v", err)
	}
	if s.has(t, 1) || s.has(t, 2) || !s.has(t, 3) {
		t.Error("the file has other records")
	}
	s.file.MaxSize = 0
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestDeletionRetried checks that an expired record whose deletion failed is deleted later.
func TestDeletionRetried(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	synctest.Test(t, func(t *testing.T) {
		s := openHere(t, path)
		if err := s.file.write([]write{{key: 1, value: []byte("x")}}); err != nil {
			t.Fatal(err)
		}
		s.finish([]write{{key: 1}}, errors.New("the disk fails"))
		if !s.has(t, 1) {
			t.Error("it was deleted")
		}
		time.Sleep(retryDeletions)
		synctest.Wait()
		if s.has(t, 1) {
			t.Error("it was not deleted later")
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
