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

// counted is a tool that counts how often it runs.
func counted(t *testing.T, runs *atomic.Int64, opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	return tool(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		runs.Add(1)
		return &mcptool.Result{}, nil
	}, opts...)
}

// TestRateLimit: calls beyond the rate are answered with when to come back, and who does so is served.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		rate mcptool.Rate
		// calls are when each call comes after the one before.
		calls []time.Duration
		want  []string
	}{
		{
			"T-SEC-03 as many as there may be, then none",
			mcptool.Rate{Calls: 2, Per: time.Minute},
			[]time.Duration{0, 0, 0, 29 * time.Second, time.Second, 0},
			[]string{"", "", "2 times per minute by one caller; call it again in 30s", "again in 1s", "", "again in 30s"},
		},
		{
			"T-SEC-03 a small burst spreads them",
			mcptool.Rate{Calls: 60, Per: time.Minute, Burst: 1},
			[]time.Duration{0, 0, time.Second, 500 * time.Millisecond, 500 * time.Millisecond},
			[]string{"", "60 times per minute by one caller; call it again in 1s", "", "again in 1s", ""},
		},
		{
			"refused calls do not count",
			mcptool.Rate{Calls: 1, Per: time.Hour},
			[]time.Duration{0, 30 * time.Minute, 29 * time.Minute, time.Minute},
			[]string{"", "once per hour by one caller; call it again in 30m0s", "again in 1m0s", ""},
		},
		{
			"an odd time",
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

// TestRateLimitCallers: each principal has a rate of its own, whatever it calls from; so has each address of
// unauthenticated callers, and each connection of a trusted peer.
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
			return w.next()
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
		{"one connection", one(nil), true},
		{"the same again", one(nil), false},
		{"another", other(nil), true},
		{"ann in a session", one(&runtime.Access{Principal: "ann"}), true},
		{"ann in another", other(&runtime.Access{Principal: "ann"}), false},
		{"ann without one", alone(&runtime.Access{Principal: "ann"}), false},
		{"bob", alone(&runtime.Access{Principal: "bob"}), true},
		{"somebody", alone(&runtime.Access{}), true},
		{"somebody else, perhaps", one(&runtime.Access{}), false},
		{"somebody from an address", alone(from("192.0.2.1")), true},
		{"the same address in a session", other(from("192.0.2.1")), false},
		{"another address", one(from("192.0.2.2")), true},
		{"an IPv6 network", alone(from("2001:db8::1")), true},
		{"another address of that network", alone(from("2001:db8::2")), false},
		{"a trusted message without a session", alone(nil), true},
		{"another", alone(nil), false},
	} {
		if served := !strings.Contains(test.answer, "too many calls"); served != test.served {
			t.Errorf("%s: %s", test.name, test.answer)
		}
	}
	if err := srv.Tools.Replace(tool(t, "y", echo)); err != nil {
		t.Fatal(err)
	}
	if got := one(nil); !strings.Contains(got, "too many calls") {
		t.Errorf("after a change of the tools: %s", got)
	}
}

// TestRateLimitOrder: what is refused anyway does not count, and arguments are looked at after that.
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
