package streamhttp_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// plainWriter is a ResponseWriter without Flush and Unwrap, as middleware often defines it.
type plainWriter struct{ w http.ResponseWriter }

func (p plainWriter) Header() http.Header         { return p.w.Header() }
func (p plainWriter) Write(b []byte) (int, error) { return p.w.Write(b) }
func (p plainWriter) WriteHeader(status int)      { p.w.WriteHeader(status) }

// unwrapped is a plainWriter with Unwrap, so the handler can flush.
type unwrapped struct{ plainWriter }

func (u unwrapped) Unwrap() http.ResponseWriter { return u.w }

// refusing is a Flusher whose flush fails.
type refusing struct{ plainWriter }

func (refusing) FlushError() error { return http.ErrNotSupported }

// writers lists kinds of middleware by the ResponseWriter they pass to the handler.
var writers = []struct {
	name    string
	wrap    func(http.Handler) http.Handler
	flushes bool
}{
	{"without Flush", wrapping(func(w http.ResponseWriter) http.ResponseWriter { return plainWriter{w} }), false},
	{"http.TimeoutHandler", func(h http.Handler) http.Handler { return http.TimeoutHandler(h, time.Minute, "too late") }, false},
	{"with Unwrap", wrapping(func(w http.ResponseWriter) http.ResponseWriter { return unwrapped{plainWriter{w}} }), true},
}

func wrapping(wrap func(http.ResponseWriter) http.ResponseWriter) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(wrap(w), r) })
	}
}

// sessionReport calls the tool of reportServer in a session.
var sessionReport = request("1", "tools/call", `"name":"report","_meta":{"progressToken":1}`)

// reportServer returns a server with a tool that reports progress twice and returns the cause if its context ends.
func reportServer(t *testing.T) (srv *runtime.Server, log *syncbuffer.Buffer) {
	t.Helper()
	tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (mcptool.Text, error) {
		mcptool.Progress(ctx, 1, 2, "")
		time.Sleep(time.Second)
		mcptool.Progress(ctx, 2, 2, "")
		time.Sleep(time.Second)
		return mcptool.Text{Text: "done"}, context.Cause(ctx)
	}, mcptool.Name("report"))
	if err != nil {
		t.Fatal(err)
	}
	log = &syncbuffer.Buffer{}
	srv = &runtime.Server{Tools: &mcptool.Registry{}, Logger: slog.New(slog.NewTextHandler(log, nil))}
	if err := srv.Tools.Add(tool); err != nil {
		t.Fatal(err)
	}
	return srv, log
}

// TestUnflushable: a ResponseWriter that cannot flush does not cancel calls. The client gets the result as JSON, and
// the log has one warning.
func TestUnflushable(t *testing.T) {
	t.Parallel()
	call := strings.Replace(modern("1", "tools/call", `,"name":"report"`), `"_meta":{`, `"_meta":{"progressToken":"p",`, 1)
	for _, middleware := range writers {
		t.Run(middleware.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv, log := reportServer(t)
				server := serveHandlerAt(t, loopback, middleware.wrap(newHandler(t, srv)))
				client := server.begin("2025-11-25")
				kind, warnings := "application/json", 1
				if middleware.flushes {
					kind, warnings = "text/event-stream", 0
				}
				for name, response := range map[string]answer{
					"modern":  server.do(t.Context(), http.MethodPost, call, heading("tools/call", "report")),
					"session": client.do(t.Context(), http.MethodPost, sessionReport, map[string]string{"Mcp-Session-Id": client.id}),
				} {
					body := bodyOf(t, response)
					if got := response.header.Get("Content-Type"); got != kind || !strings.Contains(body, `"text":"done"`) {
						t.Errorf("%s: Content-Type %q, want %q: %s", name, got, kind, body)
					}
					if want := middleware.flushes; strings.Contains(body, `"progress":2`) != want {
						t.Errorf("%s: progress sent: %v, want %v: %s", name, !want, want, body)
					}
				}
				if n := strings.Count(log.String(), "level=WARN"); n != warnings {
					t.Errorf("%d warnings, want %d:\n%s", n, warnings, log)
				}
			})
		})
	}
}

