package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// answerAs sends a call of a caller to an endpoint; "" is a trusted peer.
func answerAs(ctx context.Context, srv *runtime.Server, e runtime.Endpoint, caller, id, tool string) *recorder {
	x := newRecorder()
	m := srv.Read([]byte(modern(id, "tools/call", `,"name":"`+tool+`"`)))
	if caller != "" {
		m.Access = (*engine.Access)(&runtime.Access{Principal: caller})
	}
	go e.Answer(ctx, m, x)
	synctest.Wait()
	return x
}

// TestShareOfCalls: the limit of calls in flight per caller leaves room for other callers, with and without sessions.
func TestShareOfCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const full = "too many calls of this caller are in flight: at most 2 at once; call again when one has ended"
		b := &blocker{release: make(chan struct{})}
		srv := serve(t, tool(t, "block", b.call), tool(t, "echo", echo))
		srv.Limits = runtime.Limits{MaxCallsInFlight: 8} // a quarter per caller
		endpoint := srv.Endpoint(t.Context())
		held := []*recorder{answerAs(t.Context(), srv, endpoint, "ann", "1", "block"), answerAs(t.Context(), srv, endpoint, "ann", "2", "block")}
		if x := answerAs(t.Context(), srv, endpoint, "ann", "3", "echo"); !strings.Contains(x.last, full) || !strings.Contains(x.last, `"isError":true`) {
			t.Errorf("call beyond the limit: got %s", x.last)
		}
		w := open(t, srv)
		w.handshake("2025-11-25")
		for _, call := range []struct{ caller, want string }{{"ann", full}, {"bob", `"id":7,"result"`}} {
			m := srv.Read([]byte(legacy("7", "tools/call", `"name":"echo"`)))
			m.Access = (*engine.Access)(&runtime.Access{Principal: call.caller})
			w.session.Serve(m, nil)
			w.want(call.want)
		}
		for _, caller := range []string{"bob", ""} {
			if x := answerAs(t.Context(), srv, endpoint, caller, "4", "echo"); !strings.Contains(x.last, `"id":4,"result"`) || strings.Contains(x.last, "isError") {
				t.Errorf("call of %q: got %s", caller, x.last)
			}
		}
		for i := range 6 { // no limit for a trusted peer
			held = append(held, answerAs(t.Context(), srv, endpoint, "", fmt.Sprint(i+10), "block"))
		}
		if x := answerAs(t.Context(), srv, endpoint, "bob", "5", "echo"); !strings.Contains(x.last, "the server is busy: at most 8 calls") {
			t.Errorf("call at a full server: got %s", x.last)
		}
		close(b.release)
		for _, x := range held {
			if <-x.done; strings.Contains(x.last, "isError") {
				t.Errorf("call in flight: got %s", x.last)
			}
		}
		if x := answerAs(t.Context(), srv, endpoint, "ann", "6", "echo"); strings.Contains(x.last, "isError") {
			t.Errorf("call after the others have ended: got %s", x.last)
		}
	})
}

// TestCallersTakeTurns: the queue of a tool is fair: a caller with many calls delays other callers by one call.
func TestCallersTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var order []string
		srv := serve(t, slowly(t, &order, mcptool.Concurrent(1)))
		endpoint := srv.Endpoint(t.Context())
		var all []*recorder
		for i, caller := range []string{"ann", "ann", "ann", "ann", "bob", "bob", "cat"} {
			all = append(all, answerAs(t.Context(), srv, endpoint, caller, fmt.Sprint(i+1), "slow"))
			time.Sleep(time.Millisecond)
		}
		for _, x := range all {
			<-x.done
		}
		if got, want := fmt.Sprint(order), "[1 2 5 7 3 6 4]"; got != want {
			t.Errorf("order = %s, want %s", got, want)
		}
	})
}

// TestShareOfWaiting: a caller may use only a part of the queue of a tool.
func TestShareOfWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var order []string
		srv := serve(t, slowly(t, &order, mcptool.Concurrent(1)))
		runtime.Fixed(srv).MaxWaitingCalls = 4
		endpoint := srv.Endpoint(t.Context())
		var all []*recorder
		for i, caller := range []string{"ann", "ann", "ann", "bob"} {
			all = append(all, answerAs(t.Context(), srv, endpoint, caller, fmt.Sprint(i+1), "slow"))
		}
		for i, x := range all {
			if <-x.done; strings.Contains(x.last, "the tool is busy") != (i == 2) {
				t.Errorf("call %d: got %s", i+1, x.last)
			}
		}
	})
}

