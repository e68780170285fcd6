package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// timeLimit is the result of a call that exceeds 30 s.
const timeLimit = `{"content":[{"type":"text","text":"the tool ran longer than its limit of 30s"}],"isError":true`

// TestTimeout: a call is answered at its timeout, whatever its tool does.
func TestTimeout(t *testing.T) {
	t.Parallel()
	const most = 30 * time.Second
	for _, test := range []struct {
		name string
		fn   func(context.Context) error
		want string
		at   time.Duration
	}{
		{"T-CANC-13 returns on cancellation", func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}, timeLimit, most},
		{"T-CANC-13 ignores its context", func(context.Context) error {
			time.Sleep(time.Hour)
			return nil
		}, timeLimit, most},
		{"T-CANC-13 reports progress", func(ctx context.Context) error {
			for i := 1; i < 3600; i++ {
				mcptool.Progress(ctx, float64(i), 0, "")
				time.Sleep(time.Second)
			}
			return nil
		}, timeLimit, most},
		{"polls its context", func(ctx context.Context) error {
			for ctx.Err() == nil {
				time.Sleep(7 * time.Second)
			}
			return ctx.Err()
		}, timeLimit, most},
		{"other error at the timeout", func(ctx context.Context) error {
			<-ctx.Done()
			return errors.New("the query was interrupted")
		}, timeLimit, most},
		{"own timeout", func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			<-ctx.Done()
			return fmt.Errorf("no answer from the database: %w", ctx.Err())
		}, "no answer from the database: context deadline exceeded", time.Second},
		{"returns at the timeout", func(context.Context) error {
			time.Sleep(most)
			return nil
		}, timeLimit, most},
		{"asks at the timeout", func(ctx context.Context) error {
			time.Sleep(most)
			return mcptool.Confirm(ctx, "Sure?")
		}, timeLimit, most},
		{"panics at the timeout", func(context.Context) error {
			time.Sleep(most)
			panic("too late")
		}, `"isError":true`, most},
		{"returns before the timeout", func(context.Context) error {
			time.Sleep(most - 1)
			return nil
		}, `"content":[]`, most - 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for how, ask := range askers() {
				t.Run(how, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						srv := serve(t, tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
							return nil, test.fn(ctx)
						}, mcptool.Timeout(most)))
						begun := time.Now()
						if got := ask(t, srv); !strings.Contains(got, test.want) || time.Since(begun) != test.at {
							t.Errorf("got after %v: %s\nwant after %v: %s", time.Since(begun), got, test.at, test.want)
						}
						time.Sleep(2 * time.Hour) // until every tool has returned
					})
				})
			}
		})
	}
}

// askers returns funcs that call the tool x in a session and at an endpoint, and return the answer.
func askers() map[string]func(t *testing.T, srv *runtime.Server) string {
	return map[string]func(t *testing.T, srv *runtime.Server) string{
		"session": func(t *testing.T, srv *runtime.Server) string {
			t.Helper()
			w := open(t, srv)
			w.handshake("2025-11-25")
			w.send(legacy("1", "tools/call", `"name":"x"`))
			return <-w.out
		},
		"endpoint": func(t *testing.T, srv *runtime.Server) string {
			t.Helper()
			x := newRecorder()
			srv.Endpoint(context.Background()).Answer(t.Context(), srv.Read([]byte(modern("1", "tools/call", `,"name":"x"`))), x)
			<-x.done
			return x.last
		},
	}
}

