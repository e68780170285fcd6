package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// pinging opens a session that pings an inactive client every minute, with a timeout of 30
// seconds.
func pinging(t *testing.T, failures int, tools ...*mcptool.Tool) (w *wire, log *journal) {
	t.Helper()
	srv := serve(t, tools...)
	log = logged(srv, slog.LevelDebug)
	srv.Pings = runtime.Pings{Every: time.Minute, Failures: failures}
	w = open(t, srv)
	w.handshakeAble("2025-11-25")
	return w, log
}

// pass sleeps and then waits until all goroutines are idle.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// ended returns the cause of the end of the session, or nil.
func (w *wire) ended() error { return context.Cause(w.session.Context()) }

// wantPing checks that the session sends a ping and nothing else.
func (w *wire) wantPing(id string) {
	w.t.Helper()
	w.want(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
	w.quiet()
}

// anHour is the func of a tool that takes an hour.
func anHour(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-time.After(time.Hour):
		return &mcptool.Result{}, nil
	}
}

// TestPings: a client that stops answering pings is disconnected.
func TestPings(t *testing.T) {
	t.Parallel()
	t.Run("T-PING-02", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ended := make(chan error, 1)
			w, log := pinging(t, 0, tool(t, "slow", func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
				result, err := anHour(ctx, args)
				ended <- err
				return result, err
			}))
			w.send(callNamed("1", "slow"))
			pass(time.Minute) // the client was active in the first minute
			w.quiet()
			for _, id := range []string{"1", "2"} {
				pass(time.Minute)
				w.wantPing(id)
				w.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
			}
			for i, id := range []string{"3", "4", "5"} {
				pass(time.Minute)
				w.wantPing(id)
				if got := strings.Count(log.String(), "ping not answered"); got != i || w.ended() != nil {
					t.Errorf("ping %s: %d failures in the log, want %d; session ended with %v", id, got, i, w.ended())
				}
			}
			pass(30 * time.Second)
			if err := w.ended(); !errors.Is(err, runtime.ErrDisconnected) || !strings.Contains(err.Error(), "3 pings") {
				t.Errorf("the session ended with %v, want ErrDisconnected after 3 pings", err)
			}
			if err := <-ended; !errors.Is(err, runtime.ErrDisconnected) {
				t.Errorf("the call ended with %v, want ErrDisconnected", err)
			}
			if got := log.String(); strings.Contains(got, "response ignored") || strings.Count(got, "ping not answered") != 3 || !strings.Contains(got, `"client":"tester","failures":3,"most":3`) {
				t.Errorf("log = %s, want 3 unanswered pings", got)
			}
			for len(w.out) > 0 { // the answer to the call is still written
				<-w.out
			}
			pass(time.Hour)
			w.quiet()
		})
	})
}

// TestSignsOfLife: any message of a client counts as activity.
func TestSignsOfLife(t *testing.T) {
	t.Parallel()
	const ping, note = `{"jsonrpc":"2.0","id":1,`, `{"jsonrpc":"2.0","method":`
	for _, test := range []struct{ name, reason, send string }{
		{"T-PING-02 response", "the answer to the ping", ping + `"result":{}}`},
		{"T-PING-02 response with members", "an answer to the ping", ping + `"result":{"a":1}}`},
		{"T-PING-02 error response", "the client is alive", ping + `"error":{"code":-32601,"message":"unknown method"}}`},
		{"T-PING-02 unrelated response", "the client is alive", `{"jsonrpc":"2.0","id":99,"result":{}}`},
		{"T-PING-02 request", "the client is active", legacy("7", "tools/list", "")},
		{"T-PING-02 modern request", "sent on the same connection", modern("7", "tools/list", "")},
		{"T-PING-02 notification", "needs no answer", note + `"notifications/whatever"}`},
		{"T-PING-02 cancellation", "of an unknown request", note + `"notifications/cancelled","params":{"requestId":77}}`},
		{"T-PING-02 invalid message", "the client is alive", `what?`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, log := pinging(t, 1)
				pass(2 * time.Minute)
				w.wantPing("1")
				pass(29 * time.Second)
				w.send(test.send)
				pass(2 * time.Second)
				if err := w.ended(); err != nil || strings.Contains(log.String(), "not answered") {
					t.Errorf("%s: session ended with %v; log: %s", test.reason, err, log)
				}
				for len(w.out) > 0 {
					<-w.out
				}
				pass(29 * time.Second) // the next ping is sent in time
				w.wantPing("2")
				pass(31 * time.Second)
				if w.ended() == nil {
					t.Error("the session did not end after an unanswered ping")
				}
			})
		})
	}
	t.Run("T-PING-02 message too large", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w, _ := pinging(t, 1)
			pass(2 * time.Minute)
			w.wantPing("1")
			w.session.Reject(errors.New("too large"), nil)
			pass(time.Minute - time.Second)
			if err := w.ended(); err != nil {
				t.Error(err)
			}
		})
	})
}

