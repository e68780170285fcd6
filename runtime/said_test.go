package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// saying are the ways in which a tool can send a text.
var saying = map[string]func(ctx context.Context, text string) (*mcptool.Result, error){
	"text": func(_ context.Context, text string) (*mcptool.Result, error) {
		return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: text}}}, nil
	},
	"error result": func(_ context.Context, text string) (*mcptool.Result, error) {
		return &mcptool.Result{IsError: true, Content: []mcptool.Content{mcptool.Text{Text: text}}}, nil
	},
	"error": func(_ context.Context, text string) (*mcptool.Result, error) { return nil, errors.New(text) },
	"progress": func(ctx context.Context, text string) (*mcptool.Result, error) {
		mcptool.Progress(ctx, 1, 0, text)
		return &mcptool.Result{}, nil
	},
	"log": func(ctx context.Context, text string) (*mcptool.Result, error) {
		mcptool.Logger(ctx).With("a", text).Info(text, "b", errors.New(text), slog.Group("g", "c", text))
		return &mcptool.Result{}, nil
	},
}

// sayings calls the tool x and returns all messages up to the response.
func sayings(t *testing.T, w *wire) (sent string) {
	t.Helper()
	w.send(legacy("1", "tools/call", `"name":"x","_meta":{"progressToken":7}`))
	for {
		msg := w.next()
		sent += msg
		if strings.Contains(msg, `"id":1`) {
			return sent
		}
	}
}

// TestSaid: control characters are replaced in all texts of a tool, and texts are
// redacted.
func TestSaid(t *testing.T) {
	t.Parallel()
	const said = "\x1b[2Jok\r\n\tsecret\u202e\u0085\U000e0041\xff."
	for way, say := range saying {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			for _, test := range []struct {
				name   string
				redact func(string) string
				want   string
			}{
				{"T-SEC-04 not redacted", nil, "ok\r\n\tsecret\ufffd\ufffd\ufffd\ufffd."},
				{"T-SEC-04 redacted", func(text string) string { return strings.ReplaceAll(text, "secret", "***") }, "ok\r\n\t***\ufffd\ufffd\ufffd\ufffd."},
				{"T-SEC-04 Redact panics", func(string) string { panic("boom") }, "(withheld)"},
			} {
				t.Run(test.name, func(t *testing.T) {
					t.Parallel()
					srv := serve(t, tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) { return say(ctx, said) }))
					srv.Redact = test.redact
					w := open(t, srv)
					w.handshake("2025-11-25")
					sent := sayings(t, w)
					want, err := json.Marshal(test.want)
					if err != nil {
						t.Fatal(err)
					}
					if !strings.Contains(sent, string(want)) {
						t.Errorf("got  %s\nwant %s", sent, want)
					}
					for _, harm := range []string{"\x1b", `\u001b`, "\u202e", "\u0085", "\U000e0041"} {
						if strings.Contains(sent, harm) {
							t.Errorf("sent %+q in %s", harm, sent)
						}
					}
					if test.redact != nil && strings.Contains(sent, "secret") {
						t.Errorf("sent the secret in %s", sent)
					}
				})
			}
		})
	}
}

// TestStructuredIsNotSaid: structured results are data and are sent unchanged.
func TestStructuredIsNotSaid(t *testing.T) {
	t.Parallel()
	srv := serve(t, tool(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Structured: map[string]string{"raw": "\x1b[2J\u202e"}}, nil
	}))
	srv.Redact = func(string) string { return "" }
	w := open(t, srv)
	w.handshake("2025-11-25")
	var answer struct {
		Result struct {
			StructuredContent struct{ Raw string }
			Content           []struct{ Text string }
		}
	}
	decode(t, sayings(t, w), &answer)
	var said struct{ Raw string }
	if len(answer.Result.Content) != 1 {
		t.Fatalf("got %+v", answer)
	}
	decode(t, answer.Result.Content[0].Text, &said)
	if got := fmt.Sprintf("%q %q", answer.Result.StructuredContent.Raw, said.Raw); got != `"\x1b[2J\u202e" "\x1b[2J\u202e"` {
		t.Errorf("got %s, want the unchanged text", got)
	}
}

