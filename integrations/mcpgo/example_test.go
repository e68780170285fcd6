package mcpgo_test

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/integrations/mcpgo"
	"github.com/mcptool-go/mcptool/mcptool"
)

type ReserveIn struct {
	_     struct{} `mcp:"name=reserve" doc:"Reserve a table"`
	Seats int      `json:"seats" jsonschema:"minimum=1,maximum=12" doc:"how many"`
}

func Reserve(_ context.Context, in ReserveIn) (string, error) {
	return fmt.Sprintf("a table for %d", in.Seats), nil
}

// A server of mcp-go with a tool of this module.
func ExampleAddTools() {
	srv := server.NewMCPServer("restaurant", "1.0.0")
	reserve, err := mcptool.New(Reserve)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := mcpgo.AddTools(srv, reserve); err != nil {
		fmt.Println(err)
		return
	}

	// A program would serve it now, for example with server.ServeStdio(srv).
	ctx := context.Background()
	c, err := client.NewInProcessClient(srv)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{}); err != nil {
		fmt.Println(err)
		return
	}
	for _, seats := range []int{4, 40} {
		req := mcp.CallToolRequest{}
		req.Params.Name, req.Params.Arguments = "reserve", map[string]any{"seats": seats}
		res, err := c.CallTool(ctx, req)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(res.Content[0].(mcp.TextContent).Text)
	}
	// Output:
	// a table for 4
	// reserve: invalid arguments
	// seats: must be at most 12, got 40
	// Example: {"seats":1}
}
