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
		t.Error("Resolved is not idempotent")
	}
	negative := runtime.Limits{
		MaxMessageBytes: -1, MaxConcurrentCalls: -1, MaxCallsInFlight: -1, MaxMemoryBytes: -1, PerCaller: runtime.CallerLimits{MaxCallsInFlight: -1, MaxMemoryBytes: -1}, MaxQueuedCalls: -1, MaxSubscriptions: -1, ToolsPerPage: -1, ClientRequestTimeout: -1, MaxResultBytes: -1,
		CallTimeout: -1,
		Tasks:       runtime.TaskLimits{MaxRunning: -1, MaxRunningPerCaller: -1, DefaultTTL: -1, MaxTTL: -1, PollInterval: -1, Delay: -1},
		CloseGrace:  -1,
	}
	if negative.Resolved() != defaults {
		t.Errorf("Resolved of negative limits = %+v, want the defaults", negative.Resolved())
	}
	if defaults.MaxMessageBytes != 16<<20 || defaults.MaxConcurrentCalls != 128 {
		t.Errorf("defaults = %+v", defaults)
	}
	own := runtime.Limits{
		MaxMessageBytes: 1, MaxConcurrentCalls: 3, MaxCallsInFlight: 20, MaxMemoryBytes: 21, PerCaller: runtime.CallerLimits{MaxCallsInFlight: 22, MaxMemoryBytes: 25}, MaxQueuedCalls: 4, MaxSubscriptions: 7, ToolsPerPage: 8, ClientRequestTimeout: time.Hour, MaxResultBytes: 19,
		CallTimeout: time.Second,
		Tasks:       runtime.TaskLimits{MaxRunning: 13, MaxRunningPerCaller: 14, DefaultTTL: 15, MaxTTL: 16, PollInterval: 17, MaxAttempts: 27, Delay: 18},
		CloseGrace:  time.Minute,
	}
	if own.Resolved() != own {
		t.Errorf("Resolved of %+v = %+v, want no change", own, own.Resolved())
	}
	if got := (runtime.Limits{MaxCallsInFlight: 100, MaxMessageBytes: 1 << 30}).Resolved(); got.PerCaller.MaxCallsInFlight != 25 || got.MaxMemoryBytes != 32<<30 {
		t.Errorf("a caller's share of 100 calls = %d, want 25; memory for messages of 1 GiB = %d, want 32 GiB", got.PerCaller.MaxCallsInFlight, got.MaxMemoryBytes)
	}
}
