package main

import (
	"context"
	"strings"
	"testing"
)

// echoCalls returns one call with the result {"n":1}.
func echoCalls(t *testing.T) *toolCalls {
	t.Helper()
	type one struct {
		N int `json:"n"`
	}
	calls, err := callsOf(t.Context(), "echo", func(_ context.Context, in one) (one, error) { return in, nil }, []one{{1}})
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

const correct = `{"jsonrpc":"2.0","id":1000000001,"result":{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}}`

func TestChecker(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		response string
		err      string // substring of the error; "" for success
		rev      revision
	}{
		{"correct", correct, "", legacy},
		{"correct, with other white space", strings.ReplaceAll(correct, ":{", ": {"), "", legacy},
		{"wrong value", strings.ReplaceAll(correct, `{"n":1}`, `{"n":2}`), "structuredContent differs", legacy},
		{"wrong text", strings.ReplaceAll(correct, `\":1`, `\":2`), "text block differs", legacy},
		{"no text", strings.ReplaceAll(correct, `{"type":"text","text":"{\"n\":1}"}`, ""), "not one text block", legacy},
		{"failed", strings.ReplaceAll(correct, `"content"`, `"isError":true,"content"`), "call failed", legacy},
		{"error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}`, "call failed", legacy},
		{"modern without resultType", correct, "resultType is not complete", modern},
		{"invalid JSON", `"id":1000000001 and more`, "invalid character", legacy},
		{"no id", `{}`, "without id", legacy},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, warm := range []bool{false, true} {
				c := newChecker(echoCalls(t), test.rev)
				if warm && test.rev == legacy {
					if _, err := c.check([]byte(correct)); err != nil {
						t.Fatal(err)
					}
				}
				_, err := c.check([]byte(test.response))
				if (err == nil) != (test.err == "") || (err != nil && !strings.Contains(err.Error(), test.err)) {
					t.Errorf("after a correct response: %t: got error %v, want one with %q", warm, err, test.err)
				}
			}
		})
	}
}

// TestOpenCalls checks that responses without a request and second responses are detected.
func TestOpenCalls(t *testing.T) {
	t.Parallel()
	for name, responses := range map[string][]string{
		"second":          {correct, correct},
		"without request": {strings.ReplaceAll(correct, "0001", "0099")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			open := &openCalls{checker: newChecker(echoCalls(t), legacy), ids: map[int64]bool{}, fail: cancel}
			open.sent(1_000_000_001)
			for i, response := range responses {
				if i > 0 && ctx.Err() != nil {
					t.Fatalf("first response: %v", context.Cause(ctx))
				}
				open.received([]byte(response))
			}
			if err := context.Cause(ctx); err == nil || !strings.Contains(err.Error(), "not in flight") {
				t.Errorf("got error %v", err)
			}
		})
	}
}
