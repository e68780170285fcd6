package client_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// A command that cannot be used is reported in one line that contains all these words.
func TestBadCommand(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		target client.Target
		o      client.Options
		want   []string
		stderr string
	}{
		{"no target", client.Target{}, client.Options{}, []string{"no target", "URL", "--"}, ""},
		{"two targets", client.Target{Command: []string{"a"}, URL: "http://b"}, client.Options{}, []string{"not both"}, ""},
		{"no era", child("tools"), client.Options{Era: "new"}, []string{`"new"`, "auto, legacy or modern"}, ""},
		{"not in PATH", client.Target{Command: []string{"no-such-server"}}, client.Options{}, []string{"no-such-server is not found", "PATH"}, ""},
		{"no such file", client.Target{Command: []string{"./no-such-server"}}, client.Options{}, []string{"./no-such-server is not found"}, ""},
		{"not executable", client.Target{Command: []string{script}}, client.Options{}, []string{script, "chmod +x"}, ""},
		{"no such directory", client.Target{Command: []string{"sh"}, Dir: "/no/such"}, client.Options{}, []string{"/no/such"}, ""},
		{"it ends at once", child("ends"), client.Options{}, []string{"has ended (exit status 7)", "initialize was not answered"}, "I give up"},
		{"it ends at once, legacy", child("ends"), client.Options{Era: client.Legacy}, []string{"has ended (exit status 7)"}, "I give up"},
		{"it ends at once, modern", child("ends"), client.Options{Era: client.Modern}, []string{"has ended (exit status 7)", "server/discover"}, "I give up"},
		{"it is silent", child("hangs"), client.Options{Timeout: 2 * time.Second}, []string{"has not answered", "within 2s", "--timeout"}, ""},
		{"it talks of other things", child("garbage"), client.Options{}, []string{"has ended", `stdout has "Welcome to the garbage server!"`}, ""},
		{"it talks of nothing else", child("noise"), client.Options{}, []string{"not an MCP server", `stdout has "y"`}, ""},
		{"it does not stop talking", child("endless"), client.Options{}, []string{"more than 4 MiB"}, ""},
		{"it repeats what it hears", child("echo"), client.Options{}, []string{"not an MCP server", "echoes"}, ""},
		{"it refuses", child("refusing"), client.Options{}, []string{"no initialize here"}, ""},
		{"it refuses, legacy", child("refusing"), client.Options{Era: client.Legacy}, []string{"refuses initialize", "no initialize here (JSON-RPC error -32601)"}, ""},
		{"it refuses, modern", child("refusing"), client.Options{Era: client.Modern}, []string{"refuses server/discover", "no server/discover here (JSON-RPC error -32601)"}, ""},
		{"it is legacy only", child("old"), client.Options{Era: client.Modern}, []string{"refuses server/discover", "use --era legacy, or leave --era out"}, ""},
		{"it is legacy only and silent", child("shy"), client.Options{Era: client.Modern, Timeout: 2 * time.Second}, []string{"has not answered server/discover", "use --era legacy, or leave --era out"}, ""},
		{"it is legacy only and dies", child("nervous"), client.Options{Era: client.Modern}, []string{"server/discover was not answered", "exit status 4", "use --era legacy"}, "I do not know server/discover"},
		{"it says that it is legacy", child("candid"), client.Options{Era: client.Modern}, []string{"speaks revisions 2025-06-18, 2025-11-25", "not 2026-07-28", "use --era legacy, or leave --era out"}, ""},
		{"it is newer", child("newer"), client.Options{Era: client.Modern}, []string{"speaks revisions 2099-01-01", "not 2026-07-28, which is the latest known here"}, ""},
		{"it is modern only", child("new"), client.Options{Era: client.Legacy}, []string{"refuses initialize", "use --era modern, or leave --era out"}, ""},
		{"it is modern only and dies", child("mortal"), client.Options{Era: client.Legacy}, []string{"initialize was not answered", "exit status 4", "use --era modern"}, "I do not know initialize"},
		{"it is modern of the future", child("future"), client.Options{Era: client.Modern}, []string{"no server/discover here"}, ""},
		{"it is of the future", child("future"), client.Options{}, []string{`revision "2099-01-01"`}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if test.o.Timeout == 0 {
				test.o.Timeout = patient
			}
			c, err := client.Dial(t.Context(), test.target, test.o)
			if err == nil {
				_ = c.Close()
			}
			isOneLine(t, err, test.want...)
			if test.o.Era == "" && err != nil && strings.Contains(err.Error(), "--era") {
				t.Errorf("%v: nobody has asked for an era", err)
			}
			if lost := (*client.UnreachableError)(nil); test.o.Era != "" && test.o.Era != "new" && !errors.As(err, &lost) {
				t.Errorf("%v is no *UnreachableError", err)
			}
			if lost := (*client.UnreachableError)(nil); test.stderr != "" && (!errors.As(err, &lost) || !strings.Contains(lost.Stderr, test.stderr)) {
				t.Errorf("its last words are not in %+v", err)
			}
		})
	}
}

