// Command bench shows what the tools of an MCP server look like to a model and to a person,
// what a change of them breaks, what they cost and how fast they are. The server may be made
// with any framework, and is a command, the path of a program, or a URL:
//
//	go run ./bench list -- go run ./examples/weather
//	go run ./bench call get_weather '{"location":"Lisbon"}' http://127.0.0.1:8080/mcp
//
// It exits with 0 when all is well, 1 when the answer is no (a tool failed, a change
// breaks callers, a page is stale), 2 when it was called wrongly or a file is bad, 3 when
// the server cannot be talked to, and 130 when it was interrupted.
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// commands are the commands of bench. Each is in the file of its name.
type commands struct {
	Call    callCmd    `cmd:"" help:"Call a tool, and show its result."`
	Check   checkCmd   `cmd:"" help:"Compare the tools of a server with a snapshot, and say what a change breaks."`
	Docs    docsCmd    `cmd:"" help:"Write pages about the tools of a server, for people to read."`
	Install installCmd `cmd:"" help:"Put a server into the configuration of a client, or take it out."`
	Lint    lintCmd    `cmd:"" help:"Say what is known against the tools of a server, and what they cost a model."`
	List    listCmd    `cmd:"" help:"List the tools of a server."`
	Run     runCmd     `cmd:"" help:"Measure throughput and latency of tools, of one server or of several side by side."`

	Version kong.VersionFlag `help:"Print the version, and what it was built from."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	con := newConsole()
	slog.SetDefault(slog.New(slog.NewTextHandler(con.err, nil))) // net/http logs what it cannot make sense of
	code := run(ctx, os.Args[1:], con)
	stop()
	os.Exit(code)
}
