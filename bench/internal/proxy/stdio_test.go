package proxy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/proxy"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// A buffer is a bytes.Buffer for concurrent use.
type buffer struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data.String()
}

// server returns a server of serve, and how it is started.
func server(name string) client.Target {
	return client.Target{Command: []string{os.Args[0]}, Env: []string{"SERVER=" + name}}
}

func keep(_ proxy.Direction, message json.RawMessage) json.RawMessage { return message }

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestStdioPassesMessages(t *testing.T) {
	var out, errs buffer
	filter := func(d proxy.Direction, message json.RawMessage) json.RawMessage {
		switch {
		case d == proxy.ToServer && bytes.Contains(message, []byte("drop")):
			return nil
		case d == proxy.ToServer && bytes.Contains(message, []byte("replace")):
			return json.RawMessage("{\"jsonrpc\":\"2.0\",\n\"id\":1,\"method\":\"replaced\"}")
		default:
			return message
		}
	}
	in := strings.Join([]string{
		ping, "", `{"jsonrpc":"2.0","method":"drop"}`, `{"jsonrpc":"2.0","id":1,"method":"replace"}`,
		`[` + ping + `, {"jsonrpc":"2.0","method":"drop"}, {"method": "a<b"}]`, `"no message"`,
		`{"jsonrpc":"2.0","id":1,"method":"last"}`, // without a line break
	}, "\n")
	if err := proxy.Stdio(t.Context(), server("echo"), strings.NewReader(in), &out, &errs, filter); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, got := range []string{ping, `{"jsonrpc":"2.0","id":1,"method":"replaced"}`, `[` + ping + `,{"method": "a<b"}]`, `"no message"`, `{"jsonrpc":"2.0","id":1,"method":"last"}`} {
		want.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"got":` + got + "}}\n")
	}
	if out.String() != want.String() || errs.String() != "" {
		t.Errorf("the client gets\n%s, want\n%s; stderr is %q", out.String(), want.String(), errs.String())
	}
}

func TestStdioReportsStrayLines(t *testing.T) {
	var out, errs buffer
	if err := proxy.Stdio(t.Context(), server("stray"), strings.NewReader(ping), &out, &errs, keep); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "listening") || !strings.Contains(out.String(), "ping") {
		t.Errorf("the client gets %q, want only the message", out.String())
	}
	if text := errs.String(); strings.Count(text, "a bug of the server") != 10 || !strings.Contains(text, `"listening 0 \x1b[2J"`) || !strings.Contains(text, "12 lines") {
		t.Errorf("stderr is %q, want 10 of the 12 lines, escaped, and their number", text)
	}
}

// TestStdioPassesFlawedMessages passes messages that many clients read, but this module does not, and names them.
func TestStdioPassesFlawedMessages(t *testing.T) {
	for _, test := range []struct{ name, text, filtered string }{
		{"half an emoji", `"\ud83d"`, `"\ufffd"`}, // as JavaScript cuts a string
		{"Latin-1", "\"caf\xe9\"", "\"caf\ufffd\""},
		{"NaN", `NaN`, ""},
		{"deep", strings.Repeat("[", 600) + strings.Repeat("]", 600), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out, errs buffer
			var filtered []string
			filter := func(d proxy.Direction, message json.RawMessage) json.RawMessage {
				if d == proxy.ToClient {
					filtered = append(filtered, string(message))
				}
				return message
			}
			if err := proxy.Stdio(t.Context(), server("echo"), strings.NewReader(test.text+"\n"+ping), &out, &errs, filter); err != nil {
				t.Fatal(err)
			}
			const head = `{"jsonrpc":"2.0","id":1,"result":{"got":`
			if want := head + test.text + "}}\n"; !strings.HasPrefix(out.String(), want) || !strings.Contains(out.String(), "ping") {
				t.Errorf("the client gets %q, want %q at first", out.String(), want)
			}
			if want := head + test.filtered + "}}"; test.filtered != "" && (len(filtered) != 2 || filtered[0] != want) {
				t.Errorf("the filter gets %q, want %q at first", filtered, want)
			}
			if text := errs.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "not a valid MCP message, and passed on: ") {
				t.Errorf("stderr is %q, want the message", text)
			}
		})
	}
}

// TestStdioChangesFlawedMessages checks that a filter can change such a message.
func TestStdioChangesFlawedMessages(t *testing.T) {
	var out buffer
	filter := func(_ proxy.Direction, message json.RawMessage) json.RawMessage {
		return bytes.Replace(message, []byte(`"x`), []byte(`"y`), 1)
	}
	if err := proxy.Stdio(t.Context(), server("echo"), strings.NewReader(`"x\ud83d"`), &out, io.Discard, filter); err != nil {
		t.Fatal(err)
	}
	if want := `{"jsonrpc":"2.0","id":1,"result":{"got":"y\ufffd"}}` + "\n"; out.String() != want {
		t.Errorf("the client gets %q, want %q", out.String(), want)
	}
}

func TestStdioExits(t *testing.T) {
	for _, test := range []struct {
		name, server string
		code         int
		stderr       string
	}{
		{"at once, with a message", "exits", 7, "no configuration\n"},
		{"after the end of the input", "code", 3, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out, errs buffer
			err := proxy.Stdio(t.Context(), server(test.server), strings.NewReader(""), &out, &errs, keep)
			exit, ok := errors.AsType[*exec.ExitError](err)
			if !ok || exit.ExitCode() != test.code || errs.String() != test.stderr {
				t.Errorf("error %v, stderr %q; want exit code %d and %q", err, errs.String(), test.code, test.stderr)
			}
		})
	}
	t.Run("does not start", func(t *testing.T) {
		err := proxy.Stdio(t.Context(), client.Target{Command: []string{"/no/such/server"}}, strings.NewReader(""), io.Discard, io.Discard, keep)
		if _, ok := errors.AsType[*client.UnreachableError](err); !ok || !strings.Contains(err.Error(), "/no/such/server is not found") {
			t.Errorf("error %v, want an UnreachableError that names the program", err)
		}
	})
	t.Run("a message that is too large", func(t *testing.T) {
		err := proxy.Stdio(t.Context(), server("huge"), neverEnding(t), io.Discard, io.Discard, keep)
		if err == nil || !strings.Contains(err.Error(), "more than 64 MiB") {
			t.Errorf("error %v, want one about the size", err)
		}
	})
}

// neverEnding is the input of a client that sends nothing.
func neverEnding(t *testing.T) io.Reader {
	t.Helper()
	r, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() })
	return r
}

func TestStdioEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	began := time.Now()
	err := proxy.Stdio(ctx, server("silent"), neverEnding(t), io.Discard, io.Discard, keep)
	if !errors.Is(err, context.Canceled) || time.Since(began) > 10*time.Second {
		t.Errorf("error %v after %v, want the end of the context", err, time.Since(began))
	}
}
