package streamhttp_test

import (
	"context"
	"log/slog"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

func ExampleSelectByRequest() {
	srv := &runtime.Server{Select: runtime.Selection{Except: []string{"admin"}}}
	// A client gets the tools of two groups with the URL http://127.0.0.1:8080/mcp?toolsets=issues,pulls.
	err := streamhttp.ListenAndServe(context.Background(), "127.0.0.1:8080", srv, streamhttp.SelectByRequest())
	if err != nil {
		slog.Error("server failed", "error", err)
	}
}
