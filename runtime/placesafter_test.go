package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// A goroutine of the tool that notifies after the answer.
func TestPlacesLateNotifyLeaks(t *testing.T) {
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
		for range places() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "tools/call", `,"name":"late","arguments":{}`), "mallory"), x)
			<-x.done
			t.Log(<-told)
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waits for %v: %.200s", took, last)
		}
	})
}

// A method that makes pages, or calls a tool, and then fails.
func TestPlacesPageErrorLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo))
		srv.Methods = runtime.MustMethods(runtime.Method{Name: "acme/page", Handle: func(ctx context.Context, _ json.RawMessage) (any, error) {
			_, _, err := runtime.Page(ctx, []string{strings.Repeat("x", 20<<10)}, func(s string) string { return s }, nil)
			return nil, errors.Join(err, errors.New("no"))
		}})
		e := srv.Endpoint(t.Context())
		for range places() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "acme/page", ""), "mallory"), x)
			<-x.done
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waits for %v: %.200s", took, last)
		}
	})
}

// A tool that has timed out keeps its place.
func TestPlacesTimedOutKeeps(t *testing.T) {
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
		for range places() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "tools/call", `,"name":"outer","arguments":{}`), "mallory"), x)
			<-x.done
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waits for %v: %.200s", took, last)
		}
		time.Sleep(200 * time.Hour)
	})
}
