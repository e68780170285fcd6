package runtime_test

import (
	"context"
	"encoding/json"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestInFlight: MaxCallsInFlight applies to all sessions and endpoints of a server together, and a call that ends in any
// way is no longer counted.
func TestInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const busy = "the server is busy: at most 4 calls are in flight at once; call again later"
		b := &blocker{release: make(chan struct{})}
		srv := serve(t, tool(t, "block", b.call), tool(t, "echo", echo), tool(t, "late", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			time.Sleep(time.Minute)
			return &mcptool.Result{}, nil
		}, mcptool.Timeout(time.Second)), tool(t, "panic", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			panic("on purpose")
		}), tool(t, "goexit", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			goruntime.Goexit()
			return nil, nil
		}))
		srv.Limits = runtime.Limits{MaxCallsInFlight: 4, MaxConcurrentCalls: 1}
		srv.Methods = []runtime.Method{{Name: "acme/x", Handle: func(context.Context, json.RawMessage) (any, error) { return nil, nil }}}
		one, other := open(t, srv), open(t, srv)
		one.handshake("2025-11-25")
		other.handshake("2025-11-25")
		endpoint := srv.Endpoint(t.Context())
		ask := func(name string) *recorder {
			x := newRecorder()
			go endpoint.Answer(t.Context(), srv.Read([]byte(modern("1", "tools/call", `,"name":"`+name+`"`))), x)
			return x
		}
		for range 3 { // the count stays right from round to round
			held := ask("block")
			other.send(callOf(1))
			one.send(callOf(1), callOf(2)) // the second one waits
			synctest.Wait()
			one.send(callOf(3))
			one.want(`"id":3`, busy, `"isError":true`)
			other.send(legacy("3", "tools/call", `"name":"echo"`), legacy("4", "acme/x", ""), legacy("5", "ping", ""))
			other.want(`"id":3`, busy)
			other.want(`"id":4`, `"error":{"code":-32603`, busy)
			other.want(`"id":5`, `"result":{}`)
			x := ask("echo")
			if <-x.done; !strings.Contains(x.last, busy) {
				t.Errorf("endpoint: got %s, want busy", x.last)
			}

			one.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
			synctest.Wait()
			for _, name := range []string{"echo", "late", "panic", "goexit", "echo"} {
				x := ask(name)
				if <-x.done; strings.Contains(x.last, busy) {
					t.Errorf("the call of %s was rejected as busy", name)
				}
				time.Sleep(time.Hour) // until the tool that ignores its timeout has returned
			}
			close(b.release)
			<-held.done
			one.want(`"id":1`)
			other.want(`"id":1`)
			synctest.Wait()
			for _, name := range []string{"late", "panic", "goexit", "echo", "echo", "echo"} { // the last ones run in the goroutine that reads
				one.send(legacy("9", "tools/call", `"name":"`+name+`"`))
				one.want(`"id":9`)
				time.Sleep(time.Hour)
			}
			b.release = make(chan struct{})
		}
		one.quiet()
		other.quiet()
	})
}

// TestInFlightOfReader is like TestInFlight for calls that run in the goroutine that reads, one of which is slow.
func TestInFlightOfReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "nap", nap))
		srv.Limits = runtime.Limits{MaxCallsInFlight: 1}
		w, f := stream(t, srv)
		for range 3 {
			for range 10 { // enough for the tool to count as fast again
				w.trust(f, napCall(1, 0))
			}
			f.messages <- napCall(2, 60_000)
			synctest.Wait()
			time.Sleep(time.Second) // another goroutine reads now
			f.messages <- napCall(3, 0)
			w.want(`"id":3`, "the server is busy")
			time.Sleep(time.Minute)
			w.want(`"id":2`)
			synctest.Wait()
		}
		w.quiet()
	})
}
