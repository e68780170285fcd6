// Command mcptool serves the tools of the measurements with this framework.
package main

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/peers/peer"
	"github.com/mcptool-go/mcptool/internal/lab/peers/tools"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

func main() { peer.Main(serve) }

func serve(setup peer.Setup) error {
	tools, err := newTools(limits(setup)...)
	if err != nil {
		return err
	}
	srv := &runtime.Server{Name: "bench", Version: "1.0.0", Tools: tools}
	if setup.Limits {
		srv.MaskErrors = true
		srv.Limits.CallTimeout = time.Minute
	}
	if setup.Audit {
		srv.Observer = audit.New(slog.New(slog.NewJSONHandler(io.Discard, nil))) //nolint:sloglint // measures the cost of the records
	}
	if setup.HTTP {
		handler, err := streamhttp.NewHandler(srv)
		if err != nil {
			return err
		}
		return peer.ServeHTTP(handler)
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

func newTools(opts ...mcptool.ToolOption) (*mcptool.Registry, error) {
	weather, err := mcptool.New(tools.GetWeather, append([]mcptool.ToolOption{mcptool.Description(tools.WeatherDescription)}, opts...)...)
	if err != nil {
		return nil, err
	}
	orders, err := mcptool.New(tools.SearchOrders, append([]mcptool.ToolOption{mcptool.Description(tools.OrdersDescription)}, opts...)...)
	if err != nil {
		return nil, err
	}
	registry := &mcptool.Registry{}
	return registry, registry.Add(weather, orders)
}
