package main

import (
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/internal/lab/peers/tools"
)

// A kind defines a tool with its own types, see [tools.ManyIn].
type kind func(srv *server.MCPServer, name string)

// kinds returns a thousand kinds. It is repeated in each server, because Go cannot pass a generic func as an argument,
// and each library defines tools differently.
func kinds() []kind {
	var all []kind
	all = append(all, hundred[tools.D0]()...)
	all = append(all, hundred[tools.D1]()...)
	all = append(all, hundred[tools.D2]()...)
	all = append(all, hundred[tools.D3]()...)
	all = append(all, hundred[tools.D4]()...)
	all = append(all, hundred[tools.D5]()...)
	all = append(all, hundred[tools.D6]()...)
	all = append(all, hundred[tools.D7]()...)
	all = append(all, hundred[tools.D8]()...)
	all = append(all, hundred[tools.D9]()...)
	return all
}

func hundred[H any]() []kind {
	var all []kind
	all = append(all, ten[H, tools.D0]()...)
	all = append(all, ten[H, tools.D1]()...)
	all = append(all, ten[H, tools.D2]()...)
	all = append(all, ten[H, tools.D3]()...)
	all = append(all, ten[H, tools.D4]()...)
	all = append(all, ten[H, tools.D5]()...)
	all = append(all, ten[H, tools.D6]()...)
	all = append(all, ten[H, tools.D7]()...)
	all = append(all, ten[H, tools.D8]()...)
	all = append(all, ten[H, tools.D9]()...)
	return all
}

func ten[H, T any]() []kind {
	return []kind{
		one[H, T, tools.D0],
		one[H, T, tools.D1],
		one[H, T, tools.D2],
		one[H, T, tools.D3],
		one[H, T, tools.D4],
		one[H, T, tools.D5],
		one[H, T, tools.D6],
		one[H, T, tools.D7],
		one[H, T, tools.D8],
		one[H, T, tools.D9],
	}
}

func one[H, T, U any](srv *server.MCPServer, name string) {
	srv.AddTool(mcp.NewTool(name,
		mcp.WithDescription(tools.ManyDescription),
		mcp.WithInputSchema[tools.ManyIn[H, T, U]](),
		mcp.WithOutputSchema[tools.ManyOut[H, T, U]](),
	), handler(tools.Many[H, T, U]))
}
