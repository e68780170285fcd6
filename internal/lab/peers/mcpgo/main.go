// Command mcpgo serves the tools of the measurements with mark3labs/mcp-go: structured tools, with the library's
// validation of arguments and results, which is off by default, enabled.
package main

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/internal/lab/peers/peer"
	"github.com/mcptool-go/mcptool/internal/lab/peers/tools"
)

func main() { peer.Main(serve) }

func serve(setup peer.Setup) error {
	srv := server.NewMCPServer("bench", "1.0.0", server.WithRecovery(), server.WithInputSchemaValidation(), server.WithOutputSchemaValidation())
	add(srv, "get_weather", tools.WeatherDescription, tools.GetWeather)
	add(srv, "search_orders", tools.OrdersDescription, tools.SearchOrders)
	if setup.HTTP {
		return peer.ServeHTTP(server.NewStreamableHTTPServer(srv, server.WithStateLess(true)))
	}
	return server.ServeStdio(srv)
}

// add adds a tool with the schemas that all servers share.
func add[In, Out any](srv *server.MCPServer, name, description string, fn func(context.Context, In) (Out, error)) {
	input, output := tools.Schemas(name)
	tool := mcp.NewToolWithRawSchema(name, description, input)
	mcp.WithRawOutputSchema(output)(&tool)
	srv.AddTool(tool, handler(fn))
}

// handler adapts fn to the library.
func handler[In, Out any](fn func(context.Context, In) (Out, error)) server.ToolHandlerFunc {
	return mcp.NewStructuredToolHandler(func(ctx context.Context, _ mcp.CallToolRequest, in In) (Out, error) {
		return fn(ctx, in)
	})
}