// TestStringIsSaid: the text block of a string result is redacted, and its control characters are replaced or removed. The
// structured part is unchanged.
func TestStringIsSaid(t *testing.T) {
	t.Parallel()
	hide := func(text string) string { return strings.ReplaceAll(text, "secret", "***") }
	for _, test := range []struct {
		text, want string
		redact     func(string) string
	}{
		{"a\r\n\"b\"\t\\é", "a\r\n\"b\"\t\\é", nil},
		{"\x1b[2J", "", nil},
		{"\x1b[1;31mFAIL\x1b[0m\n10%\r100%\n", "FAIL\n100%\n", nil},
		{"a\u202eb", "a\ufffdb", nil},
		{"\x7f", "\ufffd", nil},
		{"my secret", "my ***", hide},
		{"my sec\x1b[1mret", "my ***", hide},
		{"my \x1bsecret", "my ", hide}, // ESC and *** are one sequence
	} {
		srv := serve(t, returning(t, "x", test.text))
		srv.Redact = test.redact
		w := open(t, srv)
		w.handshake("2025-11-25")
		var answer struct {
			Result struct {
				Content           []struct{ Text string }
				StructuredContent struct{ Result string }
			}
		}
		decode(t, sayings(t, w), &answer)
		if blocks := answer.Result.Content; len(blocks) != 1 || blocks[0].Text != test.want {
			t.Errorf("%q was sent as %q, want %q", test.text, blocks, test.want)
		}
		if got := answer.Result.StructuredContent.Result; got != test.text {
			t.Errorf("the structured part of %q is %q", test.text, got)
		}
	}
}

// TestVerbatimText tests in every revision that a text with Verbatim arrives as it is, but valid and redacted.
func TestVerbatimText(t *testing.T) {
	t.Parallel()
	const text, want = "\x1b[1mred\x1b[0m 10%\r\u202e\u200e\U000e0041 secret \xff", "\x1b[1mred\x1b[0m 10%\r\u202e\u200e\U000e0041 *** \ufffd"
	for _, revision := range revisions {
		var answer struct {
			Result struct{ Content []struct{ Text string } }
		}
		decode(t, sentAs(t, mcptool.Text{Text: text, Verbatim: true}, revision, func(text string) string {
			return strings.ReplaceAll(text, "secret", "***")
		}), &answer)
		if blocks := answer.Result.Content; len(blocks) != 1 || blocks[0].Text != want {
			t.Errorf("in %s: got %q, want %q", revision, blocks, want)
		}
	}
}

// TestErrorsOfMethodsAreRedacted: the messages of JSON-RPC errors of methods are redacted, and so are invalid
// arguments.
func TestErrorsOfMethodsAreRedacted(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]error{
		"chosen": &runtime.Error{Code: -32002, Message: "no secret there"},
		"public": mcptool.Errorf("no secret there"),
	} {
		t.Run("T-SEC-04 "+name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t)
			srv.Redact = func(text string) string { return strings.ReplaceAll(text, "secret", "***") }
			srv.Methods = []runtime.Method{{Name: "x/y", Handle: func(context.Context, json.RawMessage) (any, error) { return nil, fails }}}
			w := open(t, srv)
			w.handshake("2025-11-25")
			w.send(legacy("1", "x/y", ""))
			if got := w.next(); !strings.Contains(got, `no *** there`) {
				t.Errorf("got %s, want the redacted text", got)
			}
		})
	}
	t.Run("T-SEC-04 invalid arguments", func(t *testing.T) {
		t.Parallel()
		x, err := mcptool.New(func(context.Context, struct {
			Key int `json:"key"`
		},
		) (string, error) {
			return "", nil
		}, mcptool.Name("x"))
		if err != nil {
			t.Fatal(err)
		}
		srv := serve(t, x)
		srv.Redact = func(text string) string { return strings.ReplaceAll(text, "secret", "***") }
		w := open(t, srv)
		w.handshake("2025-06-18")
		w.send(legacy("1", "tools/call", `"name":"x","arguments":{"key":"secret"}`))
		if got := w.next(); strings.Contains(got, "secret") || !strings.Contains(got, "***") {
			t.Errorf("got %s, want the redacted text", got)
		}
	})
}
