package mcpgo_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/integrations/mcpgo"
	"github.com/mcptool-go/mcptool/internal/testing/hosting"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestMistakes: a mistake is an error, and then no tool is added: the program's own tool of that
// name remains.
func TestMistakes(t *testing.T) {
	t.Parallel()
	required := newTool(t, "required", done, mcptool.Task(mcptool.TaskSupportRequired))
	for _, test := range []struct {
		name string
		fill func(*server.MCPServer) error
		want string
	}{
		{"a tool that requires tasks", func(s *server.MCPServer) error { return mcpgo.AddTools(s, newTool(t, "one", done), required) }, "mcpgo: required: it requires tasks"},
		{"two tools of a name", func(s *server.MCPServer) error {
			return mcpgo.AddTools(s, newTool(t, "one", done), newTool(t, "one", done))
		}, "one"},
		{"a name that mcp-go refuses", func(s *server.MCPServer) error {
			s.AddTaskTool(mcp.NewTool("task"), nil)
			return mcpgo.AddTools(s, newTool(t, "one", done), newTool(t, "task", done))
		}, "mcpgo: task: tool name 'task' already registered"},
		{"a revision that does not exist", func(s *server.MCPServer) error {
			return mcpgo.Mount(t.Context(), s, &runtime.Server{Tools: new(mcptool.Registry), Revisions: []string{"1999-01-01"}, Logger: slog.New(slog.DiscardHandler)})
		}, "1999-01-01"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := server.NewMCPServer("demo", "1")
			srv.AddTool(mcp.NewTool("one"), native)
			if err := test.fill(srv); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q", err, test.want)
			}
			s := connect(t, "2025-11-25", overMemory, srv)
			got := slices.DeleteFunc(s.names(), func(name string) bool { return name == "task" })
			if !slices.Equal(got, []string{"one"}) {
				t.Errorf("the tools are %v", got)
			}
			s.want("one", `{}`, "native result", false)
		})
	}
}

// TestReplaces: as with AddTool of mcp-go, a tool replaces another one of its name, also one of
// another AddTools.
func TestReplaces(t *testing.T) {
	t.Parallel()
	srv := server.NewMCPServer("demo", "1")
	srv.AddTool(mcp.NewTool("one"), native)
	second := newTool(t, "one", func(context.Context) (string, error) { return "second", nil })
	if err := errors.Join(mcpgo.AddTools(srv, newTool(t, "one", done)), mcpgo.AddTools(srv, second)); err != nil {
		t.Fatal(err)
	}
	s := connect(t, "2025-11-25", overMemory, srv)
	if got := s.names(); !slices.Equal(got, []string{"one"}) {
		t.Errorf("the tools are %v", got)
	}
	s.want("one", `{}`, "second", false)
}

// TestListChanges: clients are notified of changed lists of prompts and resources, if the server
// declares these.
func TestListChanges(t *testing.T) {
	t.Parallel()
	for _, isDeclared := range []bool{true, false} {
		srv := server.NewMCPServer("demo", "1")
		if isDeclared {
			srv = server.NewMCPServer("demo", "1", server.WithPromptCapabilities(true), server.WithResourceCapabilities(false, true))
		}
		registry := hosting.Registry(t)
		if err := mcpgo.Mount(t.Context(), srv, &runtime.Server{Tools: registry}); err != nil {
			t.Fatal(err)
		}
		s := connect(t, "2025-11-25", overMemory, srv)
		methods := make(chan string, 10)
		s.OnNotification(func(n mcp.JSONRPCNotification) { methods <- n.Method })
		greet, _ := registry.LookupPrompt("greet")
		readme, _ := registry.LookupResource("note://readme")
		sum, _ := registry.Lookup("sum")
		if n := registry.Remove(greet, readme) + registry.Remove(sum); n != 3 {
			t.Fatalf("%d items removed, want 3", n)
		}
		var got []string
		for { // the notification about tools is last, and always declared
			method := <-methods
			if method == "notifications/tools/list_changed" {
				break
			}
			got = append(got, method)
		}
		want := []string{"notifications/prompts/list_changed", "notifications/resources/list_changed"}
		if !isDeclared {
			want = nil
		}
		if !slices.Equal(got, want) {
			t.Errorf("declared %t: notified of %v, want %v", isDeclared, got, want)
		}
	}
}

