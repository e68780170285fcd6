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
)

// inputs is the answer of a client to a task that has asked nothing yet; the task changes if it has asked.
const inputs = `,"inputResponses":{"confirm_0":{"action":"accept","content":{}}}`

// TestStoreHangs: while the store hangs, the session reads on. The request that needs the store is answered after the
// time limit.
func TestStoreHangs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, hangs, method, params string
		legacy                      bool
	}{
		{"get", "Get", "tasks/get", "", false},
		{"legacy get", "Get", "tasks/get", "", true},
		{"cancel", "Get", "tasks/cancel", "", false},
		{"cancel, changing", "Update", "tasks/cancel", "", false},
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
					t.Errorf("the ping waited %v", waited)
				}
				w.want(`"id":7,"error":{"code":-32603,"message":"the task cannot be looked up; try again later"`)
				if took := time.Since(begun); took != 10*time.Second {
					t.Errorf("the request took %v", took)
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
			send(request) // each exchange of its own
			if method == "Get" {
				w.send(legacy("6", "tasks/get", `"taskId":"x"`))
			}
			w.send(legacy("7", "ping", ""))
			w.want(`"id":7`)
			if waited := time.Since(begun); waited > 3*time.Millisecond {
				t.Errorf("%s: the ping waited %v", method, waited)
			}
			w.want(`"error":{"code":-32603,"message":"the task`)
			if took := time.Since(begun); took != 10*time.Second {
				t.Errorf("%s: the answer took %v", method, took)
			}
		})
	}
}

// TestStoreHangsForMany: requests whose store hangs are limited like calls, hold a bounded number of goroutines, and
// delay others once, not each in turn.
func TestStoreHangsForMany(t *testing.T) { // not parallel: it counts goroutines
	const requests, most = 10_000, 100
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		store.set("Get", untilDone)
		srv := taskServer(t, brief(t))
		srv.Tasks, srv.Limits = store, runtime.Limits{MaxCallsInFlight: most}
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
			t.Fatalf("%d are answered that the server is busy; then %s", busy, next)
		}
		if waited := time.Since(begun); waited > 3*time.Millisecond {
			t.Errorf("the ping waited %v", waited)
		}
		if got := goruntime.NumGoroutine() - before; got > 2*most+10 {
			t.Errorf("%d goroutines", got)
		}
		if got := store.calls.Load(); got != most {
			t.Errorf("%d calls of the store", got)
		}
		for range most {
			w.want("the task cannot be looked up")
		}
		synctest.Wait()
		store.set("Get", nil)
		f.messages <- tasked("1", "tasks/get", `,"taskId":"x"`)
		w.want(`"id":1,`, "unknown or expired task") // all is given back
	})
}

// TestStoreHangsForOneCaller: a caller whose requests hang uses up its share only.
func TestStoreHangsForOneCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		store.set("Get", untilDone)
		srv := taskServer(t, brief(t))
		srv.Tasks, srv.Limits = store, runtime.Limits{MaxCallsInFlight: 16}
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

// TestStoreHangsWhenSessionEnds: whatever ends a session, a request whose store hangs does not outlive it for long.
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
			t.Errorf("Close returned %v", err)
		}
		if took := time.Since(begun); took < time.Second || took > 1200*time.Millisecond {
			t.Errorf("Close took %v", took)
		}
		w.want(`"error":{"code":-32603,"message":"the server is shutting down"`)
		w.want(`"error":{"code":-32603,"message":"the server is shutting down"`)
		if err := srv.Shutdown(ctx); err == nil {
			t.Error("Shutdown returned nil; the tasks were running")
		}
		time.Sleep(2 * time.Minute)
		w.quiet()
	})
}

// TestStoreHangsWhenClientLeaves: the store is not waited for when the client has disconnected.
func TestStoreHangsWhenClientLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		store.set("Get", untilDone)
		srv := taskServer(t, brief(t))
		srv.Tasks = store
		ctx, disconnect := context.WithCancelCause(t.Context())
		w := &wire{t: t, out: make(chan string, 10)}
		w.session = srv.Open(ctx, w)
		w.handshake("2025-11-25")
		f := &feed{messages: make(chan string, 2), err: io.EOF}
		f.messages <- tasked("1", "tasks/get", `,"taskId":"x"`)
		f.messages <- tasked("2", "tasks/get", `,"taskId":"x"`)
		close(f.messages)
		if err := w.session.ReceiveFrom(f); err != nil { // it does not wait for the store either
			t.Error(err)
		}
		begun := time.Now()
		disconnect(runtime.ErrDisconnected)
		if err := w.session.Close(context.Background()); !errors.Is(err, runtime.ErrDisconnected) {
			t.Errorf("Close returned %v", err)
		}
		if took := time.Since(begun); took > 0 {
			t.Errorf("Close took %v", took)
		}
	})
}

// TestStoreHangsBesideCalls: a request whose store hangs takes no place of a running call, and none remains taken.
func TestStoreHangsBesideCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		srv := taskServer(t, brief(t), tool(t, "nap", nap))
		srv.Tasks, srv.Limits = store, runtime.Limits{MaxConcurrentCalls: 1}
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
				t.Errorf("six calls of 100 ms, one at a time, took %v", took)
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
				t.Errorf("afterwards they took %v", took)
			}
		}
	})
}
