package jetstream_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/integrations/jetstream/embedded"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// BenchmarkTask creates a task, plain or durable, and completes it with a result of 1 KiB: sequentially, and 64 in
// parallel. In memory it also deletes the task. The cluster nodes share the disk and processors of this machine.
func BenchmarkTask(b *testing.B) {
	memory := task.NewMemory(task.MemoryLimits{Tasks: 1 << 30, PerPrincipal: 1 << 30, Bytes: 1 << 40, BytesPerPrincipal: 1 << 40})
	b.Run("memory", func(b *testing.B) { benchmarkTasks(b, memory) })
	options := jetstream.Options{Limits: jetstream.Limits{Tasks: 1 << 30, PerPrincipal: 1 << 30, Bytes: 1 << 40}}
	c, err := embedded.Open(b.TempDir(), embedded.Node{}, options)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("one node", func(b *testing.B) { benchmarkTasks(b, c.Tasks()) })
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	three := newCluster(b, options)
	b.Run("three nodes", func(b *testing.B) { benchmarkTasks(b, three.conns[0].Tasks()) })
}

func benchmarkTasks(b *testing.B, s task.Store) {
	b.Helper()
	b.Run("plain", func(b *testing.B) { benchmarkRecords(b, s, tasktest.Record) })
	b.Run("durable", func(b *testing.B) { benchmarkRecords(b, s, tasktest.Durable) })
}

func benchmarkRecords(b *testing.B, s task.Store, record func(id, principal string, ttl time.Duration) task.Record) {
	b.Helper()
	result := json.RawMessage(`{"content":["` + strings.Repeat("r", 1<<10) + `"]}`)
	var unavailable atomic.Int64
	report := func(b *testing.B) {
		b.Helper()
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
		b.ReportMetric(float64(unavailable.Swap(0)), "unavailable")
	}
	run := func() {
		r := record(rand.Text(), rand.Text(), time.Minute)
		err := s.Create(context.Background(), r)
		if err == nil {
			r.Status, r.Result = task.StatusCompleted, result
			_, err = s.Update(context.Background(), r)
		}
		switch {
		case errors.Is(err, jetstream.ErrUnavailable): // a cluster may elect another leader under this load
			unavailable.Add(1)
		case err != nil:
			b.Error(err)
		}
		if _, ok := s.(*task.Memory); ok { // or millions would expire during a later benchmark
			_ = s.Delete(context.Background(), r.ID)
		}
	}
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			run()
		}
		report(b)
	})
	b.Run("64 together", func(b *testing.B) {
		b.SetParallelism(32) // per processor
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				run()
			}
		})
		report(b)
	})
}
