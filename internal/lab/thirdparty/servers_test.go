package thirdparty_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// A server is one that tests connect to.
type server struct {
	name   string        // unique, as a subtest name: gosdk-everything-http
	target client.Target // location or command of the server
	// tool always succeeds with arguments without asking the user; "" if the server has no such tool.
	tool      string
	arguments json.RawMessage
	contains  string // substring of a text block of the result
	// asking is a tool that first asks the user once, with a form; "" if there is none. It is called with
	// askingArguments. Some servers exit on any other answer.
	asking          string
	askingArguments json.RawMessage
	answer          client.ElicitResult
	legacyOnly      bool // asking works in the legacy era only
	// taskTool runs only as a task and succeeds with taskArguments; "" if there is none.
	taskTool      string
	taskArguments json.RawMessage

	program string   // a Go package, or a file in node_modules
	args    []string // of program
	node    bool
	web     bool     // serves HTTP at path; %d in args and env is replaced with a free port
	env     []string // of program
	path    string
	token   string          // bearer token of each request
	port    addressInOutput // nil if the port is the test's choice
}

// eachServer runs test as a parallel subtest for each server. A missing server is skipped with the reason.
func eachServer(t *testing.T, test func(t *testing.T, s server)) {
	t.Helper()
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.target = s.begin(t)
			test(t, s)
		})
	}
}

var (
	weather = server{tool: "get_weather", arguments: json.RawMessage(`{"location":"Lisbon","month":7}`), contains: "Geofísico"}
	greet   = server{tool: "greet", arguments: json.RawMessage(`{"name":"Ada"}`), contains: "Ada", asking: "elicit (form)", answer: accepted(`{"random":"seven"}`), legacyOnly: true}
	echo    = server{tool: "echo", arguments: json.RawMessage(`{"message":"hear, hear"}`), contains: "hear, hear"}
	node    = server{tool: echo.tool, arguments: echo.arguments, contains: echo.contains, taskTool: "simulate-research-query", taskArguments: json.RawMessage(`{"topic":"tea"}`)}
	notes   = server{tool: "whoami", arguments: json.RawMessage(`{}`), contains: "ada", token: token}
	booking = server{tool: "", asking: "book_seat", askingArguments: json.RawMessage(`{"from":"Lisbon","to":"Porto"}`), answer: client.ElicitResult{Action: "decline"}}
	graph   = server{tool: "read_graph", arguments: json.RawMessage(`{}`), contains: "entities"}
	typed   = server{tool: "get_weather", arguments: json.RawMessage(`{"location":"Lisbon"}`), contains: "Lisbon"}
	simple  = server{tool: "test_simple_text", arguments: json.RawMessage(`{}`), contains: "text"}
)

// Locations of programs.
const (
	ours       = "github.com/mcptool-go/mcptool/examples/"
	goSDK      = "github.com/modelcontextprotocol/go-sdk/examples/server/"
	mcpGo      = "github.com/mark3labs/mcp-go/examples/"
	everything = "@modelcontextprotocol/server-everything/dist/index.js"
)

// servers are all servers.
var servers = []server{
	serving(weather, "weather", server{program: ours + "weather"}),
	serving(booking, "booking", server{program: ours + "booking"}),
	serving(notes, "notes-http", server{
		program: ours + "http", web: true, path: "/mcp",
		args: []string{"-addr", "127.0.0.1:0"}, port: firstAddress,
		env: []string{"TOKENS=" + token + " ada notes:read notes:write", "MCPTOOL_STATE_KEYS=" + strings.Repeat("5a", 32)},
	}),
	serving(greet, "gosdk-everything", server{program: goSDK + "everything"}),
	serving(greet, "gosdk-everything-http", server{program: goSDK + "everything", web: true, args: []string{"-http", "127.0.0.1:%d"}}),
	serving(graph, "gosdk-memory", server{program: goSDK + "memory"}),
	serving(echo, "mcpgo-everything", server{program: mcpGo + "everything"}),
	serving(typed, "mcpgo-structured", server{program: mcpGo + "structured_input_and_output"}),
	serving(simple, "mcpgo-http", server{program: mcpGo + "conformance", web: true, env: []string{"CONFORMANCE_ADDR=127.0.0.1:%d"}, path: "/mcp"}),
	serving(node, "node-everything", server{program: everything, node: true}),
	serving(node, "node-everything-http", server{program: everything, node: true, web: true, args: []string{"streamableHttp"}, env: []string{"PORT=%d"}, path: "/mcp"}),
}

// serving returns a server with a name and the program of command.
func serving(s server, name string, command server) server {
	s.name, s.program, s.args, s.node, s.web = name, command.program, command.args, command.node, command.web
	s.env, s.path, s.port = command.env, command.path, command.port
	return s
}

func accepted(content string) client.ElicitResult {
	return client.ElicitResult{Action: "accept", Content: json.RawMessage(content)}
}

// token is the bearer token that our HTTP server accepts.
const token = "thirdparty"

// Environment variables; see the package documentation.
const (
	modulesKey = "MCPTOOL_THIRDPARTY_MODULES"
	nodeKey    = "MCPTOOL_THIRDPARTY_NODE"
)

// command returns the command of the server without its arguments. It skips the test if a Node server is not installed.
func (s *server) command(t *testing.T) []string {
	t.Helper()
	if !s.node {
		return []string{programPath(t, s.program)}
	}
	modules := os.Getenv(modulesKey)
	if modules == "" {
		t.Skip(modulesKey + " is not set; it names the node_modules directory with " + s.program)
	}
	script := filepath.Join(modules, filepath.FromSlash(s.program))
	if _, err := os.Stat(script); err != nil {
		t.Fatal(err)
	}
	return []string{cmp.Or(os.Getenv(nodeKey), "node"), script}
}

// begin returns the target that clients connect to. A server over HTTP runs until the end of the test; one over stdio
// is started by the client.
func (s *server) begin(t *testing.T) client.Target {
	t.Helper()
	command := s.command(t)
	if !s.web {
		return client.Target{Command: append(command, s.args...), Env: s.env, Dir: t.TempDir()}
	}
	target := client.Target{URL: s.serve(t, command)}
	if s.token != "" {
		target.Header = http.Header{"Authorization": {"Bearer " + s.token}}
	}
	return target
}

// benchArguments returns the flags and arguments that select a server for bench.
func (s *server) benchArguments() []string {
	var args []string
	for name, values := range s.target.Header {
		for _, value := range values {
			args = append(args, "--header", name+": "+value)
		}
	}
	for _, env := range s.target.Env {
		args = append(args, "--env", env)
	}
	if s.target.URL != "" {
		return append(args, s.target.URL)
	}
	return append(append(args, "--"), s.target.Command...)
}
