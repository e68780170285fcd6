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

// TestEmptyRegistry: a server with an empty registry and no methods logs one warning.
func TestEmptyRegistry(t *testing.T) {
	t.Parallel()
	newServer := func() *runtime.Server { return &runtime.Server{Tools: &mcptool.Registry{}} }
	prompt, resource, method := newServer(), newServer(), newServer()
	addPrompt(t, prompt, "p", func(context.Context, noArguments) (string, error) { return "", nil })
	addResource(t, resource, "x://y", func(context.Context, noArguments) (string, error) { return "", nil })
	method.Methods = []runtime.Method{{Name: "acme/x", Handle: func(context.Context, json.RawMessage) (any, error) { return nil, nil }}}
	for _, test := range []struct {
		name string
		srv  *runtime.Server
		want int
	}{
		{"empty", newServer(), 1},
		{"tool", serve(t, tool(t, "x", echo)), 0},
		{"prompt", prompt, 0},
		{"resource", resource, 0},
		{"method", method, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			log := logged(test.srv, slog.LevelWarn)
			test.srv.Endpoint(t.Context())
			open(t, test.srv)
			open(t, test.srv)
			if n := strings.Count(log.String(), "clients will see no tools, prompts or resources: the registry is empty"); n != test.want {
				t.Errorf("got %d warnings, want %d: %s", n, test.want, log)
			}
		})
	}
}
