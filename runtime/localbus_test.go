package runtime_test

import (
	"context"
	"errors"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcptool-go/mcptool/runtime"
)

// TestLocalBus: a notice reaches each subscriber once, in order, until its stop is called.
func TestLocalBus(t *testing.T) {
	t.Parallel()
	var bus runtime.LocalBus
	var first, second []string
	stopFirst, err := bus.Subscribe(func(n runtime.Notice) { first = append(first, n.Subject) })
	if err != nil {
		t.Fatal(err)
	}
	stopSecond, _ := bus.Subscribe(func(n runtime.Notice) { second = append(second, n.Subject) })
	publish := func(subject string) {
		t.Helper()
		if err := bus.Publish(t.Context(), runtime.Notice{Kind: runtime.NoticeKindResource, Subject: subject}); err != nil {
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
	if err := bus.Publish(ended, runtime.Notice{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Publish with a cancelled context = %v, want context.Canceled", err)
	}
}

// TestLocalBusStop: after stop has returned, the func is not running and is not called again.
func TestLocalBusStop(t *testing.T) {
	t.Parallel()
	var bus runtime.LocalBus
	entered, gate := make(chan struct{}), make(chan struct{})
	var returned atomic.Int64
	stop, _ := bus.Subscribe(func(runtime.Notice) {
		close(entered)
		<-gate
		returned.Add(1)
	})
	var wg sync.WaitGroup
	wg.Go(func() { _ = bus.Publish(t.Context(), runtime.Notice{}) })
	<-entered
	wg.Go(func() {
		stop()
		if returned.Load() != 1 {
			t.Error("stop returned while the func was running")
		}
		_ = bus.Publish(t.Context(), runtime.Notice{})
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

// TestLocalBusConcurrently: subscribe, stop and publish in several goroutines, for the race detector.
func TestLocalBusConcurrently(t *testing.T) {
	t.Parallel()
	var bus runtime.LocalBus
	var wg sync.WaitGroup
	var got atomic.Int64
	counting := func(runtime.Notice) { got.Add(1) }
	stop, _ := bus.Subscribe(counting)
	for range 8 {
		wg.Go(func() {
			for range 200 {
				stop, _ := bus.Subscribe(func(runtime.Notice) {})
				if err := bus.Publish(t.Context(), runtime.Notice{}); err != nil {
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
