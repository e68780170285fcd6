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

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// pinging is a session whose client is pinged when it is inactive: each minute, with half a
// minute to give one. It was initialized just now.
func pinging(t *testing.T, failures int, tools ...*mcptool.Tool) (w *wire, log *journal) {
	t.Helper()
	srv := serve(t, tools...)
	log = logged(srv, slog.LevelDebug)
	srv.Pings = runtime.Pings{Every: time.Minute, Failures: failures}
	w = open(t, srv)
	w.handshakeAble("2025-11-25")
	return w, log
}

// pass lets time pass, and what happens at its end happen.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// ended returns why the session has ended, nil if it has not.
func (w *wire) ended() error { return context.Cause(w.session.Context()) }

// wantPing wants the session to send a ping, and nothing else.
func (w *wire) wantPing(id string) {
	w.t.Helper()
	w.want(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
	w.quiet()
}

// anHour is how long a tool may take.
func anHour(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-time.After(time.Hour):
		return &mcptool.Result{}, nil
	}
}

// TestPings: a client that has been there falls silent, and is given up in the end.
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
			pass(time.Minute) // it has said something in the first one
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
					t.Errorf("ping %s: %d failures in the log, session: %v", id, got, w.ended())
				}
			}
			pass(30 * time.Second)
			if err := w.ended(); !errors.Is(err, runtime.ErrDisconnected) || !strings.Contains(err.Error(), "3 pings") {
				t.Errorf("the session ends with %v", err)
			}
			if err := <-ended; !errors.Is(err, runtime.ErrDisconnected) {
				t.Errorf("its call ends with %v", err)
			}
			if got := log.String(); strings.Contains(got, "response ignored") || strings.Count(got, "ping not answered") != 3 || !strings.Contains(got, `"client":"tester","failures":3,"most":3`) {
				t.Errorf("logged %s", got)
			}
			for len(w.out) > 0 { // the call is answered, to nobody
				<-w.out
			}
			pass(time.Hour)
			w.quiet()
		})
	})
}

