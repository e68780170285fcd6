package runtime_test

import (
	"context"
	"encoding/json"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

type rvTopic struct {
	Topic string `json:"topic"`
}

func TestPlacesCompletionLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo))
		p, err := mcptool.NewPrompt(func(context.Context, rvTopic) (string, error) { return "x", nil }, mcptool.Name("p"),
			mcptool.Complete("topic", func(context.Context, string, rvTopic) ([]string, error) {
				return slices.Repeat([]string{strings.Repeat("x", 200)}, 100), nil
			}))
		if err != nil {
			t.Fatal(err)
		}
		if err := srv.Tools.AddPrompts(p); err != nil {
			t.Fatal(err)
		}
		e := srv.Endpoint(t.Context())
		for range places() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "completion/complete", `,"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"topic","value":"x"}`), "mallory"), x)
			<-x.done
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waits for %v: %.200s", took, last)
		}
	})
}

func TestPlacesMethodGoexitLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := returning(t, "inner", strings.Repeat("x", 20<<10))
		srv := serve(t, tool(t, "echo", echo))
		srv.Methods = runtime.MustMethods(runtime.Method{Name: "acme/exit", Handle: func(ctx context.Context, _ json.RawMessage) (any, error) {
			_, _ = inner.Call(ctx, nil)
			goruntime.Goexit()
			return nil, nil
		}})
		e := srv.Endpoint(t.Context())
		for range places() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "acme/exit", ""), "mallory"), x)
			<-x.done
		}
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waits for %v: %.200s", took, last)
		}
	})
}
