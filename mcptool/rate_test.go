package mcptool_test

import (
	"context"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

func TestRateLimit(t *testing.T) {
	t.Parallel()
	type plain struct {
		_ struct{} `mcp:"name=n"`
	}
	type perSecond struct {
		_ struct{} `mcp:"name=n,rateLimit=10/s"`
	}
	type spread struct {
		_ struct{} `mcp:"name=n,rateLimit=100/m burst=10"`
	}
	type odd struct {
		_ struct{} `mcp:"name=n,rateLimit=5/90s"`
	}
	rateOf := func(tool *mcptool.Tool) mcptool.Rate { return internals.Settings(tool).Rate }
	for _, test := range []struct {
		reason string
		got    mcptool.Rate
		want   mcptool.Rate
	}{
		{"none by default", rateOf(noop[plain](t)), mcptool.Rate{}},
		{"default burst", rateOf(noop[perSecond](t)), mcptool.Rate{Calls: 10, Per: time.Second, Burst: 10}},
		{"explicit burst", rateOf(noop[spread](t)), mcptool.Rate{Calls: 100, Per: time.Minute, Burst: 10}},
		{"any duration", rateOf(noop[odd](t)), mcptool.Rate{Calls: 5, Per: 90 * time.Second, Burst: 5}},
		{"default period", rateOf(noop[plain](t, mcptool.RateLimit(mcptool.Rate{Calls: 2}))), mcptool.Rate{Calls: 2, Per: time.Second, Burst: 2}},
		{
			"the same in tag and option", rateOf(noop[perSecond](t, mcptool.RateLimit(mcptool.Rate{Calls: 10, Per: time.Second}))),
			mcptool.Rate{Calls: 10, Per: time.Second, Burst: 10},
		},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.reason, test.got, test.want)
		}
	}
}

// noop returns a tool that does nothing, described by In and the options.
func noop[In any](t *testing.T, opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	return mustNew(t, func(context.Context, In) (None, error) { return None{}, nil }, opts...)
}

func TestLimitMistakes(t *testing.T) {
	t.Parallel()
	type plain struct {
		_ struct{} `mcp:"name=n"`
	}
	type noNumbers struct {
		_ struct{} `mcp:"name=n,timeout=soon,rateLimit=often,concurrent=few"`
	}
	type noValues struct {
		_ struct{} `mcp:"name=n,timeout,rateLimit,concurrent="`
	}
	type zeros struct {
		_ struct{} `mcp:"name=n,timeout=0s,rateLimit=0/s,concurrent=0"`
	}
	type zeroBurst struct {
		_ struct{} `mcp:"name=n,rateLimit=5/s burst=0"`
	}
	type zeroTime struct {
		_ struct{} `mcp:"name=n,rateLimit=5/0s"`
	}
	type limited struct {
		_ struct{} `mcp:"name=n,timeout=30s,rateLimit=100/m burst=10,concurrent=4"`
	}
	for _, test := range []struct {
		reason string
		got    *mcptool.RegisterError
		want   []string
	}{
		{"invalid values", refusedBy[noNumbers](t), []string{
			`timeout is "soon"; write a number and a unit of h, m, s or ms: timeout=30s`,
			`rateLimit is "often"; write a number of calls per s, m or h: rateLimit=10/s, or rateLimit=100/m burst=10`,
			`concurrent is "few"; write how many calls may run at once: concurrent=4`,
		}},
		{"empty values", refusedBy[noValues](t), []string{"timeout has no value; write timeout=…", "rateLimit has no value; write rateLimit=…", `concurrent is ""`}},
		{"zero limits", refusedBy[zeros](t), []string{
			"the mcp tag sets 0s; set more than zero", "the mcp tag sets 0/s, which allows no calls", "the mcp tag sets 0; at least one call must be able to run",
		}},
		{"zero burst", refusedBy[zeroBurst](t), []string{`rateLimit is "5/s burst=0", but a burst of 0 allows no calls; write how many calls may come at once, 1 or more, or leave burst out for 5`}},
		{"zero period", refusedBy[zeroTime](t), []string{`rateLimit is "5/0s"`}},
		{
			"options below zero", refusedBy[plain](t, mcptool.Timeout(-time.Second), mcptool.RateLimit(mcptool.Rate{Calls: 1, Per: -1}), mcptool.Concurrent(-1)),
			[]string{"the option Timeout sets -1s", "the option RateLimit sets 1/-1ns, which allows no calls", "the option Concurrent sets -1"},
		},
		{"rate too high", refusedBy[plain](t, mcptool.RateLimit(mcptool.Rate{Calls: 1 << 40})), []string{"which is too high for a limit"}},
		{
			"options that contradict the tag", refusedBy[limited](t, mcptool.Timeout(time.Second), mcptool.RateLimit(mcptool.Rate{Calls: 100}), mcptool.Concurrent(5)),
			[]string{"the mcp tag sets 30s, and the option Timeout sets 1s", "the mcp tag sets 100/m burst=10, and the option RateLimit sets 100/s", "the mcp tag sets 4, and the option Concurrent sets 5"},
		},
	} {
		t.Run(test.reason, func(t *testing.T) { wantMistakes(t, test.got, test.want...) })
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	type limited struct {
		_ struct{} `mcp:"name=n,concurrent=4"`
	}
	if got := internals.Settings(noop[limited](t, mcptool.Concurrent(4))).Concurrent; got != 4 {
		t.Errorf("got %d, want 4", got)
	}
	if got := internals.Settings(noop[None](t, mcptool.Name("n"))).Concurrent; got != 0 {
		t.Errorf("got %d, want none by default", got)
	}
}
