package bus_test

import (
	"context"
	"errors"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcptool-go/mcptool/runtime/bus"
)

// TestLocal: a notice reaches each subscriber once, in order, until its stop is called.
func TestLocal(t *testing.T) {
	t.Parallel()
	var local bus.Local
	var first, second []string
	stopFirst, err := local.Subscribe(func(n bus.Notice) { first = append(first, n.Subject) })
	if err != nil {
		t.Fatal(err)
	}
	stopSecond, _ := local.Subscribe(func(n bus.Notice) { second = append(second, n.Subject) })
	publish := func(subject string) {
		t.Helper()
		if err := local.Publish(t.Context(), bus.Notice{Kind: bus.KindResource, Subject: subject}); err != nil {
			t.Error(err)
		}
	}
	publish("a")
	publish("b")
	stopFirst()
	stopFirst()
	publish("c")
	stopSecond()
	publish("d")
	if len(first) != 2 || first[0] != "a" || len(second) != 3 || second[2] != "c" {
		t.Errorf("first got %q, second %q; want a b and a b c", first, second)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := local.Publish(ended, bus.Notice{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Publish with a cancelled context = %v, want context.Canceled", err)
	}
}

// TestLocalStop: after stop has returned, the func is not running and is not called again.
func TestLocalStop(t *testing.T) {
	t.Parallel()
	var local bus.Local
	entered, gate := make(chan struct{}), make(chan struct{})
	var returned atomic.Int64
	stop, _ := local.Subscribe(func(bus.Notice) {
		close(entered)
		<-gate
		returned.Add(1)
	})
	var wg sync.WaitGroup
	wg.Go(func() { _ = local.Publish(t.Context(), bus.Notice{}) })
	<-entered
	wg.Go(func() {
		stop()
		if returned.Load() != 1 {
			t.Error("stop returned while the func was running")
		}
		_ = local.Publish(t.Context(), bus.Notice{})
	})
	for range 1000 { // give a stop that does not wait time to return
		goruntime.Gosched()
	}
	close(gate)
	wg.Wait()
	if returned.Load() != 1 {
		t.Error("the func was called after stop")
	}
}

// TestLocalConcurrently: subscribe, stop and publish in several goroutines, for the race detector.
func TestLocalConcurrently(t *testing.T) {
	t.Parallel()
	var local bus.Local
	var wg sync.WaitGroup
	var got atomic.Int64
	counting := func(bus.Notice) { got.Add(1) }
	stop, _ := local.Subscribe(counting)
	for range 8 {
		wg.Go(func() {
			for range 200 {
				stop, _ := local.Subscribe(func(bus.Notice) {})
				if err := local.Publish(t.Context(), bus.Notice{}); err != nil {
					t.Error(err)
				}
				stop()
			}
		})
	}
	wg.Wait()
	stop()
	if got.Load() != 1600 {
		t.Errorf("got %d notices, want 1600", got.Load())
	}
}
