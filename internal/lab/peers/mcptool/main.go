// Command mcptool serves the tools of the measurements with this framework.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/peers/peer"
	"github.com/mcptool-go/mcptool/internal/lab/peers/tools"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

func main() { peer.Main(serve) }

func serve(setup peer.Setup) error {
	registry := &mcptool.Registry{}
	add := func(registry *mcptool.Registry) error { return addTools(registry, limits(setup)...) }
	if setup.Many > 0 {
		add = func(registry *mcptool.Registry) error { return addMany(registry, setup) }
	}
	if err := add(registry); err != nil {
		return err
	}
	srv := &runtime.Server{Name: "bench", Version: "1.0.0", Tools: registry}
	srv.Limits.MaxResultBytes = 64 << 20 // 10 MB of rows are sent twice, as the protocol requires
	protect(srv, setup)
	if setup.HTTP {
		return peer.ServeHTTP(streamhttp.NewHandler(srv))
	}
	return stdio.Serve(context.Background(), srv)
}

// limits returns the limits of each tool, if enabled. Measurements do not reach them.
func limits(setup peer.Setup) []mcptool.ToolOption {
	if !setup.Limits {
		return nil
	}
	return []mcptool.ToolOption{
		mcptool.Timeout(30 * time.Second),
		mcptool.RateLimit(mcptool.Rate{Calls: 1 << 30}),
		mcptool.Concurrent(1 << 10),
	}
}

// protect enables the measured features of the server.
func protect(srv *runtime.Server, setup peer.Setup) {
	if setup.Limits {
		srv.MaskErrors = true
		srv.Limits.CallTimeout = time.Minute
	}
	if setup.Audit {
		srv.Audit = slog.New(slog.NewJSONHandler(io.Discard, nil)) //nolint:sloglint // measures the cost of the records
	}
	if setup.Middleware {
		srv.Middleware = []mcptool.Middleware{around}
	}
}

// around is a middleware without effect.
func around(next mcptool.Handler) mcptool.Handler {
	return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) { return next(ctx, args) }
}

func addTools(registry *mcptool.Registry, opts ...mcptool.ToolOption) error {
	with := func(description string) []mcptool.ToolOption {
		return slices.Concat(opts, []mcptool.ToolOption{mcptool.Description(description)})
	}
	return add(registry,
		defined(tools.GetWeather, with(tools.WeatherDescription)...),
		defined(tools.SearchOrders, with(tools.OrdersDescription)...),
		defined(tools.BigRows, with(tools.RowsDescription)...),
		defined(tools.Echo, with(tools.EchoDescription)...))
}

// definition is a result of mcptool.New.
type definition struct {
	tool *mcptool.Tool
	err  error
}

func defined[In, Out any](fn func(context.Context, In) (Out, error), opts ...mcptool.ToolOption) definition {
	tool, err := mcptool.New(fn, opts...)
	return definition{tool, err}
}

func add(registry *mcptool.Registry, definitions ...definition) error {
	all := make([]*mcptool.Tool, 0, len(definitions))
	for _, d := range definitions {
		if d.err != nil {
			return d.err
		}
		all = append(all, d.tool)
	}
	return registry.Add(all...)
}

// addMany adds many tools.
func addMany(registry *mcptool.Registry, setup peer.Setup) error {
	kinds := kinds()[:setup.Kinds]
	definitions := make([]definition, 0, setup.Many)
	for i := range setup.Many {
		definitions = append(definitions, kinds[i%len(kinds)](fmt.Sprintf("tool_%05d", i)))
	}
	return add(registry, definitions...)
}
