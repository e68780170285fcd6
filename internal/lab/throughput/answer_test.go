package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

// echoes returns one question whose answer is {"n":1}.
func echoes(t *testing.T, rev revision) *questions {
	t.Helper()
	type one struct {
		N int `json:"n"`
	}
	q := &questions{tool: "echo"}
	if err := ask(t.Context(), q, rev, func(_ context.Context, in one) (one, error) { return in, nil }, one{1}); err != nil {
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
		reason string // of the error; empty if there is none
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
				j := newJudge(echoes(t, test.rev), test.rev)
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

// TestDriveRefuses checks that an answer to nothing that was asked is noticed, and one that
// comes twice.
func TestDriveRefuses(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string]string{
		"twice": rightAnswer + "\n" + rightAnswer + "\n",
		"early": strings.ReplaceAll(rightAnswer, "0001", "0099") + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &pipe{child: &child{in: discard{}, out: newLines(strings.NewReader(answers))}, nextID: firstID}
			if _, err := p.drive(newJudge(echoes(t, handshake), handshake), 2, 0); err == nil || !strings.Contains(err.Error(), "not asked") {
				t.Errorf("got error %v", err)
			}
		})
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

// TestLines reads lines that are longer than the buffer and come in pieces.
func TestLines(t *testing.T) {
	t.Parallel()
	want := [][]byte{[]byte("short"), bytes.Repeat([]byte("long "), 200_000), nil, []byte("last")}
	text := bytes.Join(want, []byte("\n"))
	l := newLines(io.MultiReader(bytes.NewReader(text[:9]), bytes.NewReader(text[9:]), strings.NewReader("\n")))
	for i, line := range want {
		got, err := l.next(true)
		if err != nil || !bytes.Equal(got, line) {
			t.Fatalf("line %d has %d bytes, error %v", i, len(got), err)
		}
	}
	if got, err := l.next(false); got != nil || err != nil {
		t.Errorf("without waiting: %q, %v", got, err)
	}
	if _, err := l.next(true); err == nil {
		t.Error("the end is no error")
	}
}
