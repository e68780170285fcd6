package boltstore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// end completes a task with a result.
func end(t *testing.T, s task.Store, id, result string) {
	t.Helper()
	if _, err := task.Change(t.Context(), s, id, func(r *task.Record) error {
		r.Status, r.Result = task.StatusCompleted, json.RawMessage(result)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestRecords reads complete records in order while other goroutines change, delete, and create records.
func TestRecords(t *testing.T) {
	t.Parallel()
	s, err := boltstore.Open(filepath.Join(t.TempDir(), "tasks.db"), boltstore.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	result := `{"content":"` + strings.Repeat("x", 100_000) + `"}`
	now := time.Now()
	for i := range 9 {
		r := tasktest.Record(fmt.Sprint(i), fmt.Sprint("user ", i%3), time.Hour)
		r.Created = now.Add(time.Duration(-i/2) * time.Second)
		if i == 4 {
			r.Durable = tasktest.Durable("", "", 0).Durable
		}
		if err := s.Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 && i != 4 {
			end(t, s, r.ID, result)
		}
	}
	for round := range 2 {
		var got []string
		for r, err := range s.Records(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if r.Status.Ended() && string(r.Result) != result || r.ID == "4" && r.Durable.Arguments == nil {
				t.Errorf("task %s is not complete: %d bytes, %+v", r.ID, len(r.Result), r.Durable)
			}
			if got = append(got, r.ID); len(got) == 2 && round == 0 { // no lock is held here
				if err := errors.Join(s.Delete(t.Context(), "4"), s.Create(t.Context(), tasktest.Record("new", "ann", time.Hour))); err != nil {
					t.Fatal(err)
				}
				end(t, s, "5", result)
			}
		}
		want := []string{"8", "6", "7", "5", "2", "3", "0", "1"}
		if round == 1 {
			want = append(want, "new")
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range s.Records(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended: %v", err)
		}
	}
	n := 0
	for _, err := range s.Records(t.Context()) {
		switch n++; n {
		case 1:
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		default:
			if !errors.Is(err, boltstore.ErrClosed) {
				t.Errorf("closed: %v", err)
			}
		}
	}
	if n != 2 {
		t.Errorf("it was closed after the first record, and there were %d", n)
	}
}

// TestRecordsDamaged damages one record of an open file: an error takes its place, and the others are returned.
func TestRecordsDamaged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	s, err := boltstore.Open(path, boltstore.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, id := range []string{"a", "b", "c"} {
		if err := s.Create(t.Context(), tasktest.Record(id, "ann", time.Hour)); err != nil {
			t.Fatal(err)
		}
		end(t, s, id, `{"content":"of `+id+`"}`)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; ; at++ { // unused pages may contain it, too
		i := bytes.Index(data[at:], []byte("of b"))
		if i < 0 {
			break
		}
		at += i
		if _, err := file.WriteAt([]byte("oF"), int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for r, err := range s.Records(t.Context()) {
		switch {
		case err == nil:
			got = append(got, r.ID)
		case errors.Is(err, boltstore.ErrCorrupt) && strings.Contains(err.Error(), `task "b"`):
			got = append(got, "damaged")
		default:
			t.Error(err)
		}
	}
	if want := []string{"a", "damaged", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
