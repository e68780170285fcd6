package runtime_test

import (
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

func TestLimitsResolved(t *testing.T) {
	t.Parallel()
	defaults := runtime.Limits{}.Resolved()
	if defaults.Resolved() != defaults {
		t.Error("resolving twice changes something")
	}
	negative := runtime.Limits{
		Message: -1, Depth: -1, Values: -1, Concurrent: -1, Stateless: -1, InFlight: -1, Memory: -1, PerCaller: runtime.CallerLimits{InFlight: -1, Stateless: -1, Waiting: -1, Memory: -1}, Queue: -1, QueueBytes: -1, Batch: -1, Listens: -1, Page: -1, Questions: -1, Answer: -1, State: -1, Output: -1, Text: -1,
		Call: -1, Waiting: -1,
		Tasks:            runtime.TaskLimits{Running: -1, PerPrincipal: -1, TTL: -1, MaxTTL: -1, PollInterval: -1, Delay: -1},
		ProgressInterval: -1, LogRate: -1, CloseGrace: -1,
	}
	if negative.Resolved() != defaults {
		t.Errorf("negative limits are %+v, want the defaults", negative.Resolved())
	}
	if defaults.Message != 16<<20 || defaults.Depth != 256 || defaults.Values != 500_000 || defaults.Concurrent != 128 {
		t.Errorf("the defaults are %+v", defaults)
	}
	own := runtime.Limits{
		Message: 1, Depth: 2, Values: 26, Concurrent: 3, Stateless: 13, InFlight: 20, Memory: 21, PerCaller: runtime.CallerLimits{InFlight: 22, Stateless: 23, Waiting: 24, Memory: 25}, Queue: 4, QueueBytes: 5, Batch: 6, Listens: 7, Page: 8, Questions: 12, Answer: time.Hour, State: 11, Output: 19, Text: 9,
		Call: time.Second, Waiting: 14,
		Tasks:            runtime.TaskLimits{Running: 13, PerPrincipal: 14, TTL: 15, MaxTTL: 16, PollInterval: 17, Delay: 18},
		ProgressInterval: time.Hour, LogRate: 10, CloseGrace: time.Minute,
	}
	if own.Resolved() != own {
		t.Errorf("%+v became %+v", own, own.Resolved())
	}
	if got := (runtime.Limits{InFlight: 100, Stateless: 3, Message: 1 << 30}).Resolved(); got.PerCaller.InFlight != 25 || got.PerCaller.Stateless != 1 || got.Memory != 32<<30 {
		t.Errorf("a caller's share of 100 calls is %d, of 3 it is %d; the memory for messages of 1 GiB is %d", got.PerCaller.InFlight, got.PerCaller.Stateless, got.Memory)
	}
	if got := (runtime.Limits{Depth: 1 << 20}).Resolved().Depth; got != 1024 {
		t.Errorf("depth %d, want what the scanner can do", got)
	}
}