// TestQuickCallBesideTheWorst: while one caller uses all calls, tasks and bytes that it can get, a fast call of another
// caller is answered at once.
func TestQuickCallBesideTheWorst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &blocker{release: make(chan struct{})}
		defer close(b.release)
		srv := serve(t, tool(t, "block", b.call), tool(t, "echo", echo), tool(t, "task", anHour, mcptool.Task(mcptool.TaskSupportOptional)))
		endpoint := srv.Endpoint(t.Context())
		limits := srv.Limits.Resolved()
		mallory := &runtime.Access{Principal: "mallory"}
		for i := range limits.MaxCallsInFlight { // four times the limit per caller
			x := newRecorder()
			m := srv.Read([]byte(modern(fmt.Sprint(i), "tools/call", `,"name":"`+[]string{"block", "task"}[i%2]+`"`)))
			m.Access = (*engine.Access)(mallory)
			go endpoint.Answer(t.Context(), m, x)
		}
		for {
			if _, err := srv.Reserve(mallory, limits.MaxMessageBytes); err != nil {
				break
			}
		}
		synctest.Wait()
		began := time.Now()
		if _, err := srv.Reserve(&runtime.Access{Principal: "ann"}, limits.MaxMessageBytes); err != nil {
			t.Error(err)
		}
		if x := answerAs(t.Context(), srv, endpoint, "ann", "1", "echo"); !strings.Contains(x.last, `"resultType"`) || strings.Contains(x.last, "isError") {
			t.Errorf("got %s, want a result", x.last)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("answered after %v, want 0", took)
		}
	})
}

// uncounted is the number of bytes of a reservation that are not counted.
const uncounted = 4 << 10

// TestReservation: the memory reserved for a message is released once, when all of its calls have ended, however they
// end.
func TestReservation(t *testing.T) {
	t.Parallel()
	const size, share = 100 << 10, 250 << 10
	for _, test := range []struct {
		name, method, params string
		until                time.Duration // time until the release
	}{
		{"fast call", "tools/call", `,"name":"echo"`, 0},
		{"unknown tool", "tools/call", `,"name":"nope"`, 0},
		{"not a call", "tools/list", "", 0},
		{"slow call", "tools/call", `,"name":"slow"`, time.Minute},
		{"panic", "tools/call", `,"name":"panic"`, 0},
		{"runtime.Goexit", "tools/call", `,"name":"goexit"`, 0},
		{"timeout", "tools/call", `,"name":"late"`, time.Minute}, // answered earlier
		{"task", "tools/call", `,"name":"task"`, time.Minute},
		{"method", "acme/x", "", time.Minute},
	} {
		for _, inSession := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in a session %v", test.name, inSession), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					srv := reservingServer(t)
					srv.Limits = runtime.Limits{MaxMemoryBytes: 4 * share}
					ann := &runtime.Access{Principal: "ann"}
					text := modern("1", test.method, test.params)
					if strings.Contains(test.name, "task") {
						text = strings.Replace(text, `"io.modelcontextprotocol/clientCapabilities":{`, `"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}`, 1)
					}
					m := srv.Read([]byte(text))
					reserved, err := srv.Reserve(ann, size)
					if err != nil {
						t.Fatal(err)
					}
					m.Access, m.Memory = (*engine.Access)(ann), reserved
					x := newRecorder()
					began := time.Now()
					if inSession {
						m.Stateless = true
						open(t, srv).session.Serve(m, x)
					} else {
						go func() {
							srv.Endpoint(t.Context()).Answer(t.Context(), m, x)
						}()
					}
					synctest.Wait()
					reserved.Release()
					for {
						synctest.Wait()
						if all, err := srv.Reserve(ann, uncounted+share); err == nil {
							all.Release()
							break
						}
						time.Sleep(time.Second)
					}
					if took := time.Since(began); took != test.until {
						t.Errorf("released after %v, want %v", took, test.until)
					}
					if _, err := srv.Reserve(ann, uncounted+share+1); err == nil {
						t.Error("more memory was released than reserved")
					}
					<-x.done
				})
			})
		}
	}
}

// reservingServer returns a server with tools and a method whose calls end in different ways.
func reservingServer(t *testing.T) *runtime.Server {
	t.Helper()
	minute := func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		time.Sleep(time.Minute)
		return &mcptool.Result{}, nil
	}
	srv := serve(t, tool(t, "echo", echo), tool(t, "slow", minute), tool(t, "late", minute, mcptool.Timeout(time.Second)), tool(t, "task", minute, mcptool.Task(mcptool.TaskSupportOptional)),
		tool(t, "panic", func(context.Context, json.RawMessage) (*mcptool.Result, error) { panic("on purpose") }),
		tool(t, "goexit", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			goruntime.Goexit()
			return nil, nil
		}))
	srv.Methods = []runtime.Method{{Name: "acme/x", Handle: func(context.Context, json.RawMessage) (any, error) {
		time.Sleep(time.Minute)
		return nil, nil
	}}}
	return srv
}

