package runtime_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestCallRates: the rate limits of the server count the calls of all tools, prompts and resources together, for each
// caller and for all of them. The error of a refused call contains the time until the next one.
func TestCallRates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "a", echo), tool(t, "b", echo))
		addPrompt(t, srv, "p", func(context.Context, noArguments) (string, error) { return "ran", nil })
		srv.Limits.PerCaller.Rate = mcptool.Rate{Calls: 2, Per: time.Minute}
		srv.Limits.Rate = mcptool.Rate{Calls: 3, Per: time.Hour}
		const (
			each = "too many calls: one caller may call this server 2 times per minute; call again in 30s"
			all  = "too many calls: all callers together may call this server 3 times per hour; call again in 20m0s"
		)
		call := func(who *runtime.Access, method, name, want string) {
			t.Helper()
			got := string(ask(t, srv, who, &collector{}, method, `"name":"`+name+`",`))
			if !strings.Contains(got, want) || method == "tools/call" && strings.Contains(want, "too many") != strings.Contains(got, `"isError":true`) {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		}
		ada, bob := granted("ada", ""), granted("bob", "")
		call(ada, "tools/call", "a", `"result"`)
		call(ada, "tools/call", "b", `"result"`)
		for range 5 { // these do not count for all
			call(ada, "tools/call", "a", each)
		}
		call(ada, "prompts/get", "p", `"code":-32603,"message":"`+each)
		if got := string(ask(t, srv, ada, &collector{}, "tools/list", "")); !strings.Contains(got, `"name":"b"`) {
			t.Errorf("a list is not a call: %s", got)
		}
		call(bob, "prompts/get", "p", `"text":"ran"`)
		call(bob, "tools/call", "a", all)
		time.Sleep(20 * time.Minute)
		call(bob, "tools/call", "a", `"result"`)
	})
}

// TestCallRateOff checks that a rate without calls does not limit calls.
func TestCallRateOff(t *testing.T) {
	t.Parallel()
	for _, rate := range []mcptool.Rate{{}, {Per: time.Hour, Burst: 1}} {
		srv := serve(t, tool(t, "a", echo))
		srv.Limits.Rate, srv.Limits.PerCaller.Rate = rate, rate
		for range 3 {
			if got := string(ask(t, srv, nil, &collector{}, "tools/call", `"name":"a",`)); strings.Contains(got, "too many") {
				t.Errorf("%v: %s", rate, got)
			}
		}
	}
}

// TestCallRateDefaults: a rate without an interval is per second, and its burst is the number of calls.
func TestCallRateDefaults(t *testing.T) {
	t.Parallel()
	got := runtime.Limits{Rate: mcptool.Rate{Calls: 5}}.Resolved().Rate
	if want := (mcptool.Rate{Calls: 5, Per: time.Second, Burst: 5}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
