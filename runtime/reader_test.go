package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// feed is a [runtime.Source] that reads each message into the same buffer until
// Detach.
type feed struct {
	messages chan string
	err      error // error at the end
	buf      []byte
}

func (f *feed) Next() ([]byte, error) {
	msg, ok := <-f.messages
	if !ok {
		return nil, f.err
	}
	if f.buf == nil {
		f.buf = make([]byte, 1<<10)
	}
	copy(f.buf, strings.Repeat("#", len(f.buf)))
	return f.buf[:copy(f.buf, msg)], nil
}

func (f *feed) Ready() bool { return len(f.messages) > 0 }
func (f *feed) Detach()     { f.buf = nil }

// stream opens a session that reads from a feed.
func stream(t *testing.T, srv *runtime.Server) (*wire, *feed) {
	t.Helper()
	w := open(t, srv)
	w.handshake("2025-11-25")
	return w, w.feed()
}

// feed makes the session read from a feed.
func (w *wire) feed() *feed {
	f := &feed{messages: make(chan string, 1000), err: io.EOF}
	ended := make(chan error, 1)
	go func() { ended <- w.session.ReceiveFrom(f) }()
	w.t.Cleanup(func() {
		close(f.messages)
		if err := <-ended; err != nil {
			w.t.Errorf("ReceiveFrom returned %v", err)
		}
	})
	return f
}

// nap is the func of a tool that sleeps for the time in its arguments, ignoring its context,
// and returns them.
func nap(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
	var in struct{ Millis int }
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, err
	}
	time.Sleep(time.Duration(in.Millis) * time.Millisecond)
	return &mcptool.Result{Structured: args}, nil
}

func napCall(id, millis int) string {
	return legacy(fmt.Sprint(id), "tools/call", fmt.Sprintf(`"name":"nap","arguments":{"Millis":%d}`, millis))
}

// trust makes one call so that the engine classifies the tool as fast.
func (w *wire) trust(f *feed, call string) {
	w.t.Helper()
	f.messages <- call
	w.want(`"result"`)
	synctest.Wait()
}

// TestTakeOver: a slow call does not delay other messages, even if its tool was classified as fast, and its
// arguments are not overwritten.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, f := stream(t, serve(t, tool(t, "nap", nap), tool(t, "echo", echo)))
		w.trust(f, napCall(1, 0))
		w.trust(f, legacy("2", "tools/call", `"name":"echo"`))
		begun := time.Now()
		f.messages <- napCall(3, 1000)
		f.messages <- legacy("4", "ping", "")
		f.messages <- legacy("5", "tools/call", `"name":"echo"`)
		w.want(`"id":4`)
		w.want(`"id":5`)
		if waited := time.Since(begun); waited == 0 || waited > 3*time.Millisecond {
			t.Errorf("the other messages waited %v, want up to 3ms while the call runs in the goroutine that reads", waited)
		}
		w.want(`"id":3`, `"structuredContent":{"Millis":1000}`)
		if took := time.Since(begun); took != time.Second {
			t.Errorf("the slow call took %v, want 1s", took)
		}
	})
}

// TestSleepersTogether: several slow calls delay a fast one only once.
func TestSleepersTogether(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w, f := stream(t, serve(t, tool(t, "nap", nap), tool(t, "echo", echo)))
			w.trust(f, legacy("1", "tools/call", `"name":"echo"`))
			if known {
				w.trust(f, napCall(2, 0))
			}
			begun := time.Now()
			for i := range 63 {
				f.messages <- napCall(100+i, 500)
			}
			f.messages <- legacy("3", "tools/call", `"name":"echo"`)
			w.want(`"id":3`)
			if waited := time.Since(begun); waited > 3*time.Millisecond {
				t.Errorf("the fast call waited %v (tool classified as fast: %t), want at most 3ms", waited, known)
			}
			for range 63 {
				w.want(`"result"`)
			}
			if took := time.Since(begun); took > 510*time.Millisecond {
				t.Errorf("63 naps took %v, want at most 510ms", took)
			}
		})
	}
}

