package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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

// slowly returns a tool whose calls take a second, and which appends their ids to order.
func slowly(t *testing.T, order *[]string, opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	var mu sync.Mutex
	return tool(t, "slow", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		mu.Lock()
		*order = append(*order, mcptool.Caller(ctx).RequestID)
		mu.Unlock()
		time.Sleep(time.Second)
		return &mcptool.Result{}, nil
	}, opts...)
}

func slowCall(id int) string { return legacy(fmt.Sprint(id), "tools/call", `"name":"slow"`) }

// TestConcurrent: calls of one tool wait for each other, in all sessions and in the order of arrival. Calls
// of other tools do not wait.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var order []string
		srv := serve(t, slowly(t, &order, mcptool.Concurrent(1)), tool(t, "echo", echo))
		srv.Limits.MaxConcurrentCalls = 2
		one, other := open(t, srv), open(t, srv)
		one.handshake("2025-11-25")
		other.handshake("2025-11-25")
		begun := time.Now()
		for i, w := range []*wire{one, other, one, other, one} {
			w.send(slowCall(i))
			synctest.Wait()
		}
		one.send(legacy("9", "tools/call", `"name":"echo"`))
		one.want(`"id":9`)
		if time.Since(begun) != 0 {
			t.Errorf("a call of another tool took %v, want 0", time.Since(begun))
		}
		one.want(`"id":0`)
		other.want(`"id":1`)
		one.want(`"id":2`)
		other.want(`"id":3`)
		one.want(`"id":4`)
		synctest.Wait()
		if fmt.Sprint(order) != "[0 1 2 3 4]" || time.Since(begun) != 5*time.Second {
			t.Errorf("order = %v after %v, want 0 to 4 after 5s", order, time.Since(begun))
		}
		if err := one.session.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestConcurrentGivesUp: a call stops waiting when it is cancelled or after its timeout, and is rejected
// if too many wait. The next call runs instead.
func TestConcurrentGivesUp(t *testing.T) {
	t.Parallel()
	const busy = "the tool is busy: at most 1 of its calls run at once, and others are already waiting; call it again later"
	for _, test := range []struct {
		name string
		opts []mcptool.ToolOption
		// then is called while call 1 runs and calls 2 and 3 wait.
		then func(w *wire)
		want []string // answers, in order
		ran  string
	}{
		{"queue full", nil, func(w *wire) { w.send(slowCall(4)) }, []string{busy, `"id":1`, `"id":2`, `"id":3`}, "[1 2 3]"},
		{"cancelled", nil, func(w *wire) {
			w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
			synctest.Wait()
			w.send(slowCall(4))
		}, []string{`"id":1`, `"id":3`, `"id":4`}, "[1 3 4]"},
		{
			"timeout while waiting",
			[]mcptool.ToolOption{mcptool.Timeout(1500 * time.Millisecond)},
			func(*wire) {},
			[]string{`"id":1`, busy, `"id":2`},
			"[1 2]",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var order []string
				srv := serve(t, slowly(t, &order, append(test.opts, mcptool.Concurrent(1))...))
				runtime.Fixed(srv).MaxWaitingCalls = 2
				w := open(t, srv)
				w.handshake("2025-11-25")
				for i := range 3 {
					w.send(slowCall(i + 1))
					synctest.Wait()
				}
				test.then(w)
				for _, want := range test.want {
					w.want(want)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				w.quiet()
				if fmt.Sprint(order) != test.ran {
					t.Errorf("calls that ran = %v, want %s", order, test.ran)
				}
			})
		})
	}
}

// TestConcurrentOfEndpoint: calls at an endpoint wait for the tool until their client disconnects.
func TestConcurrentOfEndpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var order []string
		srv := serve(t, slowly(t, &order, mcptool.Concurrent(1)))
		endpoint := srv.Endpoint(t.Context())
		client, leave := context.WithCancel(t.Context())
		call := func(ctx context.Context, id int) *recorder {
			x := newRecorder()
			go endpoint.Answer(ctx, srv.Read([]byte(modern(fmt.Sprint(id), "tools/call", `,"name":"slow"`))), x)
			synctest.Wait()
			return x
		}
		first, impatient, last := call(t.Context(), 1), call(client, 2), call(t.Context(), 3)
		leave()
		for _, x := range []*recorder{first, impatient, last} {
			<-x.done
		}
		if fmt.Sprint(order) != "[1 3]" || !strings.Contains(impatient.last, runtime.ErrDisconnected.Error()) {
			t.Errorf("calls that ran = %v, want 1 and 3; the disconnected client got %s", order, impatient.last)
		}
	})
}

// TestConcurrentOfReader: a call that waits for its tool does not block reading.
func TestConcurrentOfReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		naps := make(chan time.Duration, 3)
		naps <- 0
		naps <- time.Second
		naps <- 0
		srv := serve(t, tool(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			time.Sleep(<-naps)
			return &mcptool.Result{}, nil
		}, mcptool.Concurrent(1)))
		w, f := stream(t, srv)
		f.messages <- legacy("1", "tools/call", `"name":"x"`)
		w.want(`"id":1`)
		synctest.Wait() // the tool is classified as fast
		other := open(t, srv)
		other.handshake("2025-11-25")
		other.send(legacy("1", "tools/call", `"name":"x"`))
		synctest.Wait()
		begun := time.Now()
		f.messages <- legacy("2", "tools/call", `"name":"x"`)
		f.messages <- legacy("3", "ping", "")
		w.want(`"id":3`)
		if time.Since(begun) != 0 {
			t.Errorf("the ping was answered after %v, want 0", time.Since(begun))
		}
		w.want(`"id":2`)
		other.want(`"id":1`)
	})
}

// blockedConn blocks at every message, except the answer to initialize.
type blockedConn struct {
	enginetest.Discard
	sending atomic.Int64
	release chan struct{}
}

func (b *blockedConn) Respond(msg []byte, end runtime.End) error {
	return enginetest.Respond(b.Notify, msg, end)
}

func (b *blockedConn) Notify(msg []byte) error {
	if !bytes.Contains(msg, []byte(`"serverInfo"`)) {
		b.sending.Add(1)
		<-b.release
	}
	return nil
}

// TestRefusedWithinConcurrency: a call rejected because the queue of its tool is full counts towards MaxConcurrentCalls
// until it is answered, so a client that does not read blocks at most that many answers.
func TestRefusedWithinConcurrency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &blocker{release: make(chan struct{})}
		srv := serve(t, tool(t, "block", b.call, mcptool.Concurrent(1)))
		srv.Limits.MaxConcurrentCalls = 1
		runtime.Fixed(srv).MaxWaitingCalls = 1
		one, two := open(t, srv), open(t, srv)
		one.handshake("2025-11-25")
		two.handshake("2025-11-25")
		one.send(callOf(1)) // runs
		synctest.Wait()
		two.send(callOf(2)) // waits, so the queue of the tool is full
		synctest.Wait()
		out := &blockedConn{release: make(chan struct{})}
		s := srv.Open(t.Context(), out)
		s.Receive([]byte(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`))
		s.Receive([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		for i := range 20 {
			s.Receive([]byte(callOf(i + 10)))
		}
		synctest.Wait()
		if n := out.sending.Load(); n != 1 {
			t.Errorf("%d answers are being sent, want 1", n)
		}
		close(out.release)
		close(b.release)
		synctest.Wait()
		_ = s.Close(t.Context())
	})
}
