package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// counted returns a tool that counts its runs.
func counted(t *testing.T, runs *atomic.Int64, opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	return tool(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		runs.Add(1)
		return &mcptool.Result{}, nil
	}, opts...)
}

// TestRateLimit: the error of a call beyond the rate has the time until the next call, which then succeeds.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		rate mcptool.Rate
		// Time from the previous call to each call.
		calls []time.Duration
		want  []string
	}{
		{
			"T-SEC-03 burst",
			mcptool.Rate{Calls: 2, Per: time.Minute},
			[]time.Duration{0, 0, 0, 29 * time.Second, time.Second, 0},
			[]string{"", "", "2 times per minute by one caller; call it again in 30s", "again in 1s", "", "again in 30s"},
		},
		{
			"T-SEC-03 small burst",
			mcptool.Rate{Calls: 60, Per: time.Minute, Burst: 1},
			[]time.Duration{0, 0, time.Second, 500 * time.Millisecond, 500 * time.Millisecond},
			[]string{"", "60 times per minute by one caller; call it again in 1s", "", "again in 1s", ""},
		},
		{
			"rejected calls do not count",
			mcptool.Rate{Calls: 1, Per: time.Hour},
			[]time.Duration{0, 30 * time.Minute, 29 * time.Minute, time.Minute},
			[]string{"", "once per hour by one caller; call it again in 30m0s", "again in 1m0s", ""},
		},
		{
			"unusual duration",
			mcptool.Rate{Calls: 3, Per: 90 * time.Second, Burst: 1},
			[]time.Duration{0, 0},
			[]string{"", "3 times per 1m30s by one caller; call it again in 30s"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var runs atomic.Int64
				served := int64(0)
				w := open(t, serve(t, counted(t, &runs, mcptool.RateLimit(test.rate))))
				w.handshake("2025-11-25")
				for i, pause := range test.calls {
					time.Sleep(pause)
					w.send(legacy(fmt.Sprint(i), "tools/call", `"name":"x"`))
					if test.want[i] == "" {
						served++
						w.want(`"content":[]`)
						continue
					}
					w.want("too many calls", test.want[i], `"isError":true`)
				}
				synctest.Wait()
				if runs.Load() != served {
					t.Errorf("the tool ran %d times, want %d", runs.Load(), served)
				}
			})
		})
	}
}

// TestRateLimitCallers: the rate applies to each principal, to each address of
// unauthenticated callers, and to each connection of a trusted peer.
func TestRateLimitCallers(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	srv := serve(t, counted(t, &runs, mcptool.RateLimit(mcptool.Rate{Calls: 1, Per: time.Hour})))
	endpoint := srv.Endpoint(t.Context())
	trusted := func() func(access *runtime.Access) string {
		w := open(t, srv)
		w.handshake("2025-11-25")
		return func(access *runtime.Access) string {
			m := srv.Read([]byte(legacy("1", "tools/call", `"name":"x"`)))
			m.Access = (*engine.Access)(access)
			w.session.Serve(m, nil)
			for {
				// A change of the tools is notified at any time, also before the answer.
				if msg := w.next(); strings.Contains(msg, `"id":1`) {
					return msg
				}
			}
		}
	}
	alone := func(access *runtime.Access) string {
		m := srv.Read([]byte(modern("1", "tools/call", `,"name":"x"`)))
		m.Access = (*engine.Access)(access)
		x := newRecorder()
		endpoint.Answer(t.Context(), m, x)
		<-x.done
		return x.last
	}
	from := func(address string) *runtime.Access { return &runtime.Access{Address: netip.MustParseAddr(address)} }
	one, other := trusted(), trusted()
	for _, test := range []struct {
		name   string
		answer string
		served bool
	}{
		{"first connection", one(nil), true},
		{"same connection again", one(nil), false},
		{"second connection", other(nil), true},
		{"ann in a session", one(&runtime.Access{Principal: "ann"}), true},
		{"ann in another session", other(&runtime.Access{Principal: "ann"}), false},
		{"ann without a session", alone(&runtime.Access{Principal: "ann"}), false},
		{"bob", alone(&runtime.Access{Principal: "bob"}), true},
		{"unauthenticated", alone(&runtime.Access{}), true},
		{"unauthenticated in a session", one(&runtime.Access{}), false},
		{"address", alone(from("192.0.2.1")), true},
		{"same address in a session", other(from("192.0.2.1")), false},
		{"other address", one(from("192.0.2.2")), true},
		{"IPv6 network", alone(from("2001:db8::1")), true},
		{"other address of that network", alone(from("2001:db8::2")), false},
		{"trusted without a session", alone(nil), true},
		{"trusted without a session again", alone(nil), false},
	} {
		if served := !strings.Contains(test.answer, "too many calls"); served != test.served {
			t.Errorf("%s: served = %t, want %t: %s", test.name, served, test.served, test.answer)
		}
	}
	if err := srv.Tools.Replace(tool(t, "y", echo)); err != nil {
		t.Fatal(err)
	}
	if got := one(nil); !strings.Contains(got, "too many calls") {
		t.Errorf("after a change of the tools: got %s, want too many calls", got)
	}
}

// TestRateLimitOrder: calls rejected before the rate limit do not count; schemas are checked after it.
func TestRateLimitOrder(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	srv := serve(t, counted(t, &runs, mcptool.Scopes("use"), mcptool.RateLimit(mcptool.Rate{Calls: 1, Per: time.Hour})))
	w := open(t, srv)
	w.handshake("2025-11-25")
	call := func(access *runtime.Access, args, want string) {
		t.Helper()
		m := srv.Read([]byte(legacy("1", "tools/call", `"name":"x"`+args)))
		m.Access = (*engine.Access)(access)
		w.session.Serve(m, nil)
		w.want(want)
	}
	ann := &runtime.Access{Principal: "ann", Scopes: []string{"use"}}
	call(&runtime.Access{Principal: "ann"}, "", "unknown tool")
	call(ann, `,"arguments":[1]`, "params.arguments must be an object")
	call(ann, "", `"content":[]`)
	call(ann, "", "too many calls")
}