// TestCancelInTurn cancels a call that runs in the goroutine that reads.
func TestCancelInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		told := make(chan error, 1)
		quick := true
		w, f := stream(t, serve(t, tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			if quick {
				return &mcptool.Result{}, nil
			}
			<-ctx.Done()
			told <- context.Cause(ctx)
			return nil, ctx.Err()
		})))
		call := func(id string) string { return legacy(id, "tools/call", `"name":"x"`) }
		w.trust(f, call("1"))
		quick = false
		f.messages <- call("2")
		f.messages <- `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"enough"}}`
		if err := <-told; !errors.Is(err, runtime.ErrCancelled) {
			t.Errorf("Cause = %v, want ErrCancelled", err)
		}
		f.messages <- legacy("3", "ping", "")
		w.want(`"id":3`)
		w.quiet()
	})
}

// TestGoexitInTurn: a tool that calls runtime.Goexit in the goroutine that reads ends neither the session
// nor the goroutine that reads afterwards.
func TestGoexitInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var delay time.Duration
		exit := false
		w, f := stream(t, serve(t, tool(t, "exit", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			time.Sleep(delay)
			if exit {
				goruntime.Goexit()
			}
			return &mcptool.Result{}, nil
		})))
		call := func(id int) string { return legacy(fmt.Sprint(id), "tools/call", `"name":"exit"`) }
		w.trust(f, call(0))
		exit = true
		for i := range 3 {
			f.messages <- call(i)
			w.want(fmt.Sprintf(`"id":%d`, i), "reference")
		}
		synctest.Wait()
		delay = time.Second
		f.messages <- call(4)
		f.messages <- legacy("5", "ping", "")
		w.want(`"id":5`)
		w.want(`"id":4`, "reference")
		w.trust(f, legacy("6", "ping", ""))
	})
}

// TestOneAtATime: calls that run in the goroutine that reads count towards MaxConcurrentCalls.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "nap", nap))
		srv.Limits = runtime.Limits{MaxConcurrentCalls: 1, MaxQueuedCalls: 2}
		w, f := stream(t, srv)
		w.trust(f, napCall(0, 0))
		begun := time.Now()
		for i := range 6 {
			f.messages <- napCall(i, 100)
		}
		synctest.Wait()
		time.Sleep(10 * time.Millisecond)
		if left := len(f.messages); left != 2 {
			t.Errorf("%d calls are unread, want 2: one runs, two wait and one was read", left)
		}
		for i := range 6 {
			w.want(fmt.Sprintf(`"id":%d`, i))
		}
		if took := time.Since(begun); took != 600*time.Millisecond {
			t.Errorf("six calls of 100 ms took %v, want 600ms", took)
		}
	})
}

// TestCloseDrainsTurn: Close waits for the call that runs in the goroutine that reads.
func TestCloseDrainsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, f := stream(t, serve(t, tool(t, "nap", nap)))
		w.trust(f, napCall(1, 0))
		begun := time.Now()
		f.messages <- napCall(2, 100)
		synctest.Wait()
		if err := w.session.Close(t.Context()); err != nil || time.Since(begun) != 100*time.Millisecond {
			t.Errorf("Close = %v after %v, want nil after 100ms", err, time.Since(begun))
		}
		w.want(`"id":2`)
		f.messages <- napCall(3, 0)
		w.want(`"id":3`, "shutting down")
	})
}

// TestSourceFails: ReceiveFrom returns the error of the source without waiting for calls.
func TestSourceFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := open(t, serve(t, tool(t, "nap", nap)))
		w.handshake("2025-11-25")
		f := &feed{messages: make(chan string, 10), err: io.ErrUnexpectedEOF}
		f.messages <- napCall(1, 50)
		close(f.messages)
		begun := time.Now()
		if err := w.session.ReceiveFrom(f); !errors.Is(err, io.ErrUnexpectedEOF) || time.Since(begun) > 0 {
			t.Errorf("ReceiveFrom = %v after %v, want io.ErrUnexpectedEOF at once", err, time.Since(begun))
		}
		w.want(`"id":1,"result"`)
	})
}

// parcels is a [runtime.Conn] that records which messages are delivered together.
type parcels struct {
	enginetest.Discard
	mu        sync.Mutex
	posted    []string
	delivered [][]string
}

func (p *parcels) Respond(msg []byte, end runtime.End) error {
	defer end.Wrote()
	if msg == nil {
		return nil
	}
	p.post(msg)
	if end.More {
		return nil
	}
	return p.Flush()
}

func (p *parcels) Notify(msg []byte) error {
	p.post(msg)
	return p.Flush()
}

func (p *parcels) post(msg []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.posted = append(p.posted, string(msg))
}

