package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// blocker is a tool whose calls block until release.
type blocker struct {
	running, most, begun atomic.Int64
	release              chan struct{}
}

func (b *blocker) call(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
	b.begun.Add(1)
	n := b.running.Add(1)
	defer b.running.Add(-1)
	for {
		most := b.most.Load()
		if n <= most || b.most.CompareAndSwap(most, n) {
			break
		}
	}
	select {
	case <-b.release:
		return &mcptool.Result{}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func callOf(id int) string { return legacy(fmt.Sprint(id), "tools/call", `"name":"block"`) }

// TestConcurrencyLimits sends many calls from another goroutine, as a transport does. At most
// MaxConcurrentCalls run and MaxQueuedCalls wait, then Receive blocks, and in the end every
// call is answered.
func TestConcurrencyLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const calls = 50
		b := &blocker{release: make(chan struct{})}
		srv := serve(t, tool(t, "block", b.call))
		srv.Limits = runtime.Limits{MaxConcurrentCalls: 3, MaxQueuedCalls: 4}
		w := open(t, srv)
		w.handshake("2025-11-25")
		var taken atomic.Int64
		go func() {
			for i := range calls {
				w.send(callOf(i))
				taken.Add(1)
			}
		}()
		synctest.Wait()
		if b.running.Load() != 3 || taken.Load() != 7 {
			t.Errorf("%d calls run and %d were received, want 3 and 7", b.running.Load(), taken.Load())
		}
		for i := range calls {
			b.release <- struct{}{}
			synctest.Wait()
			if want := min(int64(i+8), calls); taken.Load() != want {
				t.Errorf("after %d answers, %d calls were received, want %d", i+1, taken.Load(), want)
			}
		}
		seen := map[string]bool{}
		for range calls {
			var m struct{ ID json.RawMessage }
			if err := json.Unmarshal([]byte(w.next()), &m); err != nil {
				t.Fatal(err)
			}
			seen[string(m.ID)] = true
		}
		if len(seen) != calls || b.most.Load() != 3 {
			t.Errorf("%d calls were answered, want %d; %d ran at once, want 3", len(seen), calls, b.most.Load())
		}
		w.quiet()
	})
}

// TestQueueBytes: Receive also blocks because of the size of the queued calls.
func TestQueueBytes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &blocker{release: make(chan struct{})}
		srv := serve(t, tool(t, "block", b.call))
		srv.Limits = runtime.Limits{MaxConcurrentCalls: 1}
		runtime.Fixed(srv).MaxQueuedBytes = 1000
		w := open(t, srv)
		w.handshake("2025-11-25")
		var taken atomic.Int64
		go func() {
			w.send(callOf(0))
			for i := range 4 { // larger than the queue, but an empty queue accepts one
				w.send(legacy(fmt.Sprint(i+1), "tools/call", `"name":"block","arguments":{"x":"`+strings.Repeat("x", 1200)+`"}`))
				taken.Add(1)
			}
		}()
		synctest.Wait()
		if taken.Load() != 1 {
			t.Errorf("%d calls wait, want 1", taken.Load())
		}
		// A cancelled call leaves the queue at once.
		w.session.Receive([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
		synctest.Wait()
		if taken.Load() != 2 {
			t.Errorf("%d calls were received after one was cancelled, want 2", taken.Load())
		}
		close(b.release)
		synctest.Wait()
		for range 4 {
			w.want(`"result"`)
		}
		if b.begun.Load() != 4 {
			t.Errorf("%d calls ran, want 4", b.begun.Load())
		}
	})
}

// TestBlockedReceiveIsLetGo closes the session while Receive is blocked by a full queue.
func TestBlockedReceiveIsLetGo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &blocker{release: make(chan struct{})}
		srv := serve(t, tool(t, "block", b.call))
		srv.Limits = runtime.Limits{MaxConcurrentCalls: 1, MaxQueuedCalls: 1}
		ctx, cancel := context.WithCancel(t.Context())
		w := &wire{t: t, out: make(chan string, 100)}
		w.session = srv.Open(ctx, w)
		w.handshake("2025-11-25")
		w.send(callOf(1), callOf(2))
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.send(callOf(3))
		}()
		synctest.Wait()
		cancel()
		<-done
		synctest.Wait()
		stopped := 0
		for range 3 {
			if strings.Contains(w.next(), "shutting down") {
				stopped++
			}
		}
		if stopped != 3 {
			t.Errorf("%d of 3 calls have the reason", stopped)
		}
		start := time.Now()
		if err := w.session.Close(t.Context()); err != nil || time.Since(start) > 0 {
			t.Errorf("Close = %v after %v, want nil at once", err, time.Since(start))
		}
	})
}

// TestCancelAtFullQueue: a call that is blocked by a full queue can be cancelled if the transport serves messages
// concurrently.
func TestCancelAtFullQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hold, ran := make(chan struct{}), 0
		slow := tool(t, "slow", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			<-hold
			return &mcptool.Result{}, nil
		})
		mark := tool(t, "mark", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			ran++
			return &mcptool.Result{}, nil
		})
		srv := serve(t, slow, mark)
		srv.Limits.MaxConcurrentCalls, srv.Limits.MaxQueuedCalls = 1, 1
		w := open(t, srv)
		w.handshake("2025-11-25")
		call := func(id, name string) *recorder {
			x := newRecorder()
			m := srv.Read([]byte(legacy(id, "tools/call", `"name":"`+name+`"`)))
			go w.session.Serve(m, x)
			synctest.Wait()
			return x
		}
		call("1", "slow")
		call("2", "slow")
		blocked := call("3", "mark")
		m := srv.Read([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`))
		w.session.Serve(m, newRecorder())
		synctest.Wait()
		if n := runtime.InFlight(srv); n != 2 {
			t.Errorf("%d calls in flight after one of three was cancelled, want 2", n)
		}
		close(hold)
		synctest.Wait()
		if ran > 0 || blocked.last != "" || blocked.why != runtime.Cancelled {
			t.Errorf("the cancelled call ran %d times, answer %q, disposition %v", ran, blocked.last, blocked.why)
		}
	})
}

// panickingFlush is a [runtime.Conn] whose Flush panics if panics is set.
type panickingFlush struct {
	enginetest.Discard
	panics atomic.Bool
}

func (f *panickingFlush) Flush() error {
	if f.panics.Load() {
		panic("flush")
	}
	return nil
}

// TestFlushPanicsAtFullQueue: a panic of Flush while a call is blocked by a full queue ends ReceiveFrom with an error,
// not the process.
func TestFlushPanicsAtFullQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &blocker{release: make(chan struct{})}
		srv := serve(t, tool(t, "block", b.call))
		srv.Limits = runtime.Limits{MaxConcurrentCalls: 1, MaxQueuedCalls: 1}
		out := &panickingFlush{}
		s := srv.Open(t.Context(), out)
		s.Receive([]byte(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`))
		f := &feed{messages: make(chan string, 10), err: context.Canceled}
		got := make(chan error, 1)
		go func() { got <- s.ReceiveFrom(f) }()
		f.messages <- callOf(1)
		f.messages <- callOf(2)
		synctest.Wait()
		out.panics.Store(true)
		f.messages <- callOf(3)
		if err := <-got; err == nil {
			t.Error("ReceiveFrom = nil, want an error")
		}
		out.panics.Store(false)
		close(b.release)
		_ = s.Close(t.Context())
		if n := runtime.InFlight(srv); n != 0 {
			t.Errorf("%d calls in flight at the end, want 0", n)
		}
	})
}
