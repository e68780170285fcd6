package streamhttp_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// endTime is how long End of [sessionObserver] takes: less than Limits.CloseGrace.
const endTime = 500 * time.Millisecond

// sessionObserver keeps the ids of sessions that have begun, and of those that have ended. At the end of a session it
// takes some time, and then panics.
type sessionObserver struct {
	mu           sync.Mutex
	begun, ended []string
}

func (o *sessionObserver) Begin(ctx context.Context, op *observe.Operation) context.Context {
	o.mu.Lock()
	defer o.mu.Unlock()
	if op.Kind == observe.KindSession {
		o.begun = append(o.begun, op.SessionID)
	}
	return ctx
}

func (o *sessionObserver) End(_ context.Context, op *observe.Operation, _ observe.Result) {
	if op.Kind != observe.KindSession {
		return
	}
	time.Sleep(endTime)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = append(o.ended, op.SessionID)
	panic("the observer fails")
}

// ids returns the ids of the sessions that have begun and that have ended.
func (o *sessionObserver) ids() (begun, ended []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.begun), slices.Clone(o.ended)
}

// observedSessions returns a server with a tool that returns the id of its session.
func observedSessions(t *testing.T) (*runtime.Server, *sessionObserver) {
	t.Helper()
	srv, o := fixtureServer(t, nil), new(sessionObserver)
	srv.Observer = o
	srv.StateKeys = [][32]byte{{1}}
	addTool(t, srv, "session", func(ctx context.Context) string { return "session (" + mcptool.Caller(ctx).SessionID + ")" })
	return srv, o
}

// TestSessionEndObserved: an observer is notified of the end of a session once, however it ends, with the id that tools
// get. It is called without a lock, and its panic does not prevent that the session ends. A shutdown waits for it.
func TestSessionEndObserved(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		end  func(t *testing.T, client legacyClient)
	}{
		{"DELETE", func(t *testing.T, client legacyClient) {
			t.Helper()
			go func() {
				client.do(t.Context(), http.MethodDelete, "", map[string]string{"Mcp-Session-Id": client.id})
			}()
			time.Sleep(time.Millisecond)
		}},
		{"idle", func(*testing.T, legacyClient) { time.Sleep(time.Hour + time.Millisecond) }},
		{"replaced", func(t *testing.T, client legacyClient) {
			t.Helper()
			time.Sleep(time.Millisecond) // so that its session is idle for longer than the others
			for range 15 {
				client.begin("2025-06-18")
			}
			go func() {
				client.do(t.Context(), http.MethodPost, hello("2025-06-18"), nil)
			}()
			time.Sleep(time.Millisecond)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv, o := observedSessions(t)
				client := serve(t, srv, streamhttp.Sessions(16), streamhttp.SessionIdle(time.Hour)).begin("2025-06-18")
				test.end(t, client)
				begun := time.Now()
				if body := bodyOf(t, client.call(t.Context(), "echo", `{"text":"hi"}`)); !strings.Contains(body, "hi") || time.Since(begun) != 0 {
					t.Errorf("another request waits %v for the observer: %s", time.Since(begun), body)
				}
				time.Sleep(endTime)
				first, ended := o.ids()
				if !slices.Equal(first[:1], ended) {
					t.Errorf("the first session of %q has ended, the observer was notified of %q", first, ended)
				}
				if err := client.handler.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
				if all, ended := o.ids(); len(all) != len(ended) {
					t.Errorf("%d sessions have begun, and %d ended", len(all), len(ended))
				}
			})
		})
	}
}

// TestSessionID: a tool gets the id of its session, also after another process has resumed it. It is not the id in the
// header, with which others could use the session. Requests without a session have none.
func TestSessionID(t *testing.T) {
	t.Parallel()
	srv, o := observedSessions(t)
	client := serve(t, srv).begin("2025-11-25")
	begun, _ := o.ids()
	id := begun[0]
	call := request("1", "tools/call", `"name":"session"`)
	if body := bodyOf(t, client.send(t.Context(), call)); !strings.Contains(body, "session ("+id+")") || len(id) != 26 || strings.Contains(client.id, id) {
		t.Errorf("the id is %q, and the tool has %s", id, body)
	}
	if other := client.begin("2025-11-25"); strings.Contains(bodyOf(t, other.send(t.Context(), call)), id) {
		t.Error("another session has the same id")
	}
	after, o2 := observedSessions(t)
	resumed := legacyClient{serve(t, after), client.id}
	if body := bodyOf(t, resumed.send(t.Context(), call)); !strings.Contains(body, "session ("+id+")") {
		t.Errorf("resumed: %s, want %s", body, id)
	}
	if begun, _ := o2.ids(); !slices.Equal(begun, []string{id}) {
		t.Errorf("resumed: the observer has %q, want %s", begun, id)
	}
	for name, answer := range map[string]answer{
		"modern":     client.call(t.Context(), "session", `{}`),
		"no session": client.do(t.Context(), http.MethodPost, call, map[string]string{"MCP-Protocol-Version": "2025-06-18"}),
	} {
		if body := bodyOf(t, answer); !strings.Contains(body, "session ()") {
			t.Errorf("%s: %s", name, body)
		}
	}
}

// TestSSESessionEndObserved: the session of the transport of 2024-11-05 ends with its stream.
func TestSSESessionEndObserved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, o := observedSessions(t)
		ctx, leave := context.WithCancel(t.Context())
		client := serveSSE(t, srv).connect(ctx)
		client.post(hello("2024-11-05"))
		synctest.Wait()
		leave()
		time.Sleep(2 * endTime)
		if begun, ended := o.ids(); len(begun) != 1 || !slices.Equal(begun, ended) {
			t.Errorf("begun: %q, ended: %q", begun, ended)
		}
	})
}
