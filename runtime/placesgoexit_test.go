package runtime_test

import (
	"context"
	"encoding/json"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

type rvExits struct{ A string }

func (*rvExits) UnmarshalJSON([]byte) error { goruntime.Goexit(); return nil }

func TestPlacesTypedGoexitLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo))
		type in struct {
			P   rvExits `json:"p"`
			Pad string  `json:"pad"`
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

// Two ordinary calls of one caller at the same time; nobody else.
func TestPlacesFanOutAlone(t *testing.T) {
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
		stuck := 0
		for range 300 {
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
