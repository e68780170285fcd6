package boltstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

func openHere(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// balance compares the sizes counted by the store with those in the file.
func (s *Store) balance(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	number, size := 0, int64(0)
	err := s.file.View(func(tx *bbolt.Tx) error {
		return eachRecord(tx.Bucket(tasksBucket), func(_ uint64, value []byte) error {
			number++
			size += int64(len(value))
			return nil
		})
	})
	owned := 0
	for _, own := range s.owned {
		owned += len(own)
	}
	if err != nil || number != len(s.tasks) || number != owned || size != s.bytes {
		t.Errorf("the file has %d records of %d bytes; %d, %d with owners, of %d bytes are counted; %v", number, size, len(s.tasks), owned, s.bytes, err)
	}
}

// TestSize checks that expired records make room for new ones and the file stops growing.
func TestSize(t *testing.T) {
	t.Parallel()
	const long = 64 << 10
	path := filepath.Join(t.TempDir(), "tasks.db")
	synctest.Test(t, func(t *testing.T) {
		s := openHere(t, path)
		for i := range 200 {
			r := tasktest.Record(fmt.Sprint(i), "ann", time.Minute)
			if err := s.Create(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			r.Status, r.Result = task.StatusCompleted, json.RawMessage(`"`+strings.Repeat("-", long)+`"`)
			if _, err := s.Update(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Second) // three of the tasks exist at a time
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		s.balance(t)
		if len(s.tasks) != 0 {
			t.Errorf("%d tasks have not expired", len(s.tasks))
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if most := int64(3 << 19); info.Size() > most {
		t.Errorf("the file has %d bytes, want at most %d", info.Size(), most)
	}
}

// TestCrowd runs all operations concurrently on a few tasks, which also expire: memory and file
// agree afterwards.
func TestCrowd(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	s := openHere(t, path)
	var all sync.WaitGroup
	for worker := range 16 {
		all.Go(func() {
			for i := range 40 {
				id := fmt.Sprint((worker + i) % 5)
				ttl := time.Hour
				if i%3 == 0 {
					ttl = time.Duration(i) * 100 * time.Microsecond
				}
				err := s.Create(t.Context(), tasktest.Record(id, "ann", max(ttl, 1)))
				if err == nil || errors.Is(err, task.ErrExists) {
					_, err = task.Change(t.Context(), s, id, func(r *task.Record) error {
						r.Asked++
						if i%2 == 0 {
							r.Status, r.Result = task.StatusCompleted, json.RawMessage(`{"content":[]}`)
						}
						return nil
					})
				}
				// ErrInvalid: the task that was read has been deleted, and another one created with its id.
				if err != nil && !errors.Is(err, task.ErrNotFound) && !errors.Is(err, task.ErrEnded) && !errors.Is(err, task.ErrInvalid) {
					t.Errorf("worker %d: %v", worker, err)
				}
				if err := s.Delete(t.Context(), id); i%4 == 0 && err != nil {
					t.Errorf("worker %d deletes: %v", worker, err)
				}
			}
		})
	}
	all.Wait()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		idle := len(s.queue) == 0
		for _, e := range s.tasks {
			idle = idle && e.record.TTL == time.Hour
		}
		s.mu.Unlock()
		if idle || time.Now().After(deadline) {
			break
		}
	}
	if err := s.commitLocked(write{key: 1 << 60}); err != nil { // written after everything queued before
		t.Fatal(err)
	}
	s.balance(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openHere(t, path)
	s.balance(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestExpiredNumber checks that the number of an expired record that Open could not delete is not used for another one,
// which its deletion would delete.
func TestExpiredNumber(t *testing.T) {
	t.Parallel()
	s := openHere(t, filepath.Join(t.TempDir(), "tasks.db"))
	s.mu.Lock()
	s.addStored(found{expired: []uint64{5}})
	s.mu.Unlock()
	if err := s.Create(t.Context(), tasktest.Record("a", "ann", time.Hour)); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	if key := s.tasks["a"].key; key <= 5 {
		t.Errorf("the next record has the number %d", key)
	}
	s.mu.Unlock()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func (s *Store) commitLocked(w write) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commit(w)
}

// TestDiskFull checks that a completion that cannot be written is an error, and the task goes on
// until it can.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	s := openHere(t, filepath.Join(t.TempDir(), "tasks.db"))
	r := tasktest.Record("a", "ann", time.Hour)
	if err := s.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	r.Status, r.Result = task.StatusCompleted, json.RawMessage(`"`+strings.Repeat("-", 1<<20)+`"`)
	s.file.MaxSize = 64 << 10
	if _, err := s.Update(t.Context(), r); err == nil || !strings.Contains(err.Error(), s.file.Path()) {
		t.Errorf("it was written, %v", err)
	}
	if err := s.Create(t.Context(), tasktest.Record("b", "ann", time.Hour)); err != nil {
		t.Errorf("what there is room for: %v", err)
	}
	if got, err := s.Get(t.Context(), "a"); err != nil || got.Status != task.StatusWorking || got.Version != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	s.file.MaxSize = 0
	if got, err := s.Update(t.Context(), r); err != nil || got.Status != task.StatusCompleted {
		t.Errorf("when there is room: %v", err)
	}
	s.balance(t)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
