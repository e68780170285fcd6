package boltstore_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// BenchmarkProgress measures a status update of a working task.
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

// BenchmarkTask creates a task, plain or durable, completes it with a result of 1 KiB, and deletes it to make room for
// the next: sequentially, and 64 in parallel.
func BenchmarkTask(b *testing.B) {
	b.Run("plain", func(b *testing.B) { benchmarkTasks(b, tasktest.Record) })
	b.Run("durable", func(b *testing.B) { benchmarkTasks(b, tasktest.Durable) })
}

func benchmarkTasks(b *testing.B, record func(id, principal string, ttl time.Duration) task.Record) {
	b.Helper()
	s, err := boltstore.Open(filepath.Join(b.TempDir(), "tasks.db"), boltstore.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	result := json.RawMessage(`{"content":["` + strings.Repeat("r", 1<<10) + `"]}`)
	run := func() {
		r := record(rand.Text(), "ann", time.Hour)
		err := s.Create(context.Background(), r)
		if err == nil {
			r.Status, r.Result = task.StatusCompleted, result
			_, err = s.Update(context.Background(), r)
		}
		if err = errors.Join(err, s.Delete(context.Background(), r.ID)); err != nil {
			b.Error(err)
		}
	}
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			run()
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
	})
	b.Run("64 together", func(b *testing.B) {
		b.SetParallelism(32) // per processor
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				run()
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
	})
}

// BenchmarkLargeTask measures the life of a task that ends with a large result, which is read once.
func BenchmarkLargeTask(b *testing.B) {
	s, err := boltstore.Open(filepath.Join(b.TempDir(), "tasks.db"), boltstore.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	result := json.RawMessage(`"` + strings.Repeat("-", 200_000) + `"`)
	for b.Loop() {
		r := tasktest.Record(rand.Text(), "ann", time.Hour)
		err := s.Create(b.Context(), r)
		if err == nil {
			r.Status, r.Result = task.StatusCompleted, result
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
