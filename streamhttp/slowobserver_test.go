package streamhttp_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// slowFor is how long a slow observer or log handler takes.
const slowFor = time.Hour

// slowObserver delays each session.
type slowObserver struct{}

func (slowObserver) Begin(ctx context.Context, op *observe.Operation) context.Context {
	if op.Kind == observe.KindSession {
		time.Sleep(slowFor)
	}
	return ctx
}

func (slowObserver) End(context.Context, *observe.Operation, observe.Result) {}

// slowHandler delays the records of resumed sessions, and warnings.
type slowHandler struct{ slog.Handler }

func (slowHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h slowHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "session resumed" || r.Level == slog.LevelWarn {
		time.Sleep(slowFor)
	}
	return h.Handler.Handle(ctx, r)
}

// TestSlowObserver: a slow observer or log handler for a resumed session delays only requests of that session.
func TestSlowObserver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		set  func(*runtime.Server)
	}{
		{"observer", func(srv *runtime.Server) { srv.Observer = slowObserver{} }},
		{"log handler", func(srv *runtime.Server) { srv.Logger = slog.New(slowHandler{slog.DiscardHandler}) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				before := serveCallers(t, keyed(t, 1))
				ada := before.greet("2025-06-18", "ada", `{}`)
				before.server.Close()
				srv := keyed(t, 1)
				tt.set(srv)
				after := serveCallers(t, srv)
				call := func(caller, session, id string) answer {
					header := map[string]string{"Caller": caller, "Mcp-Session-Id": session}
					return after.do(t.Context(), http.MethodPost, request(id, "tools/call", `"name":"describe"`), header)
				}
				bob := after.greet("2025-06-18", "bob", `{}`)
				begun := time.Now()
				ended := make(chan time.Duration, 2)
				for _, id := range []string{"1", "2"} {
					go func() {
						response := call("ada", ada, id)
						if body := bodyOf(t, response); !strings.Contains(body, "2025-06-18 desk 7") {
							t.Errorf("the resumed session: status %d: %s", response.status, body)
						}
						ended <- time.Since(begun)
					}()
				}
				synctest.Wait() // both requests wait for the observer or log handler
				if response := call("bob", bob, "1"); response.status != http.StatusOK {
					t.Errorf("another caller: status %d", response.status)
				}
				if took := time.Since(begun); took >= slowFor {
					t.Errorf("another caller waited %v", took)
				}
				for range 2 {
					if took := <-ended; took != slowFor {
						t.Errorf("a request of the resumed session took %v, want %v", took, slowFor)
					}
				}
			})
		})
	}
}

// TestSlowWarning: while a log handler handles a warning that is logged once, other requests that would cause the same
// warning are answered.
func TestSlowWarning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		before := serveCallers(t, keyed(t, 1)) // with a key unknown to the other server
		foreign := before.greet("2025-06-18", "ada", `{}`)
		before.server.Close()
		srv := keyed(t)
		srv.Logger = slog.New(slowHandler{slog.DiscardHandler})
		after := serveCallers(t, srv)
		begun := time.Now()
		ping := func() {
			header := map[string]string{"Caller": "ada", "Mcp-Session-Id": foreign}
			if response := after.do(t.Context(), http.MethodPost, request("1", "ping", ""), header); response.status != http.StatusNotFound {
				t.Errorf("status %d, want %d", response.status, http.StatusNotFound)
			}
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			ping()
		}()
		synctest.Wait() // reach the log handler
		ping()
		if took := time.Since(begun); took >= slowFor {
			t.Errorf("another request waited %v", took)
		}
		<-ended
		if took := time.Since(begun); took < slowFor {
			t.Errorf("the first request was answered after %v, so it logged no warning", took)
		}
	})
}