// TestMountFollows: the server of mcp-go has the tools that the registry has, until the context
// ends, and ours do not replace what is added later.
func TestMountFollows(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	registry := new(mcptool.Registry)
	one := newTool(t, "one", done)
	ctx, cancel := context.WithCancel(t.Context())
	srv := server.NewMCPServer("demo", "1")
	if err := errors.Join(registry.Add(one), mcpgo.Mount(ctx, srv, &runtime.Server{Tools: registry, Logger: slog.New(slog.NewTextHandler(&log, nil))})); err != nil {
		t.Fatal(err)
	}
	s := connect(t, "2025-11-25", overMemory, srv)
	if err := registry.Add(newTool(t, "two", done), newTool(t, "required", done, mcptool.Task(mcptool.TaskSupportRequired))); err != nil {
		t.Fatal(err)
	}
	registry.Remove(one)
	if got := s.names(); !slices.Equal(got, []string{"two"}) || !strings.Contains(log.String(), "required: it requires tasks") {
		t.Errorf("the tools are %v, the log is %s", got, log.String())
	}
	srv.AddTool(mcp.NewTool("two", mcp.WithDescription("another")), native)
	res, err := s.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil || len(res.Tools) != 1 || res.Tools[0].Description != "another" {
		t.Errorf("a tool that replaces ours is listed as %v: %v", res, err)
	}
	if err := registry.Add(newTool(t, "three", done)); err != nil {
		t.Fatal(err)
	}
	cancel()
	for slices.Contains(s.names(), "three") { // it is removed by another goroutine
		goruntime.Gosched()
	}
	if got := s.names(); !slices.Equal(got, []string{"two"}) {
		t.Errorf("at the end, the tools are %v", got)
	}
}

// TestReplaced: an item with which the program has replaced ours is not removed.
func TestReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		srv := server.NewMCPServer("demo", "1")
		if err := mcpgo.Mount(ctx, srv, &runtime.Server{Tools: hosting.Registry(t), Logger: slog.New(slog.DiscardHandler)}); err != nil {
			t.Fatal(err)
		}
		srv.AddTool(mcp.NewTool("sum"), native)
		srv.AddPrompt(mcp.NewPrompt("greet"), nil)
		srv.AddResource(mcp.NewResource("note://readme", "another"), nil)
		if len(srv.ListTools()) < 2 {
			t.Errorf("the tools are %v", srv.ListTools())
		}
		cancel()
		synctest.Wait()
		tools, prompts, resources := slices.Collect(maps.Keys(srv.ListTools())), slices.Collect(maps.Keys(srv.ListPrompts())), slices.Collect(maps.Keys(srv.ListResources()))
		if !slices.Equal(tools, []string{"sum"}) || !slices.Equal(prompts, []string{"greet"}) || !slices.Equal(resources, []string{"note://readme"}) {
			t.Errorf("at the end, the server has the tools %v, the prompts %v and the resources %v", tools, prompts, resources)
		}
	})
}

// TestMountEnds: mcp-go cannot remove templates, so those that remain are neither listed nor read.
func TestMountEnds(t *testing.T) {
	t.Parallel()
	for _, revision := range hosting.Revisions() {
		ctx, cancel := context.WithCancel(t.Context())
		srv := server.NewMCPServer("demo", "1")
		if err := mcpgo.Mount(ctx, srv, &runtime.Server{Tools: hosting.Registry(t)}); err != nil {
			t.Fatal(err)
		}
		s := connect(t, revision, overMemory, srv)
		count := func() int {
			res, err := s.ListResourceTemplates(t.Context(), mcp.ListResourceTemplatesRequest{})
			if err != nil {
				t.Fatal(err)
			}
			return len(res.ResourceTemplates)
		}
		if n := count(); n != 1 {
			t.Errorf("%s: there are %d templates", revision, n)
		}
		cancel()
		for count() > 0 { // it is removed by another goroutine
			goruntime.Gosched()
		}
		if res, err := s.ReadResource(t.Context(), read("note://notes/4")); err == nil {
			t.Errorf("%s: a resource is read after the end: %v", revision, res)
		}
	}
}

// TestMountSelects checks that the server of mcp-go has what [runtime.Server.Select] selects, also of later tools, and that
// a name that does not exist is an error.
func TestMountSelects(t *testing.T) {
	t.Parallel()
	registry := new(mcptool.Registry)
	if err := registry.Add(newTool(t, "one", done, mcptool.Group("a")), newTool(t, "two", done, mcptool.Group("b"))); err != nil {
		t.Fatal(err)
	}
	srv := server.NewMCPServer("demo", "1")
	if err := mcpgo.Mount(t.Context(), srv, &runtime.Server{Tools: registry, Select: runtime.Selection{Groups: []string{"a"}}}); err != nil {
		t.Fatal(err)
	}
	s := connect(t, "2025-11-25", overMemory, srv)
	if err := registry.Add(newTool(t, "three", done, mcptool.Group("a")), newTool(t, "four", done)); err != nil {
		t.Fatal(err)
	}
	got := s.names()
	slices.Sort(got)
	if !slices.Equal(got, []string{"one", "three"}) {
		t.Errorf("the tools are %v, want one and three", got)
	}
	if res, err := s.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "two"}}); err == nil {
		t.Errorf("a tool that is not selected returns %+v, want an error", res)
	}
	err := mcpgo.Mount(t.Context(), server.NewMCPServer("demo", "1"), &runtime.Server{Tools: registry, Select: runtime.Selection{Tools: []string{"tow"}}})
	if want := `Server.Select: there is no tool "tow"; did you mean "two"?`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("an unknown name: the error is %v, want %s", err, want)
	}
}
