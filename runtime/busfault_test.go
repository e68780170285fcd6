package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/runtime/bus"
)

// faultyBus is a bus.Local whose methods can fail.
type faultyBus struct {
	bus.Local
	mu        sync.Mutex
	publish   func(ctx context.Context, n bus.Notice) error // called before publishing; nil: no fault
	subscribe func() error                                  // called before subscribing; nil: no fault
	stop      func()
	tried     []bus.Notice // arguments of Publish
}

// fail makes Publish call fault first; nil removes the fault.
func (b *faultyBus) fail(fault func(ctx context.Context, n bus.Notice) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.publish = fault
}

func (b *faultyBus) Publish(ctx context.Context, n bus.Notice) error {
	b.mu.Lock()
	fault := b.publish
	b.tried = append(b.tried, n)
	b.mu.Unlock()
	if fault != nil {
		if err := fault(ctx, n); err != nil {
			return err
		}
	}
	return b.Local.Publish(ctx, n)
}

func (b *faultyBus) Subscribe(fn func(bus.Notice)) (func(), error) {
	b.mu.Lock()
	fault, atStop := b.subscribe, b.stop
	b.mu.Unlock()
	if fault != nil {
		if err := fault(); err != nil {
			return nil, err
		}
	}
	stop, err := b.Local.Subscribe(fn)
	if atStop != nil {
		return func() { atStop(); stop() }, err
	}
	return stop, err
}

// attempts returns the number of calls of Publish.
func (b *faultyBus) attempts() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.tried)
}

var errBus = errors.New("no route to the bus")

func refuses(context.Context, bus.Notice) error { return errBus }

func panics(context.Context, bus.Notice) error { panic("nil map") }

func hangs(ctx context.Context, _ bus.Notice) error { <-ctx.Done(); return ctx.Err() }

// TestBusFaults: while a Bus fails, local clients are notified and callers do not block. The log has one record of the
// fault and one of its end, after which the other instances are notified.
func TestBusFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		fault  func(context.Context, bus.Notice) error
		logged string
	}{
		{"errors", refuses, "no route to the bus"},
		{"panics", panics, "panic: nil map"},
		{"hangs", hangs, "context deadline exceeded"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				broker := &faultyBus{}
				a, b := serveDocs(t), instance(t, broker)
				log := logged(a, slog.LevelInfo)
				a.Bus = bus.New(broker)
				here, there := listener(t, a, "2025-11-25"), listener(t, b, modernRevision)
				broker.fail(test.fault)
				for range 30 {
					begin := time.Now()
					a.Tools.ResourceUpdated("docs://guide")
					a.Tools.ResourceListChanged()
					if took := time.Since(begin); took > 0 {
						t.Fatalf("the changes took %v, want 0", took)
					}
					here.wantNotified("local change", "resources/list_changed", "resources/updated docs://guide")
				}
				broker.fail(nil)
				time.Sleep(10 * time.Second)
				if got := fmt.Sprint(there.notified()); !strings.Contains(got, "resources/list_changed") || !strings.Contains(got, "resources/updated docs://guide") {
					t.Errorf("notifications of the other instance after the fault = %s", got)
				}
				a.Tools.ResourceUpdated("docs://guide")
				there.wantNotified("update after the fault", "resources/updated docs://guide")
				text := log.String()
				if strings.Count(text, "the bus fails") != 1 || strings.Count(text, "the bus works again") != 1 || !strings.Contains(text, test.logged) {
					t.Errorf("log = %s\nwant one record each of the fault and its end, with %q", text, test.logged)
				}
				if err := a.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestBusFailsInTurn: a Bus that fails every other time causes few log records and loses no notices.
func TestBusFailsInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broker, n := &faultyBus{}, 0
		a, b := serveDocs(t), instance(t, broker)
		log := logged(a, slog.LevelInfo)
		a.Bus = bus.New(broker)
		t.Cleanup(func() { _ = a.Shutdown(context.Background()) })
		w := listener(t, b, modernRevision)
		a.Identity()
		broker.fail(func(context.Context, bus.Notice) error {
			if n++; n%2 == 1 {
				return errBus
			}
			return nil
		})
		for range 59 {
			a.Tools.ResourceUpdated("docs://guide")
			w.wantNotified("update", "resources/updated docs://guide")
		}
		if text := log.String(); strings.Count(text, "\n") != 2 {
			t.Errorf("log = %s\nwant 2 records", text)
		}
	})
}

// TestBusRefusesOne: a notice that the Bus always rejects does not block others, and is dropped eventually.
func TestBusRefusesOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broker := &faultyBus{}
		a, b := instance(t, broker), instance(t, broker)
		w := listener(t, b, modernRevision)
		broker.fail(func(_ context.Context, n bus.Notice) error {
			if n.Subject == "docs://guide/refused" {
				return errBus
			}
			return nil
		})
		for range 10 {
			a.Tools.ResourceUpdated("docs://guide/refused")
			a.Tools.ResourceUpdated("docs://guide")
			w.wantNotified("update", "resources/updated docs://guide")
			time.Sleep(time.Second)
		}
		time.Sleep(10 * time.Minute)
		before := broker.attempts()
		time.Sleep(time.Hour)
		if got := broker.attempts(); got != before {
			t.Errorf("the rejected notice was retried %d times in an hour, want 0", got-before)
		}
	})
}