// TestTimeoutContext: the context of a call has the deadline, the error and the cause of
// the timeout.
func TestTimeoutContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const most = 30 * time.Second
		var deadline time.Time
		var err, cause, late error
		srv := serve(t, tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			deadline, _ = ctx.Deadline()
			<-ctx.Done()
			err, cause = ctx.Err(), context.Cause(ctx)
			return nil, err
		}, mcptool.Timeout(most)), tool(t, "deaf", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			time.Sleep(time.Hour)
			late = context.Cause(ctx) // first use of the context
			return nil, errors.Join(ctx.Err(), late)
		}, mcptool.Timeout(most)))
		w := open(t, srv)
		w.handshake("2025-11-25")
		begun := time.Now()
		w.send(legacy("1", "tools/call", `"name":"x"`), legacy("2", "tools/call", `"name":"deaf"`))
		for range 2 {
			if got := <-w.out; !strings.Contains(got, timeLimit) {
				t.Error(got)
			}
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if deadline.Sub(begun) != most || err != context.DeadlineExceeded {
			t.Errorf("Deadline after %v, Err = %v", deadline.Sub(begun), err)
		}
		for _, cause := range []error{cause, late} {
			if limit, ok := errors.AsType[*private.TimeoutError](cause); !ok || limit.Limit != most || !errors.Is(cause, context.DeadlineExceeded) {
				t.Errorf("Cause = %v, want a TimeoutError that is context.DeadlineExceeded", cause)
			}
		}
		w.quiet()
	})
}

// TestTimeoutKeepsPlace: a tool that ignores its context counts towards MaxConcurrentCalls until it returns, so that
// abandoned calls cannot accumulate.
func TestTimeoutKeepsPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int64
		srv := serve(t, tool(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			begun.Add(1)
			time.Sleep(time.Minute)
			return &mcptool.Result{}, nil
		}))
		srv.Limits = runtime.Limits{MaxConcurrentCalls: 1, CallTimeout: 30 * time.Second}
		w := open(t, srv)
		w.handshake("2025-11-25")
		w.send(legacy("1", "tools/call", `"name":"x"`), legacy("2", "tools/call", `"name":"x"`))
		time.Sleep(30 * time.Second)
		w.want(timeLimit)
		synctest.Wait()
		if begun.Load() != 1 {
			t.Error("the second call runs while the first is running")
		}
		time.Sleep(30*time.Second + 1)
		if begun.Load() != 2 {
			t.Error("the second call has not started")
		}
		time.Sleep(time.Hour)
		w.want(`"id":2`, timeLimit)
		w.quiet()
	})
}

// TestTimeoutOfReader: a call that runs in the goroutine that reads is also answered at its timeout, and does not delay
// later messages.
func TestTimeoutOfReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		naps := make(chan time.Duration, 2)
		naps <- 0
		naps <- time.Hour
		srv := serve(t, tool(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			time.Sleep(<-naps)
			return &mcptool.Result{}, nil
		}, mcptool.Timeout(30*time.Second)))
		w, f := stream(t, srv)
		f.messages <- legacy("1", "tools/call", `"name":"x"`)
		w.want(`"id":1`)
		synctest.Wait() // the tool is classified as fast
		begun := time.Now()
		f.messages <- legacy("2", "tools/call", `"name":"x"`)
		f.messages <- legacy("3", "ping", "")
		w.want(`"id":3`)
		if got := <-w.out; !strings.Contains(got, timeLimit) || time.Since(begun) != 30*time.Second {
			t.Errorf("got after %v: %s", time.Since(begun), got)
		}
		time.Sleep(time.Hour)
		w.quiet()
	})
}

// TestTimeoutOfAsking: the time in which the user is asked does not count, even for a call that runs in the goroutine that reads.
func TestTimeoutOfAsking(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asks := false
		srv := serve(t, tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			if asks {
				return &mcptool.Result{}, mcptool.Confirm(ctx, "Sure?")
			}
			return &mcptool.Result{}, nil
		}, mcptool.Timeout(30*time.Second)))
		w := open(t, srv)
		w.handshakeAble("2025-11-25")
		f := w.feed()
		w.trust(f, legacy("1", "tools/call", `"name":"x"`))
		asks = true
		begun := time.Now()
		f.messages <- legacy("2", "tools/call", `"name":"x"`)
		w.want("elicitation/create")
		time.Sleep(10 * time.Minute)
		f.messages <- confirmation(1, true)
		if got := <-w.out; !strings.Contains(got, `"id":2,"result":{"content":[]`) || time.Since(begun) != 10*time.Minute {
			t.Errorf("got after %v: %s", time.Since(begun), got)
		}
	})
}
