package streamhttp_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestQuietCall: if the client accepts streams, a call that sends nothing before its result is answered on an event
// stream after the interval of KeepAlive, kept open by comments.
func TestQuietCall(t *testing.T) {
	t.Parallel()
	const long, short = 6 * time.Second, 500 * time.Millisecond
	for _, test := range []struct {
		name     string
		accept   string
		takes    time.Duration
		interval time.Duration
		comments int // -1: the answer is JSON
	}{
		{"long", "application/json, text/event-stream", long, time.Second, 4},
		{"short", "application/json, text/event-stream", short, time.Second, -1},
		{"for a client without streams", "application/json", long, time.Second, -1},
		{"for a client with streams only", "text/event-stream", long, time.Second, 4},
		{"without KeepAlive", "application/json, text/event-stream", long, 0, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := fixtureServer(t, nil)
				var takes time.Duration
				addTool(t, srv, "quiet", func(context.Context) string {
					time.Sleep(takes)
					return "done"
				})
				server := serve(t, srv, streamhttp.KeepAlive(test.interval))
				sessions := map[string]func() answer{
					"modern": func() answer {
						return server.do(t.Context(), http.MethodPost, modern("1", "tools/call", `,"name":"quiet"`), heading("tools/call", "quiet", "Accept", test.accept))
					},
				}
				for _, version := range legacyVersions {
					id := server.begin(version).id
					sessions[version] = func() answer {
						return server.do(t.Context(), http.MethodPost, request("1", "tools/call", `"name":"quiet"`), map[string]string{"Mcp-Session-Id": id, "Accept": test.accept})
					}
				}
				sessions["batch"] = func() answer {
					return server.do(t.Context(), http.MethodPost, "["+request("1", "tools/call", `"name":"quiet"`)+"]", server.batchSession(test.accept))
				}
				for range 9 {
					bodyOf(t, sessions["2025-06-18"]()) // so that the next one runs in the goroutine of its request
				}
				takes = test.takes
				for version, call := range sessions {
					began := time.Now()
					response := call()
					begins := time.Since(began)
					if test.comments < 0 {
						if kind := response.header.Get("Content-Type"); kind != "application/json" || begins != test.takes {
							t.Errorf("%s: Content-Type %s after %v", version, kind, begins)
						}
						continue
					}
					if begins > test.interval+200*time.Millisecond {
						t.Errorf("%s: the stream begins after %v", version, begins)
					}
					stream := eventsOf(response)
					if version == "2025-11-25" {
						stream.want(t, "")
					}
					stream.want(t, `"text":"done"`)
					stream.wantEnd(t)
					if stream.comments < test.comments {
						t.Errorf("%s: %d comments, want at least %d", version, stream.comments, test.comments)
					}
				}
			})
		})
	}
}

// TestQuietError: an error after the stream has begun is sent on it, although its own status would differ.
func TestQuietError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (mcptool.Text, error) {
			time.Sleep(5 * time.Second)
			return mcptool.Text{}, mcptool.Require(ctx, "sampling")
		}, mcptool.Name("sample"))
		if err != nil {
			t.Fatal(err)
		}
		srv := fixtureServer(t, nil)
		if err := srv.Tools.Add(tool); err != nil {
			t.Fatal(err)
		}
		response := serve(t, srv, streamhttp.KeepAlive(time.Second)).call(t.Context(), "sample", `{}`)
		stream := eventsOf(response)
		stream.want(t, `"code":-32021`)
		stream.wantEnd(t)
		if response.status != http.StatusOK {
			t.Errorf("status %d", response.status)
		}
	})
}

// TestQuietClient: disconnecting during a quiet modern call cancels it, and nothing more is written to the client.
func TestQuietClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, causes := fixtureServer(t, nil), make(chan error, 1)
		addTool(t, srv, "quiet", func(ctx context.Context) string {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return ""
		})
		server := serve(t, srv, streamhttp.KeepAlive(time.Second))
		ctx, leave := context.WithCancel(t.Context())
		server.do(ctx, http.MethodPost, modern("1", "tools/call", `,"name":"quiet"`), heading("tools/call", "quiet"))
		time.Sleep(5 * time.Second)
		leave()
		if cause := <-causes; !errors.Is(cause, runtime.ErrDisconnected) {
			t.Error(cause)
		}
	})
}
