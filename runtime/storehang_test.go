package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
)

// inputs are the params of an answer to a client request that does not exist.
const inputs = `,"inputResponses":{"confirm_0":{"action":"accept","content":{}}}`

// TestStoreHangs: while the store hangs, the session reads other messages. The request that uses the store fails after the
// timeout.
func TestStoreHangs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, hangs, method, params string
		legacy                      bool
	}{
		{"get", "Get", "tasks/get", "", false},
		{"legacy get", "Get", "tasks/get", "", true},
		{"cancel", "Get", "tasks/cancel", "", false},
		{"cancel, Update hangs", "Update", "tasks/cancel", "", false},
		{"update", "Get", "tasks/update", inputs, false},
		{"result", "Get", "tasks/result", "", true},
		{"listen", "Get", "subscriptions/listen", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := newObstructed()
				w, f, _, modernID, legacyID := twoTasks(t, store)
				store.set(test.hangs, untilDone)
				begun := time.Now()
				switch {
				case test.legacy:
					f.messages <- legacy("7", test.method, `"taskId":"`+legacyID+`"`)
				case test.method == "subscriptions/listen":
					f.messages <- tasked("7", test.method, `,"notifications":{"taskIds":["`+modernID+`","other","third"]}`)
				default:
					f.messages <- tasked("7", test.method, `,"taskId":"`+modernID+`"`+test.params)
				}
				f.messages <- legacy("8", "ping", "")
				f.messages <- legacy("9", "tools/call", `"name":"echo"`)
				w.want(`"id":8,"result"`)
				w.want(`"id":9,"result"`)
				if waited := time.Since(begun); waited > 3*time.Millisecond {
					t.Errorf("the ping was answered after %v, want at most 3ms", waited)
				}
				w.want(`"id":7,"error":{"code":-32603,"message":"the task cannot be looked up; try again later"`)
				if took := time.Since(begun); took != 10*time.Second {
					t.Errorf("the request took %v, want 10s", took)
				}
			})
		})
	}
}

// TestStoreHangsServed: Serve and Receive return while the store hangs.
func TestStoreHangsServed(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"Get", "List"} {
		synctest.Test(t, func(t *testing.T) {
			store := newObstructed()
			w, send := openAsAnn(t, store)
			store.set(method, untilDone)
			request := map[string]string{"Get": legacy("5", "tasks/get", `"taskId":"x"`), "List": legacy("5", "tasks/list", "")}[method]
			begun := time.Now()
			send(request) // in its own exchange
			if method == "Get" {
				w.send(legacy("6", "tasks/get", `"taskId":"x"`))
			}
			w.send(legacy("7", "ping", ""))
			w.want(`"id":7`)
			if waited := time.Since(begun); waited > 3*time.Millisecond {
				t.Errorf("%s: the ping was answered after %v, want at most 3ms", method, waited)
			}
			w.want(`"error":{"code":-32603,"message":"the task`)
			if took := time.Since(begun); took != 10*time.Second {
				t.Errorf("%s: the answer took %v, want 10s", method, took)
			}
		})
	}
}

// TestStoreHangsForMany: requests that wait for a hanging store count towards MaxCallsInFlight, use a limited number of
// goroutines, and delay other messages only once.
func TestStoreHangsForMany(t *testing.T) { // not parallel: counts goroutines
	const requests, most = 10_000, 100
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		store.set("Get", untilDone)
		srv := taskServer(t, brief(t))
		srv.Tasks, srv.Limits = tasks.New(store), runtime.Limits{MaxCallsInFlight: most}
		w, f := stream(t, srv)
		before, begun := goruntime.NumGoroutine(), time.Now()
		go func() {
			for i := range requests {
				f.messages <- tasked(fmt.Sprint(i), "tasks/get", `,"taskId":"x"`)
			}
			f.messages <- legacy(`"ping"`, "ping", "")
		}()
		busy, next := 0, w.next()
		for ; strings.Contains(next, "the server is busy: at most 100 calls are in flight at once"); next = w.next() {
			busy++
		}
		if busy != requests-most || !strings.Contains(next, `"id":"ping"`) {
			t.Fatalf("got %d busy answers, want %d; then %s", busy, requests-most, next)
		}
		if waited := time.Since(begun); waited > 3*time.Millisecond {
			t.Errorf("the ping was answered after %v, want at most 3ms", waited)
		}
		if got := goruntime.NumGoroutine() - before; got > 2*most+10 {
			t.Errorf("got %d goroutines, want at most %d", got, 2*most+10)
		}
		if got := store.calls.Load(); got != most {
			t.Errorf("got %d calls of the store, want %d", got, most)
		}
		for range most {
			w.want("the task cannot be looked up")
		}
		synctest.Wait()
		store.set("Get", nil)
		f.messages <- tasked("1", "tasks/get", `,"taskId":"x"`)
		w.want(`"id":1,`, "unknown or expired task") // all slots are free
	})
}

