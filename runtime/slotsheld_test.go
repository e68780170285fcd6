package runtime_test

import (
	"context"
	"encoding/json"
	goruntime "runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestSlotsListerHolds: a lister waits without a slot, although an earlier page was long.
func TestSlotsListerHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo))
		addResource(t, srv, "rv://{id}", func(context.Context, textID) (string, error) { return "x", nil }, mcptool.ListWith(
			func(ctx context.Context, cursor string) (page []mcptool.ResourceLink, next string, err error) {
				if cursor != "" {
					time.Sleep(10 * time.Minute)
					return nil, "", nil
				}
				for i := range 30 {
					page = append(page, mcptool.ResourceLink{Name: "n" + strconv.Itoa(i), URI: "rv://" + strconv.Itoa(i), Description: strings.Repeat("x", 1000)})
				}
				return page, "2", nil
			}))
		e := srv.Endpoint(t.Context())
		for range slots() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "resources/list", ""), "mallory"), x)
		}
		synctest.Wait()
		took, last := probe(t, srv, e, "ann")
		if took != 0 {
			t.Errorf("ann waits for %v: %.200s", took, last)
		}
		time.Sleep(time.Hour)
	})
}

// TestSlotsListerDeadlock: a call that has a slot does not wait for a lister that waits for a slot.
func TestSlotsListerDeadlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := tool(t, "inner", echo)
		pad := json.RawMessage(`{"pad":"` + strings.Repeat("x", 20<<10) + `"}`)
		srv := serve(t, tool(t, "echo", echo))
		addResource(t, srv, "rv://{id}", func(context.Context, textID) (string, error) { return "x", nil }, mcptool.Concurrent(1), mcptool.ListWith(
			func(ctx context.Context, cursor string) (page []mcptool.ResourceLink, next string, err error) {
				if cursor != "" {
					return nil, "", nil
				}
				time.Sleep(time.Second)
				_, err = inner.Call(ctx, pad)
				for i := range 30 {
					page = append(page, mcptool.ResourceLink{Name: "n" + strconv.Itoa(i), URI: "rv://" + strconv.Itoa(i), Description: strings.Repeat("x", 1000)})
				}
				return page, "2", err
			}))
		e := srv.Endpoint(t.Context())
		began := time.Now()
		var all []*recorder
		for range slots() + 1 {
			x := newRecorder()
			all = append(all, x)
			go e.Answer(t.Context(), access(srv, modern("1", "resources/list", ""), "ann"), x)
			synctest.Wait()
		}
		for _, x := range all {
			<-x.done
			if took := time.Since(began); took > 10*time.Second || !strings.Contains(x.last, "rv://1") {
				t.Errorf("answered after %v: %.200s", took, x.last)
			}
		}
	})
}

// exitingParam ends the goroutine that decodes it.
type exitingParam struct{ A string }

func (*exitingParam) UnmarshalJSON([]byte) error { goruntime.Goexit(); return nil }

// TestSlotsTypedGoexitLeaks: params whose decoding calls runtime.Goexit keep no slot.
func TestSlotsTypedGoexitLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo))
		type in struct {
			P   exitingParam `json:"p"`
			Pad string       `json:"pad"`
		}
		srv.Methods = runtime.MustMethods(runtime.Method{Name: "acme/typed", Handle: runtime.Typed(func(context.Context, in) (struct{}, error) {
			return struct{}{}, nil
		})})
		e := srv.Endpoint(t.Context())
		for range slots() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "acme/typed", `,"p":1,"pad":"`+strings.Repeat("x", 20<<10)+`"`), "mallory"), x)
			<-x.done
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waits for %v: %.200s", took, last)
		}
	})
}

// TestSlotsFanOutAlone: two goroutines in each of several calls of one caller all get a slot in the end.
func TestSlotsFanOutAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := tool(t, "inner", echo)
		pad := json.RawMessage(`{"pad":"` + strings.Repeat("x", 20<<10) + `"}`)
		outer := tool(t, "outer", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			done := make(chan bool)
			for range 2 {
				go func() { _, _ = inner.Call(ctx, pad); done <- true }()
			}
			<-done
			<-done
			return &mcptool.Result{}, nil
		})
		srv := serve(t, tool(t, "echo", echo), outer)
		ep := srv.Endpoint(t.Context())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stuck, rounds := 0, 300
		if testing.Short() {
			rounds = 30
		}
		for range rounds {
			var all []*recorder
			for range 4 {
				x := newRecorder()
				all = append(all, x)
				go ep.Answer(ctx, access(srv, modern("1", "tools/call", `,"name":"outer","arguments":{}`), "ann"), x)
			}
			synctest.Wait()
			for _, x := range all {
				select {
				case <-x.done:
				default:
					stuck++
				}
			}
			if stuck > 0 {
				break
			}
		}
		if stuck > 0 {
			t.Errorf("%d calls of ann never end", stuck)
		}
		if took, _ := probe(t, srv, ep, "bob"); took != 0 {
			t.Errorf("bob waits %v", took)
		}
	})
}

// TestSlotsVisibleHolds: a condition of the author runs without a slot.
func TestSlotsVisibleHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo), tool(t, "hidden", echo, mcptool.VisibleIf(func(mcptool.CallInfo) bool { time.Sleep(10 * time.Minute); return true })))
		e := srv.Endpoint(t.Context())
		for range slots() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "tools/call", `,"name":"hidden","arguments":{"pad":"`+strings.Repeat("x", 20<<10)+`"}`), "mallory"), x)
		}
		synctest.Wait()
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waits for %v: %.100s", took, last)
		}
		time.Sleep(time.Hour)
	})
}
