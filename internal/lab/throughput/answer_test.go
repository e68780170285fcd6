package main

import (
	"context"
	"strings"
	"testing"
)

// echoes returns one question with the answer {"n":1}.
func echoes(t *testing.T) *questions {
	t.Helper()
	type one struct {
		N int `json:"n"`
	}
	q := &questions{tool: "echo"}
	if err := ask(t.Context(), q, func(_ context.Context, in one) (one, error) { return in, nil }, one{1}); err != nil {
		t.Fatal(err)
	}
	return q
}

const rightAnswer = `{"jsonrpc":"2.0","id":1000000001,"result":{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}}`

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		answer string
		reason string // substring of the error; "" for success
		rev    revision
	}{
		{"right", rightAnswer, "", handshake},
		{"right, otherwise spaced", strings.ReplaceAll(rightAnswer, ":{", ": {"), "", handshake},
		{"wrong value", strings.ReplaceAll(rightAnswer, `{"n":1}`, `{"n":2}`), "structuredContent is not", handshake},
		{"wrong text", strings.ReplaceAll(rightAnswer, `\":1`, `\":2`), "the text block is not", handshake},
		{"no text", strings.ReplaceAll(rightAnswer, `{"type":"text","text":"{\"n\":1}"}`, ""), "not one block", handshake},
		{"failed", strings.ReplaceAll(rightAnswer, `"content"`, `"isError":true,"content"`), "the call failed", handshake},
		{"error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}`, "the call failed", handshake},
		{"without the type of the modern era", rightAnswer, "not said to be complete", modern},
		{"no JSON", `"id":1000000001 and more`, "invalid character", handshake},
		{"no id", `{}`, "without id", handshake},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, warm := range []bool{false, true} {
				j := newJudge(echoes(t), test.rev)
				if warm && test.rev == handshake {
					if _, err := j.judge([]byte(rightAnswer)); err != nil {
						t.Fatal(err)
					}
				}
				_, err := j.judge([]byte(test.answer))
				if (err == nil) != (test.reason == "") || (err != nil && !strings.Contains(err.Error(), test.reason)) {
					t.Errorf("after a right answer: %t: got error %v, want one with %q", warm, err, test.reason)
				}
			}
		})
	}
}

// TestJudgeInvalid checks that invalid arguments must be rejected, by a result or an error.
func TestJudgeInvalid(t *testing.T) {
	t.Parallel()
	q, err := invalidQuestions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for answer, reason := range map[string]string{
		rightAnswer: "not refused",
		`{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[]}}`:        "",
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"x"}}`:         "",
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}`:         "not refused",
		strings.Replace(rightAnswer, `"content"`, `"isError":true,"content"`, 1): "",
	} {
		if _, err := newJudge(q, handshake).judge([]byte(answer)); (err == nil) != (reason == "") || (err != nil && !strings.Contains(err.Error(), reason)) {
			t.Errorf("%s: got error %v, want one with %q", answer, err, reason)
		}
	}
}

// TestChecksRefuse checks that a response without a request is detected, and so is a second response.
func TestChecksRefuse(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string][]string{
		"twice": {rightAnswer, rightAnswer},
		"early": {strings.ReplaceAll(rightAnswer, "0001", "0099")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			c := &checks{judge: newJudge(echoes(t), handshake), open: map[int64]bool{}, fail: cancel}
			c.asked(1_000_000_001)
			for i, answer := range answers {
				if i > 0 && ctx.Err() != nil {
					t.Fatalf("the first answer is refused: %v", context.Cause(ctx))
				}
				c.answered([]byte(answer))
			}
			if err := context.Cause(ctx); err == nil || !strings.Contains(err.Error(), "not asked") {
				t.Errorf("got error %v", err)
			}
		})
	}
}