// TestReservationOfCancelled: cancelled calls in the queue, and the calls of a batch, keep the reservation of their
// message until the last of them has ended.
func TestReservationOfCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := reservingServer(t)
		srv.Limits = runtime.Limits{MaxMemoryBytes: 1000, MaxConcurrentCalls: 1}
		ann := &runtime.Access{Principal: "ann"}
		w := open(t, srv)
		w.handshake("2025-03-26")
		serve := func(text string) *runtime.Reservation {
			m := srv.Read([]byte(text))
			reserved, err := srv.Reserve(ann, uncounted+125)
			if err != nil {
				t.Fatal(err)
			}
			m.Access, m.Memory = (*engine.Access)(ann), reserved
			w.session.Serve(m, nil)
			reserved.Release()
			return reserved
		}
		isFree := func(bytes int) bool {
			synctest.Wait()
			r, err := srv.Reserve(ann, uncounted+bytes)
			r.Release()
			return err == nil
		}
		slow := func(id string) string { return legacy(id, "tools/call", `"name":"slow"`) }
		serve("[" + slow("1") + "," + slow("2") + "]")
		serve(slow("3"))
		if isFree(1) {
			t.Error("queued calls have no reservation")
		}
		w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
		if !isFree(125) || isFree(126) {
			t.Error("want only the reservation of the cancelled call released")
		}
		time.Sleep(time.Minute) // the first call of the batch has ended
		if isFree(126) {
			t.Error("the second call of the batch has no reservation")
		}
		time.Sleep(time.Minute)
		if !isFree(250) {
			t.Error("not all memory was released at the end")
		}
	})
}

// TestShareOfTaskWaits: requests that wait for tasks, in all sessions of a caller, count as calls in flight, and so do the
// tasks in its subscriptions until they have ended.
func TestShareOfTaskWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const full = "too many calls of this caller are in flight: at most 4 at once"
		srv := taskServer(t, tool(t, "task", anHour, mcptool.Task(mcptool.TaskSupportOptional)), tool(t, "echo", echo))
		srv.Limits = runtime.Limits{MaxCallsInFlight: 16} // a quarter per caller
		endpoint := srv.Endpoint(t.Context())
		as := func(w *wire, caller, msg string) {
			m := srv.Read([]byte(msg))
			m.Access = (*engine.Access)(&runtime.Access{Principal: caller})
			w.session.Serve(m, nil)
			synctest.Wait() // requests about tasks run in their own goroutines
		}
		begin := func(caller string) (w *wire, id string) {
			w = open(t, srv)
			w.handshake("2025-11-25")
			as(w, caller, legacy("1", "tools/call", `"name":"task","task":{}`))
			id, _ = taskOf(t, w.next())
			return w, id
		}
		result := func(id, task string) string { return legacy(id, "tasks/result", `"taskId":"`+task+`"`) }
		var waits []*wire
		for range 3 {
			w, id := begin("ann")
			as(w, "ann", result("2", id))
			waits = append(waits, w)
		}
		// A subscription to two tasks needs two slots, and one is free.
		listener := open(t, srv)
		ids := [2]string{}
		for i := range ids {
			as(listener, "ann", tasked(fmt.Sprint(i), "tools/call", `,"name":"task"`))
			ids[i], _ = taskOf(t, listener.next())
		}
		listen := tasked("9", "subscriptions/listen", `,"notifications":{"taskIds":["`+ids[0]+`","`+ids[1]+`"]}`)
		as(listener, "ann", listen)
		listener.want(full, `"id":9,"error"`)
		w, id := begin("ann")
		as(w, "ann", result("2", id))
		as(w, "ann", result("3", id))
		w.want(full, `"id":3,"error"`)
		if x := answerAs(t.Context(), srv, endpoint, "ann", "5", "echo"); !strings.Contains(x.last, full) {
			t.Errorf("call beyond the limit: got %s", x.last)
		}
		other, id := begin("bob")
		as(other, "bob", result("2", id))
		as(other, "bob", legacy("3", "tools/call", `"name":"echo"`))
		other.want(`"id":3,"result"`)
		_ = waits[0].session.Close(t.Context())
		as(waits[1], "ann", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		synctest.Wait()
		as(listener, "ann", listen)
		listener.want("notifications/subscriptions/acknowledged", ids[0], ids[1])
		_ = listener.session.Close(t.Context())
		time.Sleep(2 * time.Hour) // the tasks end
		if x := answerAs(t.Context(), srv, endpoint, "ann", "6", "echo"); !strings.Contains(x.last, `"id":6,"result"`) {
			t.Errorf("call after the tasks have ended: got %s", x.last)
		}
	})
}
