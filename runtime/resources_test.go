package runtime_test

import (
	"context"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// textID is the variable of a template.
type textID struct {
	ID string `json:"id"`
}

// addResource adds a resource to the registry of a server.
func addResource[In, Out any](tb testing.TB, srv *runtime.Server, uri string, fn func(context.Context, In) (Out, error), opts ...mcptool.Option) {
	tb.Helper()
	r, err := mcptool.NewResource(fn, append(opts, mcptool.Name("resource"), mcptool.URI(uri))...)
	if err == nil {
		err = srv.Tools.AddResources(r)
	}
	if err != nil {
		tb.Fatal(err)
	}
}
