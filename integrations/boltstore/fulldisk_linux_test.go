package boltstore_test

import (
	cryptorand "crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/internal/testing/disk"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// addUntilFull adds tasks with results of the given sizes until the disk is full, and returns the ids of those stored.
func addUntilFull(t *testing.T, s *boltstore.Store, ttl time.Duration, sizes []int, most int) (ids []string) {
	t.Helper()
	for len(ids) < most {
		size := sizes[rand.IntN(len(sizes))]
		id := cryptorand.Text()
		if err := s.Create(t.Context(), tasktest.Record(id, "ann", ttl)); err != nil {
			noSpace(t, err)
			return ids
		}
		ids = append(ids, id)
		_, err := task.Change(t.Context(), s, id, func(r *task.Record) error {
			r.Status, r.Result = task.StatusCompleted, json.RawMessage(`"`+strings.Repeat("-", size)+`"`)
			return nil
		})
		if err != nil {
			noSpace(t, err)
			return ids
		}
	}
	return ids
}

func noSpace(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got the error %v, want %v", err, syscall.ENOSPC)
	}
}

// inFile returns the number of records in a file.
func inFile(t *testing.T, path string) (n int) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("tasks")).ForEach(func(key, _ []byte) error {
			if binary.BigEndian.Uint32(key[8:]) == 0 { // its first piece
				n++
			}
			return nil
		})
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Error(err)
	}
	return n
}

// TestFullDisk checks that records can be deleted on a full disk in any order, which makes room for others.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		disk    int
		sizes   []int
		readers int
	}{
		{1 << 19, []int{0}, 0},
		{3 << 20, []int{3000}, 0},
		{4 << 20, []int{20_000}, 0},
		{4 << 20, []int{20_000}, 2},
		{4 << 20, []int{200_000}, 0},
		{8 << 20, []int{2_000_000}, 0},
		{8 << 20, []int{0, 500, 3000, 20_000, 200_000, 2_000_000}, 0},
	} {
		for _, most := range []int{5, 10_000} {
			t.Run(fmt.Sprintf("%d results of %d bytes and %d readers", most, c.sizes, c.readers), func(t *testing.T) {
				t.Parallel()
				dir := disk.Small(t, c.disk)
				path := filepath.Join(dir, "tasks.db")
				s := open100k(t, path)
				stop := readAllTheTime(t, s, c.readers)
				defer stop()
				ids := addUntilFull(t, s, time.Hour, c.sizes, most)
				empty := disk.Fill(t, dir)
				ids = append(ids, addUntilFull(t, s, time.Hour, c.sizes, 10_000)...)
				if len(ids) == 0 {
					t.Fatal("nothing was kept")
				}
				for _, part := range []int{3, 2, 1} { // delete a part and add others, then delete all
					ids = deletePart(t, s, ids, part)
					if part > 1 {
						ids = append(ids, addUntilFull(t, s, time.Hour, c.sizes, 200)...)
					}
				}
				if err := s.Create(t.Context(), tasktest.Record("new", "ann", time.Hour)); err != nil {
					t.Errorf("what was deleted makes no room: %v", err)
				}
				stop()
				empty()
				if got := addUntilFull(t, s, time.Hour, c.sizes, 2); len(got) != 2 {
					t.Error("when there is room on the disk: the store takes no tasks")
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if n := inFile(t, path); n > 3 {
					t.Errorf("%d records are in the file", n)
				}
			})
		}
	}
}

// readAllTheTime runs n readers until it is stopped. Pages that they see cannot be reused.
func readAllTheTime(t *testing.T, s *boltstore.Store, readers int) (stop func()) {
	t.Helper()
	var all sync.WaitGroup
	stopped := make(chan struct{})
	for range readers {
		all.Go(func() {
			for {
				select {
				case <-stopped:
					return
				default:
				}
				if _, err := s.List(t.Context(), "ann", "", 5); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	return sync.OnceFunc(func() {
		close(stopped)
		all.Wait()
	})
}

// TestFullDiskRestart checks that a file can be opened on a full disk, which fails working tasks, and that all tasks
// can be deleted.
func TestFullDiskRestart(t *testing.T) {
	t.Parallel()
	dir := disk.Small(t, 8<<20)
	path := filepath.Join(dir, "tasks.db")
	s := open100k(t, path)
	var ids []string
	for { // working tasks between completed ones
		id := cryptorand.Text()
		if err := s.Create(t.Context(), tasktest.Record(id, "ann", time.Hour)); err != nil {
			noSpace(t, err)
			break
		}
		ids = append(ids, id)
		ids = append(ids, addUntilFull(t, s, time.Hour, []int{3000, 20_000}, 1)...)
	}
	disk.Fill(t, dir)
	for _, part := range []int{1 << 20, 4, 2, 1} {
		ids = deletePart(t, s, ids, part)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open100k(t, path)
		list, err := s.List(t.Context(), "ann", "", 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != len(ids) {
			t.Errorf("%d tasks are there, want %d", len(list), len(ids))
		}
		for _, r := range list {
			if !r.Status.Ended() {
				t.Errorf("a task is %s", r.Status)
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func open100k(t *testing.T, path string) *boltstore.Store {
	t.Helper()
	s, err := boltstore.Open(path, boltstore.Limits{Tasks: 100_000, PerPrincipal: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// deletePart deletes a third of the tasks, or another part, at random and returns the others.
func deletePart(t *testing.T, s *boltstore.Store, ids []string, part int) []string {
	t.Helper()
	rand.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	gone := len(ids) / part
	for i, id := range ids[:gone] {
		if err := s.Delete(t.Context(), id); err != nil {
			t.Fatalf("deleting number %d of %d: %v", i, len(ids), err)
		}
	}
	return ids[gone:]
}

// TestFullDiskExpiry checks that records that expire on a full disk are deleted from the file, both while it is open
// and when it is opened.
func TestFullDiskExpiry(t *testing.T) {
	t.Parallel()
	for _, reopened := range []bool{false, true} {
		t.Run(fmt.Sprintf("reopened %v", reopened), func(t *testing.T) {
			t.Parallel()
			dir := disk.Small(t, 4<<20)
			path := filepath.Join(dir, "tasks.db")
			s := open100k(t, path)
			const ttl = 2 * time.Second
			ids := addUntilFull(t, s, ttl, []int{3000}, 100)
			disk.Fill(t, dir)
			ids = append(ids, addUntilFull(t, s, ttl, []int{3000}, 10_000)...)
			if reopened {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(ttl + 2*time.Second) // records that expire during a stall are not deleted before Close
			if reopened {
				s = open100k(t, path)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if n := inFile(t, path); n > 0 {
				t.Errorf("%d of %d records are in the file", n, len(ids))
			}
		})
	}
}
