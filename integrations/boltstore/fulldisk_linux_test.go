package boltstore_test

import (
	"bytes"
	cryptorand "crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
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

// TestFullDisk checks that a full disk loses nothing: stored records can be read, also after the file has been opened
// again, a deletion takes effect or fails, and everything works again when the disk has room.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		disk  int
		sizes []int
	}{
		{1 << 19, []int{0}},
		{3 << 20, []int{3000}},
		{4 << 20, []int{20_000}},
		{8 << 20, []int{2_000_000}},
		{8 << 20, []int{0, 500, 3000, 20_000, 200_000, 2_000_000}},
	} {
		for _, most := range []int{5, 10_000} {
			t.Run(fmt.Sprintf("%d results of %d bytes", most, c.sizes), func(t *testing.T) {
				t.Parallel()
				dir := disk.Small(t, c.disk)
				room := filepath.Join(dir, "room")
				if err := os.WriteFile(room, make([]byte, c.disk/2), 0o600); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(dir, "tasks.db")
				s := open100k(t, path)
				ids := addUntilFull(t, s, time.Hour, c.sizes, most)
				disk.Fill(t, dir)
				ids = append(ids, addUntilFull(t, s, time.Hour, c.sizes, 10_000)...)
				want := tasksOf(t, s)
				if len(want) != len(ids) || len(ids) == 0 {
					t.Fatalf("%d tasks can be read of %d", len(want), len(ids))
				}
				deleted, failed := 0, 0
				for range 3 {
					s = openAgain(t, s, path, want)
					for _, id := range ids[:(len(ids)+2)/3] {
						if err := s.Delete(t.Context(), id); err == nil {
							delete(want, id)
							deleted++
						} else {
							noSpace(t, err)
							failed++
						}
					}
					s = openAgain(t, s, path, want)
					ids = slices.Sorted(maps.Keys(want))
					ids = append(ids, addUntilFull(t, s, time.Hour, c.sizes, 200)...)
					want = tasksOf(t, s)
				}
				t.Logf("on the full disk, %d tasks were deleted, %d deletions failed, and %d tasks are left", deleted, failed, len(want))
				s = openAgain(t, s, path, want)
				if err := os.Remove(room); err != nil {
					t.Fatal(err)
				}
				if got := addUntilFull(t, s, time.Hour, []int{3000}, 2); len(got) != 2 {
					t.Error("when there is room on the disk: the store takes no tasks")
				}
				for id := range tasksOf(t, s) {
					if err := s.Delete(t.Context(), id); err != nil {
						t.Error(err)
					}
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if n := inFile(t, path); n > 0 {
					t.Errorf("%d records are in the file", n)
				}
			})
		}
	}
}

// openAgain opens the file again and compares its tasks. Those that were working have failed.
func openAgain(t *testing.T, s *boltstore.Store, path string, want map[string]task.Record) *boltstore.Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open100k(t, path)
	got := tasksOf(t, s)
	for id, r := range want {
		if !r.Status.Ended() {
			if got[id].Status != task.StatusFailed {
				t.Errorf("task %s was working and is %s", id, got[id].Status)
			}
			want[id] = got[id]
		}
	}
	raw := cmp.Comparer(func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) // cmp is slow without this
	if diff := cmp.Diff(want, got, raw); diff != "" {
		t.Errorf("the tasks are others (-want +got):\n%s", diff)
	}
	return s
}

// tasksOf returns all tasks, with their results.
func tasksOf(t *testing.T, s *boltstore.Store) map[string]task.Record {
	t.Helper()
	all := map[string]task.Record{}
	for r, err := range s.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all[r.ID] = r
	}
	return all
}

func open100k(t *testing.T, path string) *boltstore.Store {
	t.Helper()
	s, err := boltstore.Open(path, boltstore.Limits{Tasks: 100_000, PerPrincipal: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFullDiskExpiry checks that records that expire on a full disk are deleted from the file when there is room, both
// if they expire while it is open and if they have expired before.
func TestFullDiskExpiry(t *testing.T) { //nolint:paralleltest // see reopen
	for _, reopened := range []bool{false, true} {
		t.Run(fmt.Sprintf("reopened %v", reopened), func(t *testing.T) {
			t.Parallel()
			dir := disk.Small(t, 4<<20)
			synctest.Test(t, func(t *testing.T) {
				path := filepath.Join(dir, "tasks.db")
				s := open100k(t, path)
				ids := addUntilFull(t, s, time.Hour, []int{3000}, 100)
				empty := disk.Fill(t, dir)
				ids = append(ids, addUntilFull(t, s, time.Hour, []int{3000}, 10_000)...)
				if reopened {
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Hour)
				if reopened {
					s = open100k(t, path)
				}
				if left := tasksOf(t, s); len(left) > 0 {
					t.Errorf("%d of %d tasks have not expired", len(left), len(ids))
				}
				empty()
				time.Sleep(time.Minute) // until failed deletions are retried
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if n := inFile(t, path); n > 0 {
					t.Errorf("%d of %d records are in the file", n, len(ids))
				}
			})
		})
	}
}
