package runtime_test

import (
	"context"
	"encoding/json"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// probe reports how long a long call of ann waits: what the others have left.
func probe(t *testing.T, srv *runtime.Server, e *runtime.Endpoint, who string) (time.Duration, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	x := newRecorder()
	began := time.Now()
	go e.Answer(ctx, access(srv, modern("1", "tools/call", `,"name":"echo","arguments":{"pad":"`+strings.Repeat("x", 20<<10)+`"}`), who), x)
	<-x.done
	return time.Since(began), x.last
}

func places() int { return max(goruntime.GOMAXPROCS(0)-1, 1) }

func TestPlacesMethodLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo))
		srv.Methods = runtime.MustMethods(runtime.Method{Name: "acme/long", Handle: func(context.Context, json.RawMessage) (any, error) {
			return map[string]string{"text": strings.Repeat("x", 20<<10)}, nil
		}})
		e := srv.Endpoint(t.Context())
		for range places() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "acme/long", ""), "mallory"), x)
			<-x.done
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waits for %v: %.200s", took, last)
		}
	})
}

func TestPlacesNestedHolds(t *testing.T) {
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
		for range places() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "tools/call", `,"name":"outer","arguments":{}`), "mallory"), x)
		}
		synctest.Wait()
		took, last := probe(t, srv, e, "ann")
		if took != 0 {
			t.Errorf("ann waits for %v: %.200s", took, last)
		}
		time.Sleep(time.Hour)
	})
}

func TestPlacesNotifyHolds(t *testing.T) {
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
		for range places() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "tools/call", `,"name":"outer","arguments":{}`), "mallory"), x)
		}
		synctest.Wait()
		took, last := probe(t, srv, e, "ann")
		if took != 0 {
			t.Errorf("ann waits for %v: %.200s", took, last)
		}
		time.Sleep(time.Hour)
	})
}

type rvPanics struct{ A string }

func (*rvPanics) UnmarshalJSON([]byte) error { panic("x") }

func TestPlacesTypedPanicLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo))
		type in struct {
			P   rvPanics `json:"p"`
			Pad string   `json:"pad"`
		}
		srv.Methods = runtime.MustMethods(runtime.Method{Name: "acme/typed", Handle: runtime.Typed(func(context.Context, in) (struct{}, error) {
			return struct{}{}, nil
		})})
		e := srv.Endpoint(t.Context())
		for range places() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "acme/typed", `,"p":1,"pad":"`+strings.Repeat("x", 20<<10)+`"`), "mallory"), x)
			<-x.done
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waits for %v: %.200s", took, last)
		}
	})
}

func TestPlacesFanOut(t *testing.T) {
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
		for range places() { // all places are taken, for a second
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
			t.Errorf("outer takes %v: %.200s", took, x.last)
		}
		time.Sleep(time.Minute)
		for i := range 3 {
			if took, last := probe(t, srv, ep, "ann"); took != 0 {
				t.Errorf("%d: ann waits for %v: %.200s", i, took, last)
			}
			if took, last := probe(t, srv, ep, "bob"+strconv.Itoa(i)); took != 0 {
				t.Errorf("%d: bob waits for %v: %.200s", i, took, last)
			}
		}
	})
}
