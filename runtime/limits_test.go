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
		MaxMessageBytes: -1, MaxDepth: -1, MaxValues: -1, MaxConcurrentCalls: -1, MaxStatelessCalls: -1, MaxCallsInFlight: -1, MaxMemoryBytes: -1, PerCaller: runtime.CallerLimits{MaxCallsInFlight: -1, MaxStatelessCalls: -1, MaxWaitingCalls: -1, MaxMemoryBytes: -1}, MaxQueuedCalls: -1, MaxQueuedBytes: -1, MaxBatchMessages: -1, MaxSubscriptions: -1, ToolsPerPage: -1, MaxClientRequests: -1, ClientRequestTimeout: -1, MaxStateBytes: -1, MaxResultBytes: -1, MaxTextBytes: -1,
		CallTimeout: -1, MaxWaitingCalls: -1,
		Tasks:            runtime.TaskLimits{MaxRunning: -1, MaxRunningPerCaller: -1, DefaultTTL: -1, MaxTTL: -1, PollInterval: -1, Delay: -1},
		ProgressInterval: -1, LogRecordsPerSecond: -1, CloseGrace: -1,
	}
	if negative.Resolved() != defaults {
		t.Errorf("negative limits are %+v, want the defaults", negative.Resolved())
	}
	if defaults.MaxMessageBytes != 16<<20 || defaults.MaxDepth != 256 || defaults.MaxValues != 400_000 || defaults.MaxConcurrentCalls != 128 {
		t.Errorf("the defaults are %+v", defaults)
	}
	own := runtime.Limits{
		MaxMessageBytes: 1, MaxDepth: 2, MaxValues: 26, MaxConcurrentCalls: 3, MaxStatelessCalls: 13, MaxCallsInFlight: 20, MaxMemoryBytes: 21, PerCaller: runtime.CallerLimits{MaxCallsInFlight: 22, MaxStatelessCalls: 23, MaxWaitingCalls: 24, MaxMemoryBytes: 25}, MaxQueuedCalls: 4, MaxQueuedBytes: 5, MaxBatchMessages: 6, MaxSubscriptions: 7, ToolsPerPage: 8, MaxClientRequests: 12, ClientRequestTimeout: time.Hour, MaxStateBytes: 11, MaxResultBytes: 19, MaxTextBytes: 9,
		CallTimeout: time.Second, MaxWaitingCalls: 14,
		Tasks:            runtime.TaskLimits{MaxRunning: 13, MaxRunningPerCaller: 14, DefaultTTL: 15, MaxTTL: 16, PollInterval: 17, MaxAttempts: 27, Delay: 18},
		ProgressInterval: time.Hour, LogRecordsPerSecond: 10, CloseGrace: time.Minute,
	}
	if own.Resolved() != own {
		t.Errorf("%+v became %+v", own, own.Resolved())
	}
	if got := (runtime.Limits{MaxCallsInFlight: 100, MaxStatelessCalls: 3, MaxMessageBytes: 1 << 30}).Resolved(); got.PerCaller.MaxCallsInFlight != 25 || got.PerCaller.MaxStatelessCalls != 1 || got.MaxMemoryBytes != 32<<30 {
		t.Errorf("a caller's share of 100 calls is %d, of 3 it is %d; the memory for messages of 1 GiB is %d", got.PerCaller.MaxCallsInFlight, got.PerCaller.MaxStatelessCalls, got.MaxMemoryBytes)
	}
	if got := (runtime.Limits{MaxDepth: 1 << 20}).Resolved().MaxDepth; got != 1024 {
		t.Errorf("depth %d, want what the scanner can do", got)
	}
}