// TestSignsOfLife: whatever a client sends shows that it is there.
func TestSignsOfLife(t *testing.T) {
	t.Parallel()
	const ping, note = `{"jsonrpc":"2.0","id":1,`, `{"jsonrpc":"2.0","method":`
	for _, test := range []struct{ name, reason, send string }{
		{"T-PING-02 an answer", "is what was asked for", ping + `"result":{}}`},
		{"T-PING-02 more than was asked for", "is an answer", ping + `"result":{"a":1}}`},
		{"T-PING-02 an error", "comes from somebody", ping + `"error":{"code":-32601,"message":"unknown method"}}`},
		{"T-PING-02 an answer to something else", "comes from somebody", `{"jsonrpc":"2.0","id":99,"result":{}}`},
		{"T-PING-02 a request", "is busy", legacy("7", "tools/list", "")},
		{"T-PING-02 a modern request", "is on the same connection", modern("7", "tools/list", "")},
		{"T-PING-02 a notification", "needs no answer", note + `"notifications/whatever"}`},
		{"T-PING-02 a cancellation", "of nothing", note + `"notifications/cancelled","params":{"requestId":77}}`},
		{"T-PING-02 no message", "somebody is talking", `what?`},
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
					t.Errorf("%s: %v, %s", test.reason, err, log)
				}
				for len(w.out) > 0 {
					<-w.out
				}
				pass(29 * time.Second) // the next one comes in its time
				w.wantPing("2")
				pass(31 * time.Second)
				if w.ended() == nil {
					t.Error("it is taken for gone no more")
				}
			})
		})
	}
	t.Run("T-PING-02 a message that is too large", func(t *testing.T) {
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

// TestPingsInARow: what counts is how many fail one after the other.
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
				w.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`) // late, of the first
			}
			if failures := strings.Count(log.String(), `"failures":1`); failures != 4 || w.ended() != nil {
				t.Errorf("%d failures, session: %v", failures, w.ended())
			}
		})
	})
}

// TestNoPings: which clients are not pinged.
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
		{"T-PING-02 by default", "clients exist that answer none", runtime.Pings{}, []string{hello, initialized}},
		{"T-PING-02 a negative time", "is none", runtime.Pings{Every: -1}, []string{hello, initialized}},
		{"T-PING-02 before initialize", "its revision may have none", minute, nil},
		{"T-PING-02 before initialized", "is not the time", minute, []string{hello}},
		{"T-PING-02 without initialize", "there is nobody", minute, []string{initialized}},
		{"T-PING-03 a modern client", "it has no such request", minute, []string{modern("1", "server/discover", "")}},
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
					t.Errorf("%s: %v", test.reason, err)
				}
			})
		})
	}
	t.Run("T-PING-02 a client that talks", func(t *testing.T) {
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
	t.Run("T-PING-02 while the session is closed", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w, log := pinging(t, 1, tool(t, "slow", anHour))
			w.send(callNamed("1", "slow"))
			pass(2 * time.Minute)
			w.wantPing("1") // nobody will read the answer
			if err := w.session.Close(t.Context()); err != nil {
				t.Error(err)
			}
			w.want(`"id":1,"result"`)
			w.quiet()
			if err := w.ended(); !errors.Is(err, runtime.ErrShutdown) || strings.Contains(log.String(), "ping") {
				t.Errorf("%v, %s", err, log)
			}
		})
	})
}

// TestPingOfFullQueue: while the session takes no more of what its client sends, an answer may be
// among that.
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
				t.Fatalf("nobody has heard it: %v", err)
			}
			w.quiet()
			pass(time.Minute)
			w.want(`"id":1,"result"`)
			w.quiet()
			pass(2 * time.Minute)
			if w.ended() == nil {
				t.Error("it is taken for gone no more")
			}
		})
	})
}

// TestPingIsNoQuestion: a ping takes nothing of what calls may ask, and shares no id with it.
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

// deaf is a client that reads nothing until it is told to.
type deaf struct{ hears chan struct{} }

func (d deaf) Send([]byte) error {
	<-d.hears
	return nil
}

// TestPingUnread: a client that does not read holds up a ping, and not the verdict.
func TestPingUnread(t *testing.T) {
	t.Parallel()
	t.Run("T-PING-02", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			srv := serve(t)
			srv.Pings = runtime.Pings{Every: time.Minute, Timeout: time.Second, Failures: 2}
			client := deaf{make(chan struct{})}
			session := srv.Open(t.Context(), client)
			go func() {
				w := &wire{t: t, session: session}
				w.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
					`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			}()
			synctest.Wait()
			client.hears <- struct{}{} // the answer to initialize
			pass(3*time.Minute + 2*time.Second)
			if err := context.Cause(session.Context()); !errors.Is(err, runtime.ErrDisconnected) {
				t.Errorf("the session ends with %v", err)
			}
			close(client.hears)
			_ = session.Close(t.Context())
		})
	})
}

// sometimes is an outbox whose client is there at times.
type sometimes struct {
	*wire
	there, written atomic.Bool
}

func (s *sometimes) Probe(msg []byte) func() bool {
	if !s.there.Load() {
		return nil
	}
	_ = s.Send(msg)
	return s.written.Load
}

// TestProber: what does not reach the client does not count against it.
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
			pass(31 * time.Second) // from here on a step has its ping, and the verdict on it
			steps := []struct {
				there, written bool
				reason         string
			}{
				{true, false, "it was not written"},
				{true, false, "nor again"},
				{true, true, "it is the first failure"},
				{false, true, "it was not sent, and breaks the row"},
				{true, true, "it is the first again"},
				{true, false, "it was not written, and breaks the row"},
				{true, true, "it is the first again"},
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
				t.Errorf("the session ends with %v", err)
			}
			_ = out.session.Close(t.Context())
		})
	})
}

// brokenProber panics when it is to send a ping, or when it is to say what has become of it.
type brokenProber struct {
	*wire
	late bool
}

func (b brokenProber) Probe([]byte) func() bool {
	if !b.late {
		panic("broken")
	}
	return func() bool { panic("broken") }
}

// TestBrokenProber: a transport that panics has not reached the client, which does not suffer.
func TestBrokenProber(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]bool{"at once": false, "when it is asked": true} {
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
					t.Errorf("logged %d times that it panicked: %s", n, log)
				}
				out.send(legacy("1", "tools/call", `"name":"echo","arguments":{}`))
				out.want(`"id":1,"result"`)
				if err := out.ended(); err != nil {
					t.Errorf("the session has ended: %v", err)
				}
				_ = out.session.Close(t.Context())
			})
		})
	}
}
