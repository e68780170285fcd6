package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// probe returns how long a long call of who waits for a slot, and its answer.
func probe(t *testing.T, srv *runtime.Server, e runtime.Endpoint, who string) (time.Duration, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	x := newRecorder()
	began := time.Now()
	go e.Answer(ctx, access(srv, modern("1", "tools/call", `,"name":"echo","arguments":{"pad":"`+strings.Repeat("x", 20<<10)+`"}`), who), x)
	<-x.done
	return time.Since(began), x.last
}

// slots returns the number of slots for long work.
func slots() int { return max(goruntime.GOMAXPROCS(0)-1, 1) }

// TestSlotsMethodLeaks: a custom method with a long result releases its slot.
func TestSlotsMethodLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo))
		srv.Methods = []runtime.Method{{Name: "acme/long", Handle: func(context.Context, json.RawMessage) (any, error) {
			return map[string]string{"text": strings.Repeat("x", 20<<10)}, nil
		}}}
		e := srv.Endpoint(t.Context())
		for range slots() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "acme/long", ""), "mallory"), x)
			<-x.done
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waited %v for a slot, want 0: %.200s", took, last)
		}
	})
}

// TestSlotsNestedHolds: a tool that has called another tool with a long result has no slot while it runs.
func TestSlotsNestedHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := returning(t, "inner", strings.Repeat("x", 20<<10))
		outer := tool(t, "outer", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			if _, err := inner.Call(ctx, nil); err != nil {
				return nil, err
			}
			time.Sleep(10 * time.Minute)
			return &mcptool.Result{}, nil
		})
		srv := serve(t, tool(t, "echo", echo), outer)
		e := srv.Endpoint(t.Context())
		for range slots() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "tools/call", `,"name":"outer","arguments":{}`), "mallory"), x)
		}
		synctest.Wait()
		took, last := probe(t, srv, e, "ann")
		if took != 0 {
			t.Errorf("ann waited %v for a slot, want 0: %.200s", took, last)
		}
		time.Sleep(time.Hour)
	})
}

// TestSlotsNotifyHolds: a tool that has sent a long notification has no slot while it runs.
func TestSlotsNotifyHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		outer := tool(t, "outer", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			if err := runtime.Notify(ctx, "notifications/acme/x", map[string]string{"a": strings.Repeat("x", 20<<10)}); err != nil {
				return nil, err
			}
			time.Sleep(10 * time.Minute)
			return &mcptool.Result{}, nil
		})
		srv := serve(t, tool(t, "echo", echo), outer)
		e := srv.Endpoint(t.Context())
		for range slots() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "tools/call", `,"name":"outer","arguments":{}`), "mallory"), x)
		}
		synctest.Wait()
		took, last := probe(t, srv, e, "ann")
		if took != 0 {
			t.Errorf("ann waited %v for a slot, want 0: %.200s", took, last)
		}
		time.Sleep(time.Hour)
	})
}

// panickingParam panics when it is decoded.
type panickingParam struct{ A string }

func (*panickingParam) UnmarshalJSON([]byte) error { panic("x") }

// TestSlotsTypedPanicLeaks: the slot for decoding params is released if decoding panics.
func TestSlotsTypedPanicLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo))
		type in struct {
			P   panickingParam `json:"p"`
			Pad string         `json:"pad"`
		}
		srv.Methods = []runtime.Method{{Name: "acme/typed", Handle: runtime.Typed(func(context.Context, in) (struct{}, error) {
			return struct{}{}, nil
		})}}
		e := srv.Endpoint(t.Context())
		for range slots() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "acme/typed", `,"p":1,"pad":"`+strings.Repeat("x", 20<<10)+`"`), "mallory"), x)
			<-x.done
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waited %v for a slot, want 0: %.200s", took, last)
		}
	})
}

// TestSlotsFanOut: two goroutines of one call that do long work concurrently release exactly the slots that they have
// acquired, even if they had to wait.
func TestSlotsFanOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := echo
		inner := tool(t, "inner", e)
		pad := json.RawMessage(`{"pad":"` + strings.Repeat("x", 20<<10) + `"}`)
		outer := tool(t, "outer", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() { _, _ = inner.Call(ctx, pad) })
			}
			wg.Wait()
			return &mcptool.Result{}, nil
		})
		list := make([]element, 501)
		list[500] = 500
		srv := serve(t, tool(t, "echo", echo), outer, returning(t, "slow", list))
		ep := srv.Endpoint(t.Context())
		for range slots() { // occupy all slots for a second
			x := newRecorder()
			go ep.Answer(t.Context(), access(srv, modern("1", "tools/call", `,"name":"slow"`), "mallory"), x)
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		began := time.Now()
		x := newRecorder()
		go ep.Answer(ctx, access(srv, modern("1", "tools/call", `,"name":"outer","arguments":{}`), "ann"), x)
		<-x.done
		if took := time.Since(began); took > time.Second {
			t.Errorf("outer took %v, want at most 1s: %.200s", took, x.last)
		}
		time.Sleep(time.Minute)
		for i := range 3 {
			if took, last := probe(t, srv, ep, "ann"); took != 0 {
				t.Errorf("%d: ann waited %v for a slot, want 0: %.200s", i, took, last)
			}
			if took, last := probe(t, srv, ep, "bob"+strconv.Itoa(i)); took != 0 {
				t.Errorf("%d: bob waited %v for a slot, want 0: %.200s", i, took, last)
			}
		}
	})
}

