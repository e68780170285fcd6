package runtime_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestEmptyRegistry: a server that has nothing to show logs one warning when it begins to serve.
func TestEmptyRegistry(t *testing.T) {
	t.Parallel()
	newServer := func() *runtime.Server { return &runtime.Server{Tools: &mcptool.Registry{}} }
	prompt, resource, method := newServer(), newServer(), newServer()
	addPrompt(t, prompt, "p", func(context.Context, noArguments) (string, error) { return "", nil })
	addResource(t, resource, "x://y", func(context.Context, noArguments) (string, error) { return "", nil })
	method.Methods = runtime.MustMethods(runtime.Method{Name: "acme/x", Handle: func(context.Context, json.RawMessage) (any, error) { return nil, nil }})
	for _, test := range []struct {
		name string
		srv  *runtime.Server
		want int
	}{
		{"nothing", newServer(), 1},
		{"a tool", serve(t, tool(t, "x", echo)), 0},
		{"a prompt", prompt, 0},
		{"a resource", resource, 0},
		{"a method", method, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			log := logged(test.srv, slog.LevelWarn)
			test.srv.Endpoint(t.Context())
			open(t, test.srv)
			open(t, test.srv)
			if n := strings.Count(log.String(), "clients will see no tools, prompts or resources: the registry is empty"); n != test.want {
				t.Errorf("%d warnings, want %d: %s", n, test.want, log)
			}
		})
	}
}
