// Command bench lists, calls, documents, lints, finds and measures the tools of an MCP server, gets its prompts, reads its
// resources, shows them on a web page, and reports breaking changes in them. It records sessions and replays them. It works
// with servers built on any framework, and writes servers for APIs.
// A server is a command, the path of a program, or a URL:
//
//	go run ./bench list -- go run ./examples/weather
//	go run ./bench call get_weather '{"location":"Lisbon"}' http://127.0.0.1:8080/mcp
//
// The exit code is 0 for success, 1 for a negative result (a tool failed, a change breaks callers, a page is out of date,
// a search does not find a tool, an operation of an API is left out, a replay differs), 2 for wrong usage or an unusable
// file, 3 for a server that cannot be reached, and 130 for an interrupt.
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
)

// commands are the commands of bench. Each has a file with its name.
type commands struct {
	As       asCmd       `cmd:"" help:"Show what a client, such as Claude Code or Codex, makes of a server for its model, or serve it so."`
	Call     callCmd     `cmd:"" help:"Call a tool, and show its result."`
	Check    checkCmd    `cmd:"" help:"Compare the tools, prompts and resources of a server with a snapshot or another server, and report what changes break."`
	Comments commentsCmd `cmd:"" help:"Write the doc comments of tools and their types into a Go file, as descriptions."`
	Dev      devCmd      `cmd:"" help:"Build a server, and replace it whenever its source changes, while its clients stay connected."`
	Docs     docsCmd     `cmd:"" help:"Write documentation of the tools, prompts and resources of a server."`
	Find     findCmd     `cmd:"" help:"Show the tools that a client that searches tools would offer its model for a query, or check a file of queries."`
	Import   importCmd   `cmd:"" help:"Write a tool server in Go for an API, from its OpenAPI document, or update one."`
	Install  installCmd  `cmd:"" help:"Add a server to the configuration of a client, or remove it."`
	Lint     lintCmd     `cmd:"" help:"Report problems of the tools, prompts and resources of a server, and what the tools cost a model."`
	List     listCmd     `cmd:"" help:"List the tools, prompts and resources of a server."`
	Prompt   promptCmd   `cmd:"" help:"Get a prompt, and show its messages."`
	Read     readCmd     `cmd:"" help:"Read a resource, or follow it."`
	Record   recordCmd   `cmd:"" help:"Write the messages between a client and a server into a file, while the client uses the server."`
	Replay   replayCmd   `cmd:"" help:"Repeat a recorded session with a server, and show what differs."`
	Run      runCmd      `cmd:"" help:"Measure throughput and latency of tools, of one server or of several side by side."`
	UI       uiCmd       `cmd:"" name:"ui" help:"Serve a web page on this machine to look at a server and call its tools, prompts and resources."`

	Completion kongcompletion.Completion `cmd:"" help:"Print how to activate completion in a shell: bash, zsh or fish."`

	Version kong.VersionFlag `help:"Print the version and the revision it was built from."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	con := newConsole()
	slog.SetDefault(slog.New(slog.NewTextHandler(con.err, nil))) // net/http logs malformed responses
	code := run(ctx, os.Args[1:], con)
	stop()
	os.Exit(code)
}
