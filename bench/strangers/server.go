package strangers

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcptool-go/mcptool/bench/client"
)

// A Server is one that a test can talk to.
type Server struct {
	// Name is unique, and fit for the name of a subtest: gosdk-everything-http.
	Name string
	// Target is where it is, or how it is started.
	Target client.Target
	// Tool is one that always succeeds with Arguments, and without asking anybody anything.
	Tool      string
	Arguments json.RawMessage
	// Says is in a text block of its result.
	Says string
	// Asks is a tool that asks the user once, by a form, before anything else; "" if there
	// is none. It takes AsksWith. Answer is one that it can bear: some end at any other.
	Asks     string
	AsksWith json.RawMessage
	Answer   client.Answer
	// AsksLegacy says that Asks works in the legacy era only.
	AsksLegacy bool
	// TaskTool is a tool that runs as a task only, and succeeds with TaskArguments; "" if there is none.
	TaskTool      string
	TaskArguments json.RawMessage
	// Ours says that it is made with this framework.
	Ours bool
}

// Each runs test as a parallel subtest for each server. That of a server which is not
// there is skipped, and says why.
func Each(t *testing.T, test func(t *testing.T, s Server)) {
	t.Helper()
	bin := build(t)
	for i := range stocks {
		stock := &stocks[i]
		t.Run(stock.Name, func(t *testing.T) {
			t.Parallel()
			test(t, stock.begin(t, bin))
		})
	}
}

// All returns the servers that are there. Those over HTTP run until the end of the test.
func All(t *testing.T) []Server {
	t.Helper()
	bin := build(t)
	var all []Server
	for i := range stocks {
		stock := &stocks[i]
		if why := stock.missing(); why != "" {
			t.Logf("without %s: %s", stock.Name, why)
			continue
		}
		all = append(all, stock.begin(t, bin))
	}
	return all
}

// A stock is a Server before it is there.
type stock struct {
	Server
	program string   // a package of Go, or a file in node_modules
	args    []string // of program
	node    bool
	// web says how it is started to serve HTTP: with a port of our choice in its arguments
	// or its environment, where %d is.
	web  bool
	env  []string
	path string // of the URL
	port portOf // nil: the port is chosen by us
}

var (
	weather = Server{Tool: "get_weather", Arguments: json.RawMessage(`{"location":"Lisbon","month":7}`), Says: "Geofísico", Ours: true}
	greet   = Server{Tool: "greet", Arguments: json.RawMessage(`{"name":"Ada"}`), Says: "Ada", Asks: "elicit (form)", Answer: accepted(`{"random":"seven"}`), AsksLegacy: true}
	echo    = Server{Tool: "echo", Arguments: json.RawMessage(`{"message":"hear, hear"}`), Says: "hear, hear"}
	node    = Server{Tool: echo.Tool, Arguments: echo.Arguments, Says: echo.Says, TaskTool: "simulate-research-query", TaskArguments: json.RawMessage(`{"topic":"tea"}`)}
	notes   = Server{Tool: "whoami", Arguments: json.RawMessage(`{}`), Says: "ada", Ours: true}
	booking = Server{Tool: "", Asks: "book_seat", AsksWith: json.RawMessage(`{"from":"Lisbon","to":"Porto"}`), Answer: client.Answer{Action: "decline"}, Ours: true}
	graph   = Server{Tool: "read_graph", Arguments: json.RawMessage(`{}`), Says: "entities"}
	typed   = Server{Tool: "get_weather", Arguments: json.RawMessage(`{"location":"Lisbon"}`), Says: "Lisbon"}
	simple  = Server{Tool: "test_simple_text", Arguments: json.RawMessage(`{}`), Says: "text"}
)

// Where programs come from.
const (
	ours       = "github.com/mcptool-go/mcptool/examples/"
	goSDK      = "github.com/modelcontextprotocol/go-sdk/examples/server/"
	mcpGo      = "github.com/mark3labs/mcp-go/examples/"
	everything = "@modelcontextprotocol/server-everything/dist/index.js"
)

// stocks are all servers.
var stocks = []stock{
	{Server: weather.named("weather"), program: ours + "weather"},
	{Server: booking.named("booking"), program: ours + "booking"},
	{
		Server: notes.named("notes-http"), program: ours + "http", web: true, path: "/mcp",
		args: []string{"-addr", "127.0.0.1:0"}, env: []string{"TOKENS=" + token + " ada notes:read notes:write"}, port: portInLog,
	},
	{Server: greet.named("gosdk-everything"), program: goSDK + "everything"},
	{Server: greet.named("gosdk-everything-http"), program: goSDK + "everything", web: true, args: []string{"-http", "127.0.0.1:%d"}},
	{Server: graph.named("gosdk-memory"), program: goSDK + "memory"},
	{Server: echo.named("mcpgo-everything"), program: mcpGo + "everything"},
	{Server: typed.named("mcpgo-structured"), program: mcpGo + "structured_input_and_output"},
	{Server: simple.named("mcpgo-http"), program: mcpGo + "conformance", web: true, env: []string{"CONFORMANCE_ADDR=127.0.0.1:%d"}, path: "/mcp"},
	{Server: node.named("node-everything"), program: everything, node: true},
	{Server: node.named("node-everything-http"), program: everything, node: true, web: true, args: []string{"streamableHttp"}, env: []string{"PORT=%d"}, path: "/mcp"},
}

func accepted(content string) client.Answer {
	return client.Answer{Action: "accept", Content: json.RawMessage(content)}
}

func (s Server) named(name string) Server {
	s.Name = name
	return s
}

// token is one that our server over HTTP knows.
const token = "stranger"

// modulesKey and nodeKey are in the environment; see the documentation of the package.
const (
	modulesKey = "MCPTOOL_STRANGERS_MODULES"
	nodeKey    = "MCPTOOL_STRANGERS_NODE"
)

// missing says why a server is not there, "" if it is.
func (s *stock) missing() string {
	if s.node && os.Getenv(modulesKey) == "" {
		return modulesKey + " names no node_modules to find " + everything + " in"
	}
	return ""
}

// begin makes a server be there, or skips the test.
func (s *stock) begin(t *testing.T, bin string) Server {
	t.Helper()
	if why := s.missing(); why != "" {
		t.Skip(why)
	}
	command := []string{filepath.Join(bin, binary(s.program))}
	if s.node {
		script := filepath.Join(os.Getenv(modulesKey), filepath.FromSlash(s.program))
		if _, err := os.Stat(script); err != nil {
			t.Fatal(err)
		}
		node := os.Getenv(nodeKey)
		if node == "" {
			node = "node"
		}
		command = []string{node, script}
	}
	if !s.web {
		server := s.Server
		server.Target = client.Target{Command: append(command, s.args...), Env: s.env, Dir: t.TempDir()}
		return server
	}
	server := s.Server
	server.Target.URL = s.serve(t, command)
	if s.Ours {
		server.Target.Header = http.Header{"Authorization": {"Bearer " + token}}
	}
	return server
}
