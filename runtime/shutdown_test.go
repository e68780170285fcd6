package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// cause returns the func of a tool that waits for the end of its context, and sends the cause to told.
func cause(told chan<- error) func(context.Context, json.RawMessage) (*mcptool.Result, error) {
	return func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		<-ctx.Done()
		told <- context.Cause(ctx)
		return nil, ctx.Err()
	}
}

// sleeper returns the func of a tool that sleeps for d, ignoring its context.
func sleeper(d time.Duration) func(context.Context, json.RawMessage) (*mcptool.Result, error) {
	return func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		time.Sleep(d)
		return &mcptool.Result{}, nil
	}
}

// bare opens a session that the test closes.
func bare(t *testing.T, srv *runtime.Server) *wire {
	t.Helper()
	w := &wire{t: t, out: make(chan string, 1000)}
	w.session = srv.Open(t.Context(), w)
	w.handshake("2025-11-25")
	return w
}

func TestCloseDrains(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		tool    func(context.Context, json.RawMessage) (*mcptool.Result, error)
		patient time.Duration // timeout of Close
		took    time.Duration
		answer  string
		err     bool
	}{
		{"returns in time", sleeper(time.Second), 5 * time.Second, time.Second, `"result":{"content":[]}`, false},
		{"returns on cancellation", cause(make(chan error, 1)), time.Second, time.Second, "shutting down", true},
		{"returns soon after cancellation", sleeper(1500 * time.Millisecond), time.Second, 1500 * time.Millisecond, `"result":{"content":[]}`, true},
		{"ignores its context", sleeper(time.Hour), time.Second, 2 * time.Second, "shutting down", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := bare(t, serve(t, tool(t, "x", test.tool)))
				w.send(legacy("1", "tools/call", `"name":"x"`))
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), test.patient)
				defer cancel()
				err := w.session.Close(ctx)
				if took := time.Since(start); took != test.took || (err != nil) != test.err {
					t.Errorf("Close = %v after %v; want an error: %t, after %v", err, took, test.err, test.took)
				}
				if test.err && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Close = %v, want context.DeadlineExceeded", err)
				}
				w.want(`"id":1`, test.answer)
				// Nothing more is sent, even when the tool returns.
				time.Sleep(2 * time.Hour)
				w.quiet()
			})
		})
	}
}

// TestCloseAgainstBlockedConn closes a session whose client has stopped reading.
func TestCloseAgainstBlockedConn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		unblock := make(chan struct{})
		srv := serve(t, tool(t, "x", echo))
		session := srv.Open(t.Context(), enginetest.Conn{Send: func(msg []byte) error {
			if strings.Contains(string(msg), `"id":1,`) {
				<-unblock
			}
			return nil
		}})
		session.Receive([]byte(modern(`"s"`, "subscriptions/listen", `,"notifications":{}`)))
		session.Receive([]byte(modern("1", "tools/call", `,"name":"x"`)))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := session.Close(ctx); err == nil || time.Since(start) > 3*time.Second {
			t.Errorf("Close = %v after %v, want an error within 3s", err, time.Since(start))
		}
		close(unblock)
	})
}