// TestStoreHangsForOneCaller: a caller whose requests hang uses up only its own limit.
func TestStoreHangsForOneCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		store.set("Get", untilDone)
		srv := taskServer(t, brief(t))
		srv.Tasks, srv.Limits = tasks.New(store), runtime.Limits{MaxCallsInFlight: 16}
		w := open(t, srv)
		get := func(id int, caller string) {
			w.session.Serve(access(srv, tasked(fmt.Sprint(id), "tasks/get", `,"taskId":"x"`), caller), nil)
		}
		for i := range 4 {
			get(i, "ann")
		}
		get(4, "ann")
		w.want(`"id":4`, "too many calls of this caller are in flight: at most 4 at once")
		get(5, "bob")
		w.quiet()
		time.Sleep(11 * time.Second)
		for range 5 {
			w.want("the task cannot be looked up")
		}
	})
}

// TestStoreHangsWhenSessionEnds: a request that waits for a hanging store ends soon after its session.
func TestStoreHangsWhenSessionEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		w, f, srv, id, _ := twoTasks(t, store)
		store.set("Get", untilDone)
		f.messages <- tasked("7", "tasks/get", `,"taskId":"`+id+`"`)
		time.Sleep(time.Second)
		f.messages <- tasked("8", "tasks/get", `,"taskId":"`+id+`"`)
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := time.Now()
		if err := w.session.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close = %v, want context.DeadlineExceeded", err)
		}
		if took := time.Since(begun); took < time.Second || took > 1200*time.Millisecond {
			t.Errorf("Close took %v, want 1s to 1.2s", took)
		}
		w.want(`"error":{"code":-32603,"message":"the server is shutting down"`)
		w.want(`"error":{"code":-32603,"message":"the server is shutting down"`)
		if err := srv.Shutdown(ctx); err == nil {
			t.Error("Shutdown = nil, want an error about the running tasks")
		}
		time.Sleep(2 * time.Minute)
		w.quiet()
	})
}

// TestStoreHangsWhenClientLeaves: Close does not wait for the store after the client has disconnected.
func TestStoreHangsWhenClientLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		store.set("Get", untilDone)
		srv := taskServer(t, brief(t))
		srv.Tasks = tasks.New(store)
		ctx, disconnect := context.WithCancelCause(t.Context())
		w := &wire{t: t, out: make(chan string, 10)}
		w.session = srv.Open(ctx, w)
		w.handshake("2025-11-25")
		f := &feed{messages: make(chan string, 2), err: io.EOF}
		f.messages <- tasked("1", "tasks/get", `,"taskId":"x"`)
		f.messages <- tasked("2", "tasks/get", `,"taskId":"x"`)
		close(f.messages)
		if err := w.session.ReceiveFrom(f); err != nil { // does not wait for the store
			t.Error(err)
		}
		begun := time.Now()
		disconnect(runtime.ErrDisconnected)
		if err := w.session.Close(context.Background()); !errors.Is(err, runtime.ErrDisconnected) {
			t.Errorf("Close = %v, want ErrDisconnected", err)
		}
		if took := time.Since(begun); took > 0 {
			t.Errorf("Close took %v, want 0", took)
		}
	})
}

// TestStoreHangsBesideCalls: a request that waits for a hanging store does not count towards MaxConcurrentCalls.
func TestStoreHangsBesideCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		srv := taskServer(t, brief(t), tool(t, "nap", nap))
		srv.Tasks, srv.Limits = tasks.New(store), runtime.Limits{MaxConcurrentCalls: 1}
		w, f := stream(t, srv)
		for range 3 {
			store.set("Get", func(context.Context) { time.Sleep(250 * time.Millisecond) })
			begun := time.Now()
			f.messages <- tasked("1", "tasks/get", `,"taskId":"x"`)
			f.messages <- tasked("2", "tasks/get", `,"taskId":"x"`)
			synctest.Wait()
			for i := range 6 {
				f.messages <- napCall(10+i, 100)
			}
			for range 8 {
				w.next()
			}
			if took := time.Since(begun); took < 500*time.Millisecond || took > 610*time.Millisecond {
				t.Errorf("six calls of 100 ms took %v, want 500ms to 610ms", took)
			}
			store.set("Get", nil)
			synctest.Wait()
			begun = time.Now()
			for i := range 6 {
				f.messages <- napCall(10+i, 100)
			}
			for range 6 {
				w.next()
			}
			if took := time.Since(begun); took != 600*time.Millisecond {
				t.Errorf("six calls afterwards took %v, want 600ms", took)
			}
		}
	})
}