// TestPingsInARow: only consecutive failures count.
func TestPingsInARow(t *testing.T) {
	t.Parallel()
	t.Run("T-PING-02", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w, log := pinging(t, 2)
			pass(time.Minute)
			for _, id := range []string{"1", "3", "5", "7"} {
				pass(time.Minute)
				w.wantPing(id)
				pass(time.Minute)
				w.next()
				w.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`) // late response to the first ping
			}
			if failures := strings.Count(log.String(), `"failures":1`); failures != 4 || w.ended() != nil {
				t.Errorf("got %d failures, want 4; session ended with %v", failures, w.ended())
			}
		})
	})
}

// TestNoPings checks which clients are not pinged.
func TestNoPings(t *testing.T) {
	t.Parallel()
	hello := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	initialized := `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	minute := runtime.Pings{Every: time.Minute}
	for _, test := range []struct {
		name, reason string
		pings        runtime.Pings
		send         []string
	}{
		{"T-PING-02 default", "some clients answer no pings", runtime.Pings{}, []string{hello, initialized}},
		{"T-PING-02 before initialize", "the revision is unknown", minute, nil},
		{"T-PING-02 before initialized", "not ready yet", minute, []string{hello}},
		{"T-PING-02 without initialize", "no client is known", minute, []string{initialized}},
		{"T-PING-03 modern client", "the revision has no pings", minute, []string{modern("1", "server/discover", "")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serve(t)
				srv.Pings = test.pings
				w := open(t, srv)
				w.send(test.send...)
				for len(w.out) > 0 {
					<-w.out
				}
				pass(24 * time.Hour)
				w.quiet()
				if err := w.ended(); err != nil {
					t.Errorf("%s: session ended with %v", test.reason, err)
				}
			})
		})
	}
	t.Run("T-PING-02 active client", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w, _ := pinging(t, 1)
			for range 100 {
				pass(59 * time.Second)
				w.send(initialized)
			}
			w.quiet()
		})
	})
	t.Run("T-PING-02 closing session", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w, log := pinging(t, 1, tool(t, "slow", anHour))
			w.send(callNamed("1", "slow"))
			pass(2 * time.Minute)
			w.wantPing("1") // never answered
			if err := w.session.Close(t.Context()); err != nil {
				t.Error(err)
			}
			w.want(`"id":1,"result"`)
			w.quiet()
			if err := w.ended(); !errors.Is(err, runtime.ErrShutdown) || strings.Contains(log.String(), "ping") {
				t.Errorf("session ended with %v, want ErrShutdown and no ping in the log: %s", err, log)
			}
		})
	})
}

// TestPingOfFullQueue: while the session does not read because its queue is full, the answer to a ping may be
// unread.
func TestPingOfFullQueue(t *testing.T) {
	t.Parallel()
	t.Run("T-PING-02", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			srv := serve(t, tool(t, "slow", anHour))
			srv.Limits.MaxConcurrentCalls, srv.Limits.MaxQueuedCalls = 1, 1
			srv.Pings = runtime.Pings{Every: time.Minute, Failures: 1}
			w := open(t, srv)
			w.handshake("2025-11-25")
			pass(2 * time.Minute)
			w.wantPing("1")
			go w.send(callNamed("1", "slow"), callNamed("2", "slow"), callNamed("3", "slow"), `{"jsonrpc":"2.0","id":1,"result":{}}`)
			pass(time.Hour - time.Second)
			if err := w.ended(); err != nil {
				t.Fatalf("the session ended while it did not read: %v", err)
			}
			w.quiet()
			pass(time.Minute)
			w.want(`"id":1,"result"`)
			w.quiet()
			pass(2 * time.Minute)
			if w.ended() == nil {
				t.Error("the session did not end after an unanswered ping")
			}
		})
	})
}

// TestPingIsNoQuestion: a ping does not count towards MaxClientRequests, and has its own id.
func TestPingIsNoQuestion(t *testing.T) {
	t.Parallel()
	t.Run("T-PING-02", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			srv := serve(t, confirming(t, "ask", nil))
			runtime.Fixed(srv).MaxClientRequests = 1
			srv.Pings = runtime.Pings{Every: time.Minute}
			w := open(t, srv)
			w.handshakeAble("2025-11-25")
			pass(2 * time.Minute)
			w.wantPing("1")
			w.send(callNamed("1", "ask"))
			w.want(`"id":2,"method":"elicitation/create"`)
			pass(time.Minute)
			w.wantPing("3")
			w.send(`{"jsonrpc":"2.0","id":3,"result":{}}`, agreeTo(2))
			w.want(`"id":1,"result"`, "agreed")
		})
	})
}