func TestCloseWithoutCalls(t *testing.T) {
	t.Parallel()
	w := bare(t, serve(t))
	for range 3 {
		if err := w.session.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	w.send(legacy("1", "tools/call", `"name":"x"`), modern("2", "subscriptions/listen", `,"notifications":{}`))
	w.want(`"id":1,"error"`)
	w.want(`"id":2,"error":{"code":-32603`)
	w.quiet()
}

// TestCauses: the cause of a tool's context is the reason of its end.
func TestCauses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		stop func(w *wire, cancel context.CancelFunc, broken chan<- bool)
		want error
		text string
	}{
		{"cancelled", func(w *wire, _ context.CancelFunc, _ chan<- bool) {
			w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"too\nslow"}}`)
		}, runtime.ErrCancelled, "the client cancelled the call: too slow"},
		{"closed", func(w *wire, _ context.CancelFunc, _ chan<- bool) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			_ = w.session.Close(ctx)
		}, runtime.ErrShutdown, "the server is shutting down"},
		{"client gone", func(w *wire, _ context.CancelFunc, broken chan<- bool) {
			broken <- true
			w.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		}, runtime.ErrDisconnected, "the client has disconnected: broken pipe"},
		{"context ended", func(_ *wire, cancel context.CancelFunc, _ chan<- bool) { cancel() }, context.Canceled, "context canceled"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				told, broken := make(chan error, 1), make(chan bool, 1)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				w := &wire{t: t, out: make(chan string, 100)}
				w.session = serve(t, tool(t, "x", cause(told))).Open(ctx, enginetest.Conn{Send: func(msg []byte) error {
					select {
					case <-broken:
						return errors.New("broken pipe")
					default:
						return w.Notify(msg)
					}
				}})
				w.handshake("2025-11-25")
				w.send(legacy("1", "tools/call", `"name":"x"`))
				synctest.Wait()
				test.stop(w, cancel, broken)
				if err := <-told; !errors.Is(err, test.want) || err.Error() != test.text {
					t.Errorf("Cause = %v, want %s", err, test.text)
				}
				_ = w.session.Close(t.Context())
			})
		})
	}
}

// TestGoexit: a tool may call runtime.Goexit, for example by t.FailNow in a test. Its call is
// answered, and the calls in the queue run.
func TestGoexit(t *testing.T) {
	t.Parallel()
	w := open(t, func() *runtime.Server {
		srv := serve(t, tool(t, "exit", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			goruntime.Goexit()
			return &mcptool.Result{}, nil
		}))
		srv.Limits.MaxConcurrentCalls = 1
		return srv
	}())
	w.handshake("2025-11-25")
	for _, id := range []string{"1", "2", "3"} {
		w.send(legacy(id, "tools/call", `"name":"exit"`))
	}
	for _, id := range []string{"1", "2", "3"} {
		w.want(`"id":`+id, "reference")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := w.session.Close(ctx); err != nil {
		t.Error(err)
	}
}

// TestGoexitWithoutCall: a condition or an observer that calls runtime.Goexit while a message without a call is served does
// not end the reading.
func TestGoexitWithoutCall(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"condition", "Begin", "End"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			var exits atomic.Bool
			exit := func(from string) {
				if from == at && exits.CompareAndSwap(true, false) {
					goruntime.Goexit()
				}
			}
			srv := serve(t, tool(t, "one", echo, mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool {
				exit("condition")
				return true
			})))
			srv.Observer = observerFunc(func(ctx context.Context, _ *observe.Operation) context.Context {
				exit("Begin")
				return ctx
			}, func(context.Context, *observe.Operation, observe.Result) { exit("End") })
			log := logged(srv, slog.LevelError)
			w := open(t, srv)
			w.handshake("2025-11-25")
			exits.Store(true)
			messages := make(chan string, 3)
			messages <- legacy("1", "tools/list", "")
			messages <- legacy("2", "ping", "")
			messages <- legacy("3", "tools/call", `"name":"one"`)
			close(messages)
			ended := make(chan error, 1)
			go func() { ended <- w.session.ReceiveFrom(&feed{messages: messages, err: io.EOF}) }()
			select {
			case err := <-ended:
				if err != nil {
					t.Errorf("ReceiveFrom = %v", err)
				}
			case <-time.After(5 * time.Second):
				t.Fatal("no goroutine reads any more")
			}
			if at == "End" {
				w.want(`"id":1`)
			}
			w.want(`"id":2`)
			w.want(`"id":3`)
			if err := w.session.Close(t.Context()); err != nil {
				t.Errorf("Close = %v", err)
			}
			if !strings.Contains(log.String(), "runtime.Goexit") {
				t.Errorf("the log does not say why the message was not served: %s", log)
			}
		})
	}
}
