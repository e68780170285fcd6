package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/integrations/jetstream/embedded"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// TestInstances checks that changes by one instance are visible to the others at once and wake up their waiters.
func TestInstances(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	var stores []task.Store
	for range 3 {
		stores = append(stores, connect(t, address, jetstream.Options{}).Tasks())
	}
	r := put(t, stores[0], tasktest.Record("a", "ann", time.Hour))
	wantErr(t, "the same id, elsewhere", stores[1].Create(t.Context(), tasktest.Record("a", "bob", time.Hour)), task.ErrExists)
	woken := make(chan task.Record, 1)
	go func() {
		r, err := stores[2].Wait(t.Context(), "a", 1)
		if err != nil {
			t.Errorf("Wait: %v", err)
		}
		woken <- r
	}()
	cancelled := r
	cancelled.Status = task.StatusCancelled
	began := time.Now()
	if _, err := stores[1].Update(t.Context(), cancelled); err != nil {
		t.Fatal(err)
	}
	if got := <-woken; got.Status != task.StatusCancelled || time.Since(began) > 3*time.Second {
		t.Errorf("woken with %s after %v", got.Status, time.Since(began))
	}
	r.Status = task.StatusCompleted
	_, err := stores[0].Update(t.Context(), r)
	wantErr(t, "the result of what was cancelled elsewhere", err, task.ErrEnded)
}

// TestConcurrentInstances has three instances change the same records: no change is lost.
func TestConcurrentInstances(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	const changes, ids = 5, 3
	var stores []task.Store
	for range 3 {
		stores = append(stores, connect(t, address, jetstream.Options{}).Tasks())
	}
	var all sync.WaitGroup
	created := make([]int, ids)
	var mu sync.Mutex
	for _, s := range stores {
		for i := range ids {
			all.Go(func() {
				err := s.Create(t.Context(), tasktest.Record(fmt.Sprint(i), "ann", time.Hour))
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					created[i]++
				} else if !errors.Is(err, task.ErrExists) {
					t.Errorf("Create: %v", err)
				}
			})
		}
	}
	all.Wait()
	for _, s := range stores {
		for i := range ids {
			all.Go(func() {
				for range changes {
					if _, err := task.Change(t.Context(), s, fmt.Sprint(i), func(r *task.Record) error { r.Asked++; return nil }); err != nil {
						t.Errorf("Change: %v", err)
					}
				}
			})
		}
	}
	all.Wait()
	for i := range ids {
		r, err := stores[0].Get(t.Context(), fmt.Sprint(i))
		if err != nil || created[i] != 1 || r.Asked != len(stores)*changes {
			t.Errorf("task %d was created %d times, and has %d changes, %v", i, created[i], r.Asked, err)
		}
	}
}

// TestClose checks that the tasks of a closing instance fail at once and the tasks of the others continue.
func TestClose(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	first, err := jetstream.Connect(address, jetstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	second := connect(t, address, jetstream.Options{}).Tasks()
	for _, id := range []string{"runs", "ended"} {
		put(t, first.Tasks(), tasktest.Record(id, "ann", time.Hour))
	}
	put(t, second, tasktest.Record("other", "ann", time.Hour))
	finish(t, first.Tasks(), "ended")
	waited := make(chan error, 1)
	go func() {
		_, err := first.Tasks().Wait(t.Context(), "other", 1)
		waited <- err
	}()
	if err := errors.Join(first.Close(), first.Close()); err != nil {
		t.Errorf("Close: %v", err)
	}
	wantErr(t, "a call of Wait that is running", <-waited, jetstream.ErrClosed)
	for id, want := range map[string]task.Status{"runs": task.StatusFailed, "ended": task.StatusCompleted, "other": task.StatusWorking} {
		if r, err := second.Get(t.Context(), id); err != nil || r.Status != want {
			t.Errorf("task %s is %s, want %s, %v", id, r.Status, want, err)
		}
	}
	_, err = first.Tasks().Get(t.Context(), "ended")
	wantErr(t, "Get", err, jetstream.ErrClosed)
	_, err = first.Tasks().List(t.Context(), task.Owner{Principal: "ann"}, "", 1)
	wantErr(t, "List", err, jetstream.ErrClosed)
	_, err = first.Tasks().Update(t.Context(), task.Record{ID: "other"})
	wantErr(t, "Update", err, jetstream.ErrClosed)
	wantErr(t, "Delete", first.Tasks().Delete(t.Context(), "other"), jetstream.ErrClosed)
	wantErr(t, "Create", first.Tasks().Create(t.Context(), tasktest.Record("x", "ann", time.Hour)), jetstream.ErrClosed)
}

// TestInterruption cuts the connection: methods fail at once and work again when it is back; waiters are woken up.
func TestInterruption(t *testing.T) {
	t.Parallel()
	address := natsServer(t)
	p, through := newProxy(t, strings.TrimPrefix(address, "nats://"))
	c, other := connect(t, through, jetstream.Options{}), connect(t, address, jetstream.Options{}).Tasks()
	s := c.Tasks()
	r := put(t, s, tasktest.Record("a", "ann", time.Hour))
	woken := make(chan error, 1)
	go func() {
		_, err := s.Wait(t.Context(), "a", 1)
		for errors.Is(err, jetstream.ErrUnavailable) { // Wait had not started when the connection was cut
			_, err = s.Wait(t.Context(), "a", 1)
		}
		woken <- err
	}()
	p.set(true)
	eventually(t, "the interruption is noticed", func() error {
		if _, err := s.Get(t.Context(), "a"); !errors.Is(err, jetstream.ErrUnavailable) {
			return fmt.Errorf("Get: %w", err)
		}
		return nil
	})
	began := time.Now()
	wantErr(t, "Create", s.Create(t.Context(), tasktest.Record("b", "ann", time.Hour)), jetstream.ErrUnavailable)
	_, err := s.List(t.Context(), task.Owner{Principal: "ann"}, "", 5)
	wantErr(t, "List", err, jetstream.ErrUnavailable)
	if took := time.Since(began); took > 5*time.Second { // which each of them would wait for an answer
		t.Errorf("the errors were returned after %v, want at once", took)
	}
	r.Message = "changed meanwhile"
	if _, err := other.Update(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	p.set(false)
	if err := <-woken; err != nil {
		t.Errorf("Wait: %v", err)
	}
	finish(t, s, "a")
}

// TestGoroutines checks that no goroutine is left after Close.
func TestGoroutines(t *testing.T) { //nolint:paralleltest // it counts all goroutines
	before := goruntime.NumGoroutine()
	c, err := embedded.Open(t.TempDir(), embedded.Node{}, jetstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	put(t, c.Tasks(), tasktest.Record("a", "ann", time.Hour))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { _, _ = c.Tasks().Wait(ctx, "a", 1) }()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	cancel()
	eventually(t, "goroutines end", func() error {
		if n := goruntime.NumGoroutine(); n > before {
			return fmt.Errorf("there are %d, and %d before", n, before)
		}
		return nil
	})
}
