package client_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/fakeserver"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/stdio"
)

// children returns the servers that this binary can act as.
func children() map[string]func() {
	all := map[string]func(){
		"tools": func() {
			srv, err := newServer()
			if err == nil {
				err = stdio.Serve(context.Background(), srv)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		},
		"ends":    func() { fmt.Fprintln(os.Stderr, "no configuration\nI give up"); os.Exit(7) },
		"hangs":   func() { select {} },
		"garbage": func() { fmt.Println("Welcome to the garbage server!\nIt is not one.") },
		"noise": func() {
			for {
				fmt.Println("y")
			}
		},
		"banner": func() { fmt.Println("Welcome!\n{\"not\":\"a message\"}"); children()["tools"]() },
		"echo": func() {
			for in := bufio.NewReader(os.Stdin); ; {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				fmt.Print(line)
			}
		},
		"endless": func() { _, _ = os.Stdout.WriteString(strings.Repeat("y", largest+1<<20)); children()["hangs"]() },
		"shy":     func() { answer(map[string]string{"initialize": legacyHello, "tools/list": `{"tools":[]}`}, keepSilent) },
		"nervous": func() { answer(map[string]string{"initialize": legacyHello, "tools/list": `{"tools":[]}`}, die) },
		"mortal":  func() { answer(map[string]string{"server/discover": modernHello}, die) },
		"odd":     func() { answer(map[string]string{"server/discover": modernHello, "tools/list": `{"tools":7}`}, die) },
		"dizzy": func() {
			answer(map[string]string{"server/discover": modernHello, "tools/list": `{"tools":[],"nextCursor":"a"}`}, die)
		},
		"future": func() {
			answer(map[string]string{"initialize": strings.Replace(legacyHello, "2025-11-25", "2099-01-01", 1)}, refuse)
		},
		"refusing": func() { answer(nil, refuse) },
		"old":      func() { answer(map[string]string{"initialize": legacyHello}, refuse) },
		"null": func() {
			answer(map[string]string{"server/discover": "null", "initialize": legacyHello, "tools/list": `{"tools":[]}`}, refuse)
		},
		"new": func() { answer(map[string]string{"server/discover": modernHello}, refuse) },
		"newer": func() {
			answer(map[string]string{"server/discover": strings.Replace(modernHello, `2026-07-28`, `2099-01-01`, 1)}, refuse)
		},
		"candid": func() {
			answer(map[string]string{"server/discover": strings.Replace(modernHello, `"2026-07-28"`, `"2025-06-18","2025-11-25"`, 1)}, refuse)
		},
		"task-only":  taskOnly,
		"growing":    growing,
		"library":    func() { fakeserver.New().ServeStdio(os.Stdin, os.Stdout) },
		"updating":   updating,
		"unexpected": sendUnexpected,
		"invalid":    sendInvalid,
		"unreadable": askUnreadable,
		"stubborn":   stubborn,
		"parent":     parent,
	}
	maps.Copy(all, crashes())
	return all
}

const (
	legacyHello = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`
	modernHello = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`
)

// requests calls handle for each request until EOF on stdin.
func requests(handle func(id json.RawMessage, method string, params json.RawMessage)) {
	for in := bufio.NewReader(os.Stdin); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID, Params json.RawMessage
			Method     string
		}
		switch err := json.Unmarshal(line, &m); {
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
		case m.ID != nil && m.Method != "":
			handle(m.ID, m.Method, m.Params)
		}
	}
}

// updating serves a resource that changes continuously.
func updating() {
	s := fakeserver.New()
	go func() {
		for ; ; time.Sleep(10 * time.Millisecond) {
			s.Updated("note://7")
		}
	}()
	s.ServeStdio(os.Stdin, os.Stdout)
}

// succeed responds to a request with a result.
func succeed(id json.RawMessage, result string) {
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
}

// answer responds to requests with results by method, and calls otherwise for all
// other methods.
func answer(results map[string]string, otherwise func(id json.RawMessage, method string)) {
	requests(func(id json.RawMessage, method string, _ json.RawMessage) {
		if result := results[method]; result != "" {
			succeed(id, result)
		} else {
			otherwise(id, method)
		}
	})
}

func keepSilent(json.RawMessage, string) {}

func die(_ json.RawMessage, method string) {
	fmt.Fprintln(os.Stderr, "I do not know", method)
	os.Exit(4)
}

func refuse(id json.RawMessage, method string) {
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no %s here"}}`+"\n", id, method)
}

// stubborn is a server that ignores both the end of its input and SIGTERM.
func stubborn() {
	signal.Ignore(syscall.SIGTERM)
	children()["shy"]()
	select {}
}

// parent is a server that starts another process, whose process id is the name of its
// tool.
func parent() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childKey+"=hangs")
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	tools := fmt.Sprintf(`{"tools":[{"name":"%d","inputSchema":{"type":"object"}}]}`, cmd.Process.Pid)
	answer(map[string]string{"server/discover": modernHello, "tools/list": tools}, refuse)
}

type addIn struct {
	A int32 `json:"a" jsonschema:"x-mcp-header=A"`
	B int32 `json:"b"`
}

type addOut struct {
	Sum int32 `json:"sum"`
}

type pet struct {
	Name string `json:"name"`
}

// newServer returns the server that most tests talk to.
func newServer() (*runtime.Server, error) {
	srv := &runtime.Server{
		Logger: slog.New(slog.DiscardHandler), // tests compare everything else on stderr
		Name:   "petshop", Version: "1.2.3", Instructions: "Be kind.", Tools: new(mcptool.Registry), Tasks: tasks.New(nil),
		Limits: runtime.Limits{ToolsPerPage: 2, Tasks: runtime.TaskLimits{PollInterval: 10 * time.Millisecond}}, ClientLog: runtime.ClientLogAll,
	}
	return srv, srv.Tools.Add(
		tool(add, mcptool.Name("add"), mcptool.Description("Adds"), mcptool.ReadOnly(true)),
		tool(ask, mcptool.Name("ask"), mcptool.Description("Asks for a pet")),
		tool(report, mcptool.Name("report"), mcptool.Description("Reports")),
		tool(wait, mcptool.Name("wait"), mcptool.Description("Waits until it is cancelled")),
		tool(add, mcptool.Name("work"), mcptool.Description("Adds, as a task"), mcptool.Task(mcptool.TaskSupportRequired)),
		tool(ask, mcptool.Name("work_ask"), mcptool.Description("Asks for a pet, as a task"), mcptool.Task(mcptool.TaskSupportRequired)),
	)
}

// tool returns a tool and panics on errors.
func tool[In, Out any](fn func(context.Context, In) (Out, error), opts ...mcptool.ToolOption) *mcptool.Tool {
	made, err := mcptool.New(fn, opts...)
	if err != nil {
		panic(err)
	}
	return made
}

func add(_ context.Context, in addIn) (addOut, error) { return addOut{in.A + in.B}, nil }

func ask(ctx context.Context, _ struct{}) (pet, error) {
	return mcptool.Elicit[pet](ctx, "Which pet?")
}

func report(ctx context.Context, _ struct{}) (addOut, error) {
	mcptool.Progress(ctx, 1, 3, "one")
	mcptool.Logger(ctx).InfoContext(ctx, "between", slog.Int("n", 1))
	mcptool.Progress(ctx, 2, 3, "two")
	return addOut{2}, nil
}

func wait(ctx context.Context, _ struct{}) (addOut, error) {
	mcptool.Progress(ctx, 1, 0, "begun")
	<-ctx.Done()
	fmt.Fprintln(os.Stderr, "the call was cancelled")
	return addOut{}, ctx.Err()
}
