package boltstore_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// BenchmarkProgress is a status message of a task that works.
func BenchmarkProgress(b *testing.B) {
	s, err := boltstore.Open(filepath.Join(b.TempDir(), "tasks.db"), boltstore.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	r := tasktest.Record("a", "ann", time.Hour)
	if err := s.Create(b.Context(), r); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if r, err = s.Update(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTask is the life of a task that ends with a result, 64 at a time for each processor. To
// be deleted makes room for the next.
func BenchmarkTask(b *testing.B) {
	s, err := boltstore.Open(filepath.Join(b.TempDir(), "tasks.db"), boltstore.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.SetParallelism(64)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r := tasktest.Record(task.NewID(), "ann", time.Hour)
			err := s.Create(b.Context(), r)
			if err == nil {
				r.Status, r.Result = task.Completed, json.RawMessage(`{"content":[]}`)
				_, err = s.Update(b.Context(), r)
			}
			if err == nil {
				err = s.Delete(b.Context(), r.ID)
			}
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkLargeTask is the life of a task that ends with a large result, which is read once.
func BenchmarkLargeTask(b *testing.B) {
	s, err := boltstore.Open(filepath.Join(b.TempDir(), "tasks.db"), boltstore.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	result := json.RawMessage(`"` + strings.Repeat("-", 200_000) + `"`)
	for b.Loop() {
		r := tasktest.Record(task.NewID(), "ann", time.Hour)
		err := s.Create(b.Context(), r)
		if err == nil {
			r.Status, r.Result = task.Completed, result
			_, err = s.Update(b.Context(), r)
		}
		if err == nil {
			_, err = s.Get(b.Context(), r.ID)
		}
		if err == nil {
			err = s.Delete(b.Context(), r.ID)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
