// Command gosdk serves the tools of the measurements with the official Go SDK: typed
// tools with validated arguments and results.
package main

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/internal/lab/peers/peer"
	"github.com/mcptool-go/mcptool/internal/lab/peers/tools"
)

func main() { peer.Main(serve) }

func serve(setup peer.Setup) error {
	srv := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	add(srv, "get_weather", tools.WeatherDescription, tools.GetWeather)
	add(srv, "search_orders", tools.OrdersDescription, tools.SearchOrders)
	if setup.HTTP {
		options := &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}
		return peer.ServeHTTP(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, options))
	}
	return srv.Run(context.Background(), &mcp.StdioTransport{})
}

// add adds a tool with the schemas that all servers share.
func add[In, Out any](srv *mcp.Server, name, description string, fn func(context.Context, In) (Out, error)) {
	input, output := tools.Schemas(name)
	mcp.AddTool(srv, &mcp.Tool{Name: name, Description: description, InputSchema: input, OutputSchema: output}, handler(fn))
}

// handler adapts fn to the SDK.
func handler[In, Out any](fn func(context.Context, In) (Out, error)) mcp.ToolHandlerFor[In, Out] {
	return func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		out, err := fn(ctx, in)
		return nil, out, err
	}
}
