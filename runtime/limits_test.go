package runtime_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

func TestLimitsResolved(t *testing.T) {
	t.Parallel()
	defaults := runtime.Limits{}.Resolved()
	if defaults.Resolved() != defaults {
		t.Error("Resolved is not idempotent")
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

// TestNegativeLimits checks that Check names each number and duration of a server that is negative, with its value and the
// meaning of zero, and that the limit has its default.
func TestNegativeLimits(t *testing.T) {
	t.Parallel()
	srv := &runtime.Server{Tools: &mcptool.Registry{}}
	names := setNegative(reflect.ValueOf(&srv.Limits).Elem(), "Server.Limits")
	names = append(names, setNegative(reflect.ValueOf(&srv.Pings).Elem(), "Server.Pings")...)
	names = append(names, setNegative(reflect.ValueOf(&srv.ListCache).Elem(), "Server.ListCache")...)
	err := srv.Check()
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	for _, name := range names {
		if !slices.ContainsFunc(lines, func(line string) bool {
			return strings.HasPrefix(strings.Replace(line, "-1ns", "-1", 1), name+" is -1, but must not be negative; 0 ")
		}) {
			t.Errorf("Check lacks %s:\n%v", name, err)
		}
	}
	if len(lines) != len(names) {
		t.Errorf("Check returns %d mistakes, want %d:\n%v", len(lines), len(names), err)
	}
	for _, want := range []string{
		"Server.Limits.MaxQueuedCalls is -1, but must not be negative; 0 means the default, 256",
		"Server.Limits.CallTimeout is -1ns, but must not be negative; 0 means no limit",
		"Server.Limits.Rate.Burst is -1, but must not be negative; 0 means the value of Calls",
		"Server.Limits.PerCaller.Rate.Per is -1ns, but must not be negative; 0 means the default, 1s",
		"Server.Pings.Every is -1ns, but must not be negative; 0 sends no pings",
		"Server.ListCache.TTL is -1ns, but must not be negative; 0 means no caching",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("Check lacks %s", want)
		}
	}
	if srv.Limits.Resolved() != (runtime.Limits{}).Resolved() {
		t.Errorf("Resolved of negative limits = %+v, want the defaults", srv.Limits.Resolved())
	}
}

// setNegative sets the numbers and durations in a struct to -1, and returns their names.
func setNegative(v reflect.Value, name string) (names []string) {
	for i := range v.NumField() {
		field, name := v.Field(i), name+"."+v.Type().Field(i).Name
		if field.Kind() == reflect.Struct {
			names = append(names, setNegative(field, name)...)
		} else if field.CanInt() {
			field.SetInt(-1)
			names = append(names, name)
		}
	}
	return names
}
