package observe_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mcptool-go/mcptool/runtime/observe"
)

// TestTexts checks the texts of all constants, which metrics and audit logs store.
func TestTexts(t *testing.T) {
	t.Parallel()
	type named interface {
		fmt.Stringer
		encoding.TextMarshaler
	}
	for value, want := range map[named]string{
		observe.OutcomeOK: "ok", observe.OutcomeError: "error", observe.OutcomeInvalidArguments: "invalid_arguments",
		observe.OutcomeFailed: "failed", observe.OutcomeTimedOut: "timed_out", observe.OutcomeCancelled: "cancelled",
		observe.OutcomeStopped: "stopped", observe.OutcomeAsked: "asked", observe.OutcomeRateLimited: "rate_limited",
		observe.OutcomeBusy: "busy", observe.OutcomeTooLarge: "too_large", observe.OutcomeRefused: "refused", observe.OutcomeTask: "task",
		observe.KindRequest: "request", observe.KindNotification: "notification", observe.KindClientRequest: "client_request",
		observe.KindTask: "task", observe.KindSession: "session", observe.KindCall: "call",
		observe.TargetKindTool: "tool", observe.TargetKindPrompt: "prompt", observe.TargetKindResource: "resource", observe.TargetKindNone: "",
		observe.TransportStdio: "stdio", observe.TransportHTTP1: "http/1.1", observe.TransportHTTP2: "http/2",
		observe.TransportHTTP3: "http/3", observe.TransportOther: "",
		// Values without a constant.
		observe.Outcome(0): "", observe.OutcomeTask + 1: "", observe.Kind(0): "", observe.KindCall + 1: "",
		observe.TargetKindResource + 1: "", observe.TransportHTTP3 + 1: "",
	} {
		text, err := json.Marshal(value)
		if got := value.String(); err != nil || got != want || string(text) != `"`+want+`"` {
			t.Errorf("%T %d: String = %q, JSON = %s, %v, want %q", value, value, got, text, err, want)
		}
	}
}