// TestUnflushableStreams: without flushing, a stream that stays open is refused, so that the client does not wait for
// it.
func TestUnflushableStreams(t *testing.T) {
	t.Parallel()
	for _, middleware := range writers[:2] {
		t.Run(middleware.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv, _ := reportServer(t)
				server := serveHandlerAt(t, loopback, middleware.wrap(newHandler(t, srv)))
				client := server.begin("2025-11-25")
				response := client.listen(t.Context(), "")
				if body := bodyOf(t, response); response.status != http.StatusMethodNotAllowed || response.header.Get("Allow") != "POST" || !strings.Contains(body, "see the log") {
					t.Errorf("GET in a session: status %d, unexpected: %s", response.status, body)
				}
				response = server.do(t.Context(), http.MethodPost, modern(`"s"`, "subscriptions/listen", subscribe), heading("subscriptions/listen", ""))
				if body := bodyOf(t, response); response.status != http.StatusNotAcceptable || !strings.Contains(body, "the answer is text/event-stream, which is not supported here: see the log of the server") {
					t.Errorf("a subscription: status %d: %s", response.status, body)
				}
				events := heading("ping", "")
				events["Accept"] = "text/event-stream"
				response = server.do(t.Context(), http.MethodPost, modern("1", "ping", ""), events)
				const want = "the answer is application/json, which Accept does not allow; text/event-stream is not supported here: see the log of the server"
				if body := bodyOf(t, response); response.status != http.StatusNotAcceptable || !strings.Contains(body, want) {
					t.Errorf("a client that accepts only event streams: status %d: %s, want 406: %s", response.status, body, want)
				}
				sse := serveHandlerAt(t, loopback, middleware.wrap(newSSEHandler(t, srv)))
				if response := sse.do(t.Context(), http.MethodGet, "", nil); response.status != http.StatusMethodNotAllowed {
					t.Errorf("GET of the SSE transport: status %d", response.status)
				}
			})
		})
	}
}

// TestFlushRefused: a failed flush does not end a stream.
func TestFlushRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, _ := reportServer(t)
		wrap := wrapping(func(w http.ResponseWriter) http.ResponseWriter { return refusing{plainWriter{w}} })
		client := serveHandlerAt(t, loopback, wrap(newHandler(t, srv))).begin("2025-11-25")
		if body := bodyOf(t, client.send(t.Context(), sessionReport)); !strings.Contains(body, `"progress":2`) || !strings.Contains(body, `"text":"done"`) {
			t.Error(body)
		}
	})
}

// TestUnflushableQuestion: an elicitation that would have to be sent before the response fails at once, in the earlier
// revisions.
func TestUnflushableQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := &runtime.Server{Tools: &mcptool.Registry{}, Logger: slog.New(slog.DiscardHandler)}
		tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (mcptool.Text, error) {
			return mcptool.Text{Text: "asked"}, mcptool.Confirm(ctx, "Sure?")
		}, mcptool.Name("ask"))
		if err != nil {
			t.Fatal(err)
		}
		if err := srv.Tools.Add(tool); err != nil {
			t.Fatal(err)
		}
		server := serveHandlerAt(t, loopback, writers[0].wrap(newHandler(t, srv)))
		begun := server.do(t.Context(), http.MethodPost, strings.Replace(hello("2025-06-18"), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1), nil)
		session := begun.header.Get("Mcp-Session-Id")
		if body := bodyOf(t, begun); begun.status != http.StatusOK || session == "" {
			t.Fatalf("status %d: %s", begun.status, body)
		}
		start := time.Now()
		response := server.do(t.Context(), http.MethodPost, request("1", "tools/call", `"name":"ask"`), map[string]string{"Mcp-Session-Id": session})
		if body := bodyOf(t, response); !strings.Contains(body, "cannot be reached") || time.Since(start) > time.Second {
			t.Errorf("after %v: %s", time.Since(start), body)
		}
	})
}
