package mcptool_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestCallAllocations keeps what this package adds to a call small: a context that
// knows the tool when there is no host, the result, and the arguments and the value
// on their way through reflection.
func TestCallAllocations(t *testing.T) {
	raw, err := mcptool.NewRaw("n", objectSchema, func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	check := testing.AllocsPerRun(100, func() { _ = raw.InputSchema().Check([]byte("{}")) })
	ctx, args := mcptool.WithHost(t.Context(), &testHost{info: mcptool.CallInfo{Tool: "n"}}), []byte("{}")
	allocs := testing.AllocsPerRun(100, func() { _, _ = raw.Call(ctx, args) })
	if own := allocs - check; own > 2 {
		t.Errorf("a call costs %v allocations beside the %v of the check, want at most 2", own, check)
	}
}