// isOneLine checks that an error is one line that contains all these words.
func isOneLine(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Error("there is no error")
		return
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %v", err)
	}
	for _, words := range want {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("the error is %q, want one with %q", err, words)
		}
	}
}

// A server with an unusual startup is usable nevertheless.
func TestHardToGet(t *testing.T) {
	for _, test := range []struct{ name, child, revision string }{
		{"prints a banner first", "banner", "2026-07-28"},
		{"keeps silent at what it does not know", "shy", "2025-11-25"},
		{"dies of what it does not know", "nervous", "2025-11-25"},
		{"answers null to what it does not know", "null", "2025-11-25"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := client.Options{Timeout: patient}
			if test.child == "shy" { // it answers only one request, however long it takes to start
				o = client.WithProbe(o, time.Millisecond)
			}
			c, err := client.Dial(t.Context(), child(test.child), o)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			if _, err := c.Tools(t.Context()); err != nil || c.Server().Revision != test.revision {
				t.Errorf("%v, of a server of revision %s", err, c.Server().Revision)
			}
		})
	}
}

// A server that breaks the protocol is reported when it is used.
func TestBadAnswer(t *testing.T) {
	for _, test := range []struct {
		name, child string
		want        []string
	}{
		{"it dies", "mortal", []string{"tools/list was not answered", "exit status 4"}},
		{"no list", "odd", []string{"answer to tools/list is invalid"}},
		{"no end", "dizzy", []string{"does not end"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, child(test.child), client.Options{})
			_, err := c.Tools(t.Context())
			isOneLine(t, err, test.want...)
			if test.child != "mortal" {
				return
			}
			lost := (*client.UnreachableError)(nil)
			if !errors.As(err, &lost) || lost.Stderr != "I do not know tools/list" {
				t.Errorf("its last words are not in %+v", err)
			}
			if _, again := c.Tools(t.Context()); again == nil {
				t.Error("it answers after its death")
			}
		})
	}
}