func (p *parcels) Flush() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.posted) > 0 {
		p.delivered = append(p.delivered, p.posted)
		p.posted = nil
	}
	return nil
}

// sizes returns the number of messages in each delivery, and clears them.
func (p *parcels) sizes() (n []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, parcel := range p.delivered {
		n = append(n, len(parcel))
	}
	p.delivered = nil
	return n
}

// eager is a source whose Ready always reports true, although Next may block.
type eager struct{ feed }

func (e *eager) Ready() bool { return true }

// TestCloseDeliversAnswers: a posted answer is delivered when the session ends.
func TestCloseDeliversAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &parcels{}
		session := serve(t).Open(t.Context(), p)
		f := &eager{feed{messages: make(chan string), err: io.EOF}}
		done := make(chan error, 1)
		go func() { done <- session.ReceiveFrom(f) }()
		f.messages <- legacy("1", "ping", "")
		synctest.Wait()
		_ = session.Close(t.Context())
		if got := fmt.Sprint(p.sizes()); got != "[1]" {
			t.Errorf("deliveries = %s, want [1]", got)
		}
		close(f.messages)
		<-done
	})
}

// clogged is a [runtime.Conn] whose Flush blocks if shut is set, until reading is closed.
type clogged struct {
	parcels
	shut    atomic.Bool
	reading chan struct{} // closed when the client reads again
}

func (c *clogged) Flush() error {
	if c.shut.Load() {
		<-c.reading
	}
	return c.parcels.Flush()
}

// TestTakeOverUnread: while a slow call runs, messages of a client that does not read answers are still
// read.
func TestTakeOverUnread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &clogged{reading: make(chan struct{})}
		var cancelled atomic.Bool
		srv := serve(t, tool(t, "nap", func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			if strings.Contains(string(args), "100000") {
				<-ctx.Done()
				cancelled.Store(true)
			}
			return nap(ctx, []byte(`{}`))
		}))
		session := srv.Open(t.Context(), c)
		session.Receive([]byte(legacy("0", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}`)))
		f := &eager{feed{messages: make(chan string, 10), err: io.EOF}}
		done := make(chan error, 1)
		go func() { done <- session.ReceiveFrom(f) }()
		f.messages <- napCall(1, 0)
		time.Sleep(time.Second)
		c.shut.Store(true)
		f.messages <- napCall(2, 0)
		f.messages <- napCall(3, 100000)
		f.messages <- `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`
		time.Sleep(time.Second)
		if !cancelled.Load() {
			t.Error("the call was not cancelled")
		}
		close(c.reading)
		close(f.messages)
		<-done
		_ = session.Close(t.Context())
	})
}

// TestAnswersTogether: answers to requests that arrive together are delivered together,
// a single answer at once, and no answer waits for a slow call.
func TestAnswersTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &parcels{}
		session := serve(t, tool(t, "nap", nap)).Open(t.Context(), p)
		session.Receive([]byte(legacy("0", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}`)))
		f := &feed{messages: make(chan string, 100), err: io.EOF}
		send := func(messages ...string) {
			for _, m := range messages {
				f.messages <- m
			}
		}
		done := make(chan error, 1)
		send(napCall(1, 0))
		go func() { done <- session.ReceiveFrom(f) }()
		synctest.Wait()
		p.sizes()
		check := func(what string, want ...int) {
			t.Helper()
			if got := p.sizes(); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: deliveries = %v, want %v", what, got, want)
			}
		}
		send(napCall(2, 0))
		synctest.Wait()
		check("single call", 1)
		for i := range 10 {
			send(napCall(10+i, 0))
		}
		synctest.Wait()
		if got := len(p.sizes()); got > 3 { // reading may start before the last was sent
			t.Errorf("ten answers took %d deliveries, want at most 3", got)
		}
		send(napCall(20, 0), napCall(21, 0), napCall(22, 100), napCall(23, 0))
		time.Sleep(5 * time.Millisecond)
		synctest.Wait()
		total := 0
		for _, n := range p.sizes() {
			total += n
		}
		if total != 3 {
			t.Errorf("%d answers were delivered while one call sleeps, want 3", total)
		}
		time.Sleep(time.Second)
		check("slow call", 1)
		close(f.messages)
		if err := <-done; err != nil {
			t.Error(err)
		}
		_ = session.Close(t.Context())
	})
}
