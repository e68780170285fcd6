package boltstore

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// BenchmarkCompact compacts a file of 256 MiB with varying numbers of MiB in use. The time is the delay added to Open
// and, in an open store, the maximum delay of a write.
func BenchmarkCompact(b *testing.B) {
	needsReplace(b)
	for _, live := range []int{1, 16, 100} {
		b.Run(fmt.Sprintf("%d MiB in use", live), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				path := filepath.Join(b.TempDir(), "tasks.db")
				d := diskOf(b, path, 256, live)
				b.StartTimer()
				if err := d.compact(); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				b.ReportMetric(float64(sizeOf(b, path))/(1<<20), "MiB-after")
				if err := d.close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}

// diskOf makes a file of total MiB, of which used are in use.
func diskOf(b *testing.B, path string, size, live int) *disk {
	b.Helper()
	d, _, err := openFile(path, time.Second)
	if err != nil {
		b.Fatal(err)
	}
	d.NoSync = true
	r := tasktest.Record(rand.Text(), "ann", time.Hour)
	r.Status, r.Result = task.StatusCompleted, json.RawMessage(`"`+strings.Repeat("-", 1<<20)+`"`)
	value, err := encode(1, &r)
	for key := range uint64(size) {
		if err == nil {
			value, err = encode(key, &r)
		}
		if err == nil {
			err = d.write([]write{{key: key, value: value}})
		}
	}
	for key := range uint64(size) {
		if err == nil && int(key)%size >= live {
			err = d.write([]write{{key: key}})
		}
	}
	if err == nil {
		d.NoSync = false
		err = d.Sync()
	}
	if err != nil {
		b.Fatal(err)
	}
	return d
}
