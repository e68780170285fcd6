package boltstore_test

import (
	"bytes"
	cryptorand "crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// sound returns the contents of a file with completed tasks that take more than one page.
func sound(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tasks.db")
	s, err := boltstore.Open(path, boltstore.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		id := cryptorand.Text()
		put(t, s, tasktest.Record(id, "ann", time.Hour), func(r *task.Record) {
			r.Status, r.Result = task.StatusCompleted, json.RawMessage(`{"content":["`+id+strings.Repeat("-", 1000)+`"]}`)
		})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// inBolt returns a bbolt file after a transaction.
func inBolt(t *testing.T, file []byte, f func(*bbolt.Tx) error) []byte {
	t.Helper()
	return change(t, file, nil, f)
}

func change(t *testing.T, file []byte, options *bbolt.Options, f func(*bbolt.Tx) error) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "any.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, options)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(f), db.Close()); err != nil {
		t.Fatal(err)
	}
	if file, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return file
}

// piece returns the key of a piece of a record.
func piece(number uint64, n uint32) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, number), n)
}

// TestDamage checks that a file that cannot be trusted is refused with its name and the reason, and left as it is.
func TestDamage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, reason string
		spoil        func(t *testing.T, file []byte) []byte
	}{
		{"text", "somebody else's file", func(*testing.T, []byte) []byte { return []byte("name,price\ntea,2\n") }},
		{"zeros", "the file system lost the blocks", func(_ *testing.T, file []byte) []byte { return make([]byte, len(file)) }},
		{"half", "a copy was cut off", func(_ *testing.T, file []byte) []byte { return file[:len(file)/2] }},
		{"a byte of a record", "the disk lies, and JSON does not notice", func(t *testing.T, file []byte) []byte {
			t.Helper()
			return bytes.ReplaceAll(file, []byte(`"principal":"ann"`), []byte(`"principal":"eve"`))
		}},
		{"another application's", "its buckets must not get company", func(t *testing.T, _ []byte) []byte {
			t.Helper()
			return inBolt(t, nil, func(tx *bbolt.Tx) error {
				_, err := tx.CreateBucket([]byte("users"))
				return err
			})
		}},
		{"another format", "a later version wrote it", func(t *testing.T, file []byte) []byte {
			t.Helper()
			return inBolt(t, file, func(tx *bbolt.Tx) error {
				return tx.Bucket([]byte("about")).Put([]byte("mcptool tasks"), []byte("99"))
			})
		}},
		{"a third bucket", "it is not of this package", func(t *testing.T, file []byte) []byte {
			t.Helper()
			return inBolt(t, file, func(tx *bbolt.Tx) error {
				_, err := tx.CreateBucket([]byte("users"))
				return err
			})
		}},
		{"a missing piece", "half a record", func(t *testing.T, file []byte) []byte {
			t.Helper()
			return inBolt(t, file, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("tasks")).Delete(piece(7, 1)) })
		}},
		{"a missing first piece", "the end of a record", func(t *testing.T, file []byte) []byte {
			t.Helper()
			return inBolt(t, file, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("tasks")).Delete(piece(7, 0)) })
		}},
		{"a piece too many", "the end of another record", func(t *testing.T, file []byte) []byte {
			t.Helper()
			return inBolt(t, file, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("tasks")).Put(piece(7, 2), []byte("more")) })
		}},
		{"a gap", "a piece with another number", func(t *testing.T, file []byte) []byte {
			t.Helper()
			return inBolt(t, file, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("tasks")).Put(piece(7, 3), []byte("more")) })
		}},
		{"exchanged pieces", "they are all there", func(t *testing.T, file []byte) []byte {
			t.Helper()
			return inBolt(t, file, func(tx *bbolt.Tx) error {
				tasks := tx.Bucket([]byte("tasks"))
				first, second := bytes.Clone(tasks.Get(piece(7, 0))), bytes.Clone(tasks.Get(piece(8, 0)))
				return errors.Join(tasks.Put(piece(7, 0), second), tasks.Put(piece(8, 0), first))
			})
		}},
		{"a key of another length", "none of this package", func(t *testing.T, file []byte) []byte {
			t.Helper()
			return inBolt(t, file, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("tasks")).Put([]byte{1}, []byte("more")) })
		}},
		{"no list of free pages", "bbolt would read all pages, where damage ends the process", func(t *testing.T, file []byte) []byte {
			t.Helper()
			return change(t, file, &bbolt.Options{NoFreelistSync: true}, func(tx *bbolt.Tx) error {
				_, err := tx.Bucket([]byte("tasks")).NextSequence() // so that the transaction writes something
				return err
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "tasks.db")
			spoiled := c.spoil(t, sound(t))
			if err := os.WriteFile(path, spoiled, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := boltstore.Open(path, boltstore.Limits{})
			if !errors.Is(err, boltstore.ErrCorrupt) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: got the error %v, want %v, with the path", c.reason, err, boltstore.ErrCorrupt)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, spoiled) {
				t.Errorf("the file was changed, %v", err)
			}
		})
	}
}

// TestDamageCut truncates the file after each page of its first half: the damage is detected wherever it is cut.
func TestDamageCut(t *testing.T) {
	t.Parallel()
	file := sound(t)
	dir := t.TempDir()
	for size := os.Getpagesize(); size <= len(file)/2; size += os.Getpagesize() {
		path := filepath.Join(dir, strconv.Itoa(size))
		if err := os.WriteFile(path, file[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := boltstore.Open(path, boltstore.Limits{}); !errors.Is(err, boltstore.ErrCorrupt) {
			t.Errorf("cut to %d bytes: got the error %v, want %v", size, err, boltstore.ErrCorrupt)
		}
	}
}

// TestDamageAnywhere overwrites a random place of the file: opening it terminates, and if it succeeds, the records are
// those written.
func TestDamageAnywhere(t *testing.T) {
	t.Parallel()
	file := sound(t)
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for round := range testscale.Count(100) {
		path := filepath.Join(dir, strconv.Itoa(round)) // some files stay locked
		spoiled := bytes.Clone(file)
		at := random.IntN(len(spoiled) - 8)
		for i := range 8 {
			spoiled[at+i] = byte(random.Uint32())
		}
		if err := os.WriteFile(path, spoiled, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := boltstore.Open(path, boltstore.Limits{})
		if err != nil {
			refused++
			if !errors.Is(err, boltstore.ErrCorrupt) {
				t.Errorf("8 bytes at %d: %v", at, err)
			}
			continue
		}
		all, err := s.List(t.Context(), task.Owner{Principal: "ann"}, "", 100)
		if err != nil {
			t.Errorf("8 bytes at %d: %v", at, err)
		}
		for _, listed := range all {
			r, err := s.Get(t.Context(), listed.ID)
			if err != nil {
				t.Errorf("8 bytes at %d: %v", at, err)
			}
			if at < 2*os.Getpagesize() && r.Status == task.StatusFailed {
				continue // the other meta page is used, which precedes the completion
			}
			if r.Status != task.StatusCompleted || string(r.Result) != `{"content":["`+r.ID+strings.Repeat("-", 1000)+`"]}` {
				t.Errorf("8 bytes at %d: record %s is another", at, r.ID)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if refused == 0 {
		t.Error("nothing was found")
	}
}