// TestSlotsLateNotifyLeaks: a goroutine of a tool that calls Notify after the answer leaks no slot.
func TestSlotsLateNotifyLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		told := make(chan error, 10)
		late := tool(t, "late", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			go func() {
				time.Sleep(time.Minute)
				told <- runtime.Notify(ctx, "notifications/acme/x", map[string]string{"a": strings.Repeat("x", 20<<10)})
			}()
			return &mcptool.Result{}, nil
		})
		srv := serve(t, tool(t, "echo", echo), late)
		e := srv.Endpoint(t.Context())
		for range slots() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "tools/call", `,"name":"late","arguments":{}`), "mallory"), x)
			<-x.done
			t.Log(<-told)
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waited %v for a slot, want 0: %.200s", took, last)
		}
	})
}

// TestSlotsPageErrorLeaks: a method that calls Page and then fails releases its slot.
func TestSlotsPageErrorLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo))
		srv.Methods = []runtime.Method{{Name: "acme/page", Handle: func(ctx context.Context, _ json.RawMessage) (any, error) {
			_, _, err := runtime.Page(ctx, []string{strings.Repeat("x", 20<<10)}, func(s string) string { return s }, nil)
			return nil, errors.Join(err, errors.New("no"))
		}}}
		e := srv.Endpoint(t.Context())
		for range slots() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "acme/page", ""), "mallory"), x)
			<-x.done
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waited %v for a slot, want 0: %.200s", took, last)
		}
	})
}

// TestSlotsTimedOutKeeps: a tool that is still running after its timeout has no slot.
func TestSlotsTimedOutKeeps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := returning(t, "inner", strings.Repeat("x", 20<<10))
		outer := tool(t, "outer", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			_, _ = inner.Call(ctx, nil)
			time.Sleep(100 * time.Hour)
			return &mcptool.Result{}, nil
		}, mcptool.Timeout(time.Second))
		srv := serve(t, tool(t, "echo", echo), outer)
		e := srv.Endpoint(t.Context())
		for range slots() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "tools/call", `,"name":"outer","arguments":{}`), "mallory"), x)
			<-x.done
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waited %v for a slot, want 0: %.200s", took, last)
		}
		time.Sleep(200 * time.Hour)
	})
}

type topicParam struct {
	Topic string `json:"topic"`
}

// TestSlotsCompletionLeaks: a completion releases its slot.
func TestSlotsCompletionLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo))
		p, err := mcptool.NewPrompt(func(context.Context, topicParam) (string, error) { return "x", nil }, mcptool.Name("p"),
			mcptool.Complete("topic", func(context.Context, string, topicParam) ([]string, error) {
				return slices.Repeat([]string{strings.Repeat("x", 200)}, 100), nil
			}))
		if err != nil {
			t.Fatal(err)
		}
		if err := srv.Tools.Add(p); err != nil {
			t.Fatal(err)
		}
		e := srv.Endpoint(t.Context())
		for range slots() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "completion/complete", `,"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"topic","value":"x"}`), "mallory"), x)
			<-x.done
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waited %v for a slot, want 0: %.200s", took, last)
		}
	})
}

// TestSlotsMethodGoexitLeaks: the slot of a method that calls a tool and then runtime.Goexit is released.
func TestSlotsMethodGoexitLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := returning(t, "inner", strings.Repeat("x", 20<<10))
		srv := serve(t, tool(t, "echo", echo))
		srv.Methods = []runtime.Method{{Name: "acme/exit", Handle: func(ctx context.Context, _ json.RawMessage) (any, error) {
			_, _ = inner.Call(ctx, nil)
			goruntime.Goexit()
			return nil, nil
		}}}
		e := srv.Endpoint(t.Context())
		for range slots() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "acme/exit", ""), "mallory"), x)
			<-x.done
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waited %v for a slot, want 0: %.200s", took, last)
		}
	})
}
