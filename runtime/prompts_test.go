package runtime_test

import (
	"context"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

type noArguments struct{}

// addPrompt adds a prompt to the registry of a server.
func addPrompt[In, Out any](tb testing.TB, srv *runtime.Server, name string, fn func(context.Context, In) (Out, error), opts ...mcptool.Option) {
	tb.Helper()
	p, err := mcptool.NewPrompt(fn, append(opts, mcptool.Name(name))...)
	if err == nil {
		err = srv.Tools.AddPrompts(p)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// confirms asks the user and then says so.
func confirms(ctx context.Context, _ noArguments) (string, error) {
	return "agreed", mcptool.Confirm(ctx, "Sure?")
}