// A URL that cannot be used is reported in one line that contains all these words.
func TestBadURL(t *testing.T) {
	page := func(status int, header, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			name, value, _ := strings.Cut(header, ": ")
			w.Header().Set(name, value)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	const html, text, js = "Content-Type: text/html; charset=utf-8", "Content-Type: text/plain", "Content-Type: application/json"
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		want    []string
	}{
		{"a web page", page(200, html, "<html>"), []string{"no MCP at that path (200)", "/mcp"}},
		{"a text", page(200, text, "hello\nyou"), []string{`answers with "text/plain"`, "hello"}},
		{"another JSON", page(200, js, `{"a":1}`), []string{"not a JSON-RPC response", `{"a":1}`}},
		{"nothing there", page(404, text, "404 page not found\n"), []string{"no MCP at that path (404)", "/mcp"}},
		{"no POST", page(405, text, ""), []string{"no MCP at that path (405)"}},
		{"who are you", page(401, text, ""), []string{"401", "--header 'Authorization: Bearer TOKEN'"}},
		{"not you", page(403, text, "bad host"), []string{"403: bad host"}},
		{"not now", page(503, js, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"the token could not be verified now"}}`), []string{"it answers with 503 Service Unavailable: the token could not be verified now"}},
		{"not you, as JSON-RPC", page(403, js, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"bad host"}}`), []string{"403: bad host)"}},
		{"elsewhere", page(307, "Location: http://127.0.0.1:1/mcp", ""), []string{"http://127.0.0.1:1/mcp", "307"}},
		{"broken", page(500, text, "panic\nstack"), []string{"500 Internal Server Error: panic"}},
		{"broken page", page(502, html, "<html>"), []string{"502 Bad Gateway"}},
		{"no answer wanted", page(202, text, ""), []string{"without an answer (202 Accepted)"}},
		{"an empty stream", page(200, "Content-Type: text/event-stream", "data: {}\n\n"), []string{"the stream ended before"}},
		{"too large", page(200, js, strings.Repeat(" ", largest+1)), []string{"larger than 4 MiB"}},
		{"too large an event", page(200, "Content-Type: text/event-stream", "data: "+strings.Repeat(" ", largest+1)), []string{"larger than 4 MiB"}},
		{"cut off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"jsonrpc"`)
		}, []string{"connection broke"}},
		{"hung up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, []string{"without an answer"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(test.handler)
			defer web.Close()
			failsAt(t, web.URL, test.want...)
		})
	}
}

// failsAt checks the error for a URL that cannot be used.
func failsAt(t *testing.T, url string, want ...string) {
	t.Helper()
	for era := range eras {
		c, err := client.Dial(t.Context(), client.Target{URL: url}, client.Options{Era: era, Timeout: patient})
		if err == nil {
			_ = c.Close()
		}
		isOneLine(t, err, want...)
		if lost := (*client.UnreachableError)(nil); !errors.As(err, &lost) {
			t.Errorf("%v is no *UnreachableError", err)
		}
	}
}

// TestBadConnection does the same for addresses that do not accept connections or do
// not speak HTTP properly.
func TestBadConnection(t *testing.T) {
	t.Run("nobody", func(t *testing.T) {
		failsAt(t, "http://127.0.0.1:1/mcp", "connection refused") // a port that is never assigned dynamically
	})
	t.Run("no host", func(t *testing.T) { failsAt(t, "http://no-such-host.invalid/mcp", "no-such-host.invalid") })
	t.Run("no TLS", func(t *testing.T) {
		web := httptest.NewServer(http.NotFoundHandler())
		defer web.Close()
		failsAt(t, strings.Replace(web.URL, "http:", "https:", 1), "http://")
	})
	quiet := slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // expected handshake errors are not logged
	t.Run("TLS", func(t *testing.T) {
		web := httptest.NewUnstartedServer(http.NotFoundHandler())
		web.Config.ErrorLog = quiet
		web.StartTLS()
		defer web.Close()
		failsAt(t, strings.Replace(web.URL, "https:", "http:", 1), "https://")
		failsAt(t, web.URL, "certificate", "trust")
	})
	t.Run("another protocol", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Read(make([]byte, 1<<10)) // net/http logs responses that precede the request
				_, _ = io.WriteString(conn, "SSH-2.0-OpenSSH_9.9\r\n")
				_ = conn.Close()
			}
		}()
		failsAt(t, fmt.Sprintf("http://%s/mcp", l.Addr()), "it is not an HTTP server")
	})
}

func TestSilentURL(t *testing.T) {
	for era := range eras {
		t.Run(string(era), func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() }))
			defer web.Close()
			_, err := client.Dial(t.Context(), client.Target{URL: web.URL}, client.Options{Era: era, Timeout: time.Second})
			isOneLine(t, err, "within 1s", "--timeout")
		})
	}
}