// TestBusHangsWithMillions: changes while the Bus hangs use little memory, and the other instances are notified
// afterwards.
func TestBusHangsWithMillions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broker := &faultyBus{}
		a, b := instance(t, broker), instance(t, broker)
		w := listener(t, b, modernRevision)
		gate := make(chan struct{})
		broker.fail(func(ctx context.Context, _ bus.Notice) error {
			select {
			case <-gate:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		var before, after goruntime.MemStats
		a.Tools.ResourceUpdated("docs://guide")
		goruntime.GC()
		goruntime.ReadMemStats(&before)
		for range 1_000_000 {
			a.Tools.ResourceUpdated("docs://guide")
		}
		for i := range 100_000 {
			a.Tools.ResourceUpdated(fmt.Sprintf("docs://guide/%d", i))
		}
		a.Tools.ResourceUpdated("docs://guide/" + strings.Repeat("x", 5000))
		goruntime.GC()
		goruntime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
			t.Errorf("the heap grew by %d bytes, want at most 16 MiB", grown)
		}
		close(gate)
		got := fmt.Sprint(w.notified())
		if !strings.Contains(got, "resources/list_changed") || !strings.Contains(got, "resources/updated docs://guide") {
			t.Errorf("notifications = %s", got)
		}
		if got := broker.attempts(); got > 1100 {
			t.Errorf("%d notices published, want at most 1100", got)
		}
	})
}

// TestBusSubscribeFails: the server retries until it is subscribed, and logs the fault once.
func TestBusSubscribeFails(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func() error{
		"errors": func() error { return errBus },
		"panics": func() error { panic("nil map") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var tries atomic.Int64
				broker := &faultyBus{subscribe: func() error {
					if tries.Add(1) > 100 {
						return nil
					}
					return fault()
				}}
				srv := serveDocs(t)
				log := logged(srv, slog.LevelInfo)
				srv.Bus = bus.New(broker)
				w := listener(t, srv, modernRevision)
				listener(t, srv, "2025-11-25")
				time.Sleep(time.Hour)
				if got := tries.Load(); got != 101 {
					t.Errorf("tried to subscribe %d times in an hour, want 101", got)
				}
				w.wantNotified("missed changes", "resources/list_changed", "resources/updated docs://guide", "tools/list_changed")
				_ = broker.Local.Publish(t.Context(), bus.Notice{Kind: "tools"})
				w.wantNotified("notice", "tools/list_changed")
				if text := log.String(); strings.Count(text, "the bus fails: clients are not notified of changes at other instances") != 1 || strings.Count(text, "the bus works again") != 1 {
					t.Errorf("log = %s\nwant one record each of the fault and its end", text)
				}
				if err := srv.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestBusShutdown: Shutdown publishes pending notices, waits for the Bus at most for CloseGrace, and leaves no goroutine
// once the Bus returns.
func TestBusShutdown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		broker    func(gate chan struct{}) *faultyBus
		took      time.Duration
		published bool
		reason    string
	}{
		{"works", func(chan struct{}) *faultyBus { return &faultyBus{} }, 0, true, "nothing to wait for"},
		{"fails", func(chan struct{}) *faultyBus { return &faultyBus{publish: refuses} }, 0, false, "each notice is retried once"},
		{"hangs", func(chan struct{}) *faultyBus { return &faultyBus{publish: hangs} }, time.Second, false, "CloseGrace is 1 s"},
		{"subscribing fails", func(chan struct{}) *faultyBus { return &faultyBus{subscribe: func() error { return errBus }} }, 0, true, "no retry"},
		{"subscribing hangs", func(gate chan struct{}) *faultyBus { return &faultyBus{subscribe: func() error { <-gate; return nil }} }, time.Second, true, "its subscription ends when it returns"},
		{"unsubscribing hangs", func(gate chan struct{}) *faultyBus { return &faultyBus{stop: func() { <-gate }} }, time.Second, true, "Shutdown does not wait longer"},
		{"unsubscribing panics", func(chan struct{}) *faultyBus { return &faultyBus{stop: func() { panic("nil map") }} }, 0, true, "the panic is recovered"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				gate := make(chan struct{})
				broker := test.broker(gate)
				var got []string
				stop, _ := broker.Local.Subscribe(func(n bus.Notice) { got = append(got, n.Subject) })
				srv := serveDocs(t)
				srv.Bus = bus.New(broker)
				listener(t, srv, modernRevision)
				for i := range 5 {
					srv.Tools.ResourceUpdated(fmt.Sprintf("docs://guide/%d", i))
				}
				begin := time.Now()
				if err := srv.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
				if took := time.Since(begin); took != test.took {
					t.Errorf("Shutdown took %v, want %v: %s", took, test.took, test.reason)
				}
				if test.published != (len(got) == 5) || !test.published && len(got) > 0 {
					t.Errorf("published = %q, want all 5 notices: %t", got, test.published)
				}
				tried := broker.attempts()
				srv.Tools.ResourceUpdated("docs://guide")
				if err := srv.Shutdown(t.Context()); err != nil {
					t.Errorf("second Shutdown: %v", err)
				}
				close(gate)
				time.Sleep(time.Hour)
				if broker.attempts() != tried {
					t.Error("a notice was published after the shutdown")
				}
				stop()
			}) // synctest fails if a goroutine is left
		})
	}
}

// TestNoBus: without a Bus and subscribers, changes do not allocate.
func TestNoBus(t *testing.T) {
	srv := serveDocs(t)
	srv.Identity()
	if got := testing.AllocsPerRun(100, func() { srv.Tools.ResourceUpdated("docs://guide"); srv.Tools.ResourceUpdated("docs://guide/a") }); got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}