// deaf is a client that reads one message per send to hears.
type deaf struct{ hears chan struct{} }

func (d deaf) hear([]byte) error {
	<-d.hears
	return nil
}

// TestPingUnread: a client that does not read blocks the ping but not its timeout.
func TestPingUnread(t *testing.T) {
	t.Parallel()
	t.Run("T-PING-02", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			srv := serve(t)
			srv.Pings = runtime.Pings{Every: time.Minute, Timeout: time.Second, Failures: 2}
			client := deaf{make(chan struct{})}
			session := srv.Open(t.Context(), enginetest.Conn{Send: client.hear})
			go func() {
				w := &wire{t: t, session: session}
				w.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
					`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			}()
			synctest.Wait()
			client.hears <- struct{}{} // the answer to initialize
			pass(3*time.Minute + 2*time.Second)
			if err := context.Cause(session.Context()); !errors.Is(err, runtime.ErrDisconnected) {
				t.Errorf("the session ended with %v, want ErrDisconnected", err)
			}
			close(client.hears)
			_ = session.Close(t.Context())
		})
	})
}

// sometimes is a connection whose client is not always connected.
type sometimes struct {
	*wire
	there, written atomic.Bool
}

func (s *sometimes) Probe(msg []byte) (reached func() bool, err error) {
	if !s.there.Load() {
		return nil, runtime.ErrUndelivered
	}
	return s.written.Load, s.Notify(msg)
}

// TestProber: a ping that does not reach the client does not count as a failure.
func TestProber(t *testing.T) {
	t.Parallel()
	t.Run("T-PING-02", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			srv := serve(t)
			srv.Pings = runtime.Pings{Every: time.Minute, Failures: 2}
			out := &sometimes{wire: &wire{t: t, out: make(chan string, 100)}}
			out.session = srv.Open(t.Context(), out)
			out.handshake("2025-11-25")
			pass(10 * time.Minute)
			out.quiet()
			pass(31 * time.Second) // each step below sees one ping and its timeout
			steps := []struct {
				there, written bool
				reason         string
			}{
				{true, false, "not written"},
				{true, false, "not written again"},
				{true, true, "first failure"},
				{false, true, "not sent, so the count restarts"},
				{true, true, "first failure again"},
				{true, false, "not written, so the count restarts"},
				{true, true, "first failure again"},
			}
			for _, step := range steps {
				out.there.Store(step.there)
				out.written.Store(step.written)
				pass(time.Minute)
				if step.there {
					out.want(`"method":"ping"`)
				}
				out.quiet()
				if err := out.ended(); err != nil {
					t.Fatalf("%s: %v", step.reason, err)
				}
			}
			pass(time.Minute)
			if err := out.ended(); !errors.Is(err, runtime.ErrDisconnected) {
				t.Errorf("the session ended with %v, want ErrDisconnected", err)
			}
			_ = out.session.Close(t.Context())
		})
	})
}

// brokenProber panics when it sends a ping, or when it is asked whether the ping was written.
type brokenProber struct {
	*wire
	late bool
}

func (b brokenProber) Probe([]byte) (reached func() bool, err error) {
	if !b.late {
		panic("broken")
	}
	return func() bool { panic("broken") }, nil
}

// TestBrokenProber: if the transport panics, the ping does not count as a failure.
func TestBrokenProber(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]bool{"send": false, "written": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serve(t, tool(t, "echo", echo))
				log := logged(srv, slog.LevelError)
				srv.Pings = runtime.Pings{Every: time.Minute, Failures: 1}
				out := &wire{t: t, out: make(chan string, 100)}
				out.session = srv.Open(t.Context(), brokenProber{out, late})
				out.handshake("2025-11-25")
				pass(10 * time.Minute)
				if n := strings.Count(log.String(), "broken"); n < 9 {
					t.Errorf("the panic was logged %d times, want at least 9: %s", n, log)
				}
				out.send(legacy("1", "tools/call", `"name":"echo","arguments":{}`))
				out.want(`"id":1,"result"`)
				if err := out.ended(); err != nil {
					t.Errorf("the session ended with %v", err)
				}
				_ = out.session.Close(t.Context())
			})
		})
	}
}
