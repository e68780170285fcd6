package observe_test

import (
	"encoding/json"
	"testing"

	"github.com/mcptool-go/mcptool/runtime/observe"
)

// TestOutcome checks the texts, which metrics and audit logs store.
func TestOutcome(t *testing.T) {
	t.Parallel()
	texts := []string{"ok", "error", "invalid_arguments", "failed", "timed_out", "cancelled", "stopped", "asked", "rate_limited", "busy", "too_large", "refused", "task"}
	if first, last := observe.OutcomeOK, observe.OutcomeTask; int(last-first)+1 != len(texts) {
		t.Errorf("got %d outcomes, want %d", last-first+1, len(texts))
	}
	for i, want := range texts {
		outcome := observe.OutcomeOK + observe.Outcome(i) //nolint:gosec // small
		text, err := json.Marshal(outcome)
		if got := outcome.String(); err != nil || got != want || string(text) != `"`+want+`"` {
			t.Errorf("outcome %d: String = %q, JSON = %s, %v, want %q", outcome, got, text, err, want)
		}
	}
	if got := observe.Outcome(0).String() + observe.Outcome(200).String(); got != "" {
		t.Errorf("String of values that are not outcomes = %q, want an empty string", got)
	}
}
