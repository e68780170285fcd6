package gosdk_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/integrations/gosdk"
	"github.com/mcptool-go/mcptool/internal/testing/hosting"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// newTool returns a tool without arguments that returns a text.
func newTool(t *testing.T, name string, fn func(context.Context) (string, error), opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) { return fn(ctx) }, append(opts, mcptool.Name(name))...)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func done(context.Context) (string, error) { return "done", nil }

// names returns the names of the tools that the client lists.
func names(t *testing.T, cs *mcp.ClientSession) (all []string) {
	t.Helper()
	for tool, err := range cs.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tool.Name)
	}
	return all
}

// TestMistakes: a mistake is an error, and then no tool is added: the program's own tool of that name remains.
func TestMistakes(t *testing.T) {
	t.Parallel()
	notes, err := mcptool.NewResource(func(context.Context, struct{}) (string, error) { return "", nil }, mcptool.Name("notes"), mcptool.URI("docs://my%20notes/a.md"))
	if err != nil {
		t.Fatal(err)
	}
	required := newTool(t, "required", done, mcptool.Task(mcptool.TaskSupportRequired))
	for _, test := range []struct {
		name string
		fill func(*mcp.Server) error
		want string
	}{
		{"a tool that requires tasks", func(s *mcp.Server) error { return gosdk.AddTools(s, newTool(t, "one", done), required) }, "required: it requires tasks"},
		{"two tools of a name", func(s *mcp.Server) error { return gosdk.AddTools(s, newTool(t, "one", done), newTool(t, "one", done)) }, "one"},
		{"a URI that the SDK refuses", func(s *mcp.Server) error {
			r := new(mcptool.Registry)
			return errors.Join(r.Add(newTool(t, "one", done), notes), gosdk.Mount(t.Context(), s, &runtime.Server{Tools: r}))
		}, "gosdk: docs://my%20notes/a.md: "},
		{"a revision that does not exist", func(s *mcp.Server) error {
			return gosdk.Mount(t.Context(), s, &runtime.Server{Tools: new(mcptool.Registry), Revisions: []string{"1999-01-01"}})
		}, "1999-01-01"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cs := connect(t, "2025-11-25", func(s *mcp.Server) error {
				mcp.AddTool(s, &mcp.Tool{Name: "one", Description: "native"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
					return nil, nil, nil
				})
				if err := test.fill(s); err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("the error is %v, want %q", err, test.want)
				}
				return nil
			})
			res, err := cs.ListTools(t.Context(), nil)
			if err != nil || len(res.Tools) != 1 || res.Tools[0].Description != "native" {
				t.Errorf("the tools are %v, %v", res, err)
			}
		})
	}
}

// TestReplaces: as with AddTool of the SDK, a tool replaces another one of its name, also one of another AddTools.
func TestReplaces(t *testing.T) {
	t.Parallel()
	cs := connect(t, "2025-11-25", func(s *mcp.Server) error {
		mcp.AddTool(s, &mcp.Tool{Name: "one"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return nil, "native", nil
		})
		second := newTool(t, "one", func(context.Context) (string, error) { return "second", nil })
		return errors.Join(gosdk.AddTools(s, newTool(t, "one", done)), gosdk.AddTools(s, second))
	})
	if got := names(t, cs); !slices.Equal(got, []string{"one"}) {
		t.Errorf("the tools are %v", got)
	}
	s := &session{t, cs, "2025-11-25", nil}
	s.want("one", `{}`, "second", false)
}

// TestSubscribe: clients that have subscribed to a resource are notified of its updates, if the server of the SDK has
// handlers for subscriptions.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	updated := make(chan string, 1)
	server := mcp.NewServer(&mcp.Implementation{Name: "demo", Version: "1"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	registry := hosting.Registry(t)
	if err := gosdk.Mount(t.Context(), server, &runtime.Server{Tools: registry}); err != nil {
		t.Fatal(err)
	}
	a, b := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), b, nil); err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "probe", Version: "2"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) { updated <- req.Params.URI },
	})
	cs, err := client.Connect(t.Context(), a, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	if err := cs.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "note://readme"}); err != nil {
		t.Fatal(err)
	}
	registry.ResourceUpdated("note://readme")
	if uri := <-updated; uri != "note://readme" {
		t.Errorf("the update is about %s", uri)
	}
}

// TestMountFollows: the server of the SDK has the tools that the registry has, until the context ends, and ours do not
// replace what is added later.
func TestMountFollows(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	registry := new(mcptool.Registry)
	one := newTool(t, "one", done)
	ctx, cancel := context.WithCancel(t.Context())
	var server *mcp.Server
	cs := connect(t, "2025-11-25", func(s *mcp.Server) error {
		server = s
		return errors.Join(registry.Add(one), gosdk.Mount(ctx, s, &runtime.Server{Tools: registry, Logger: slog.New(slog.NewTextHandler(&log, nil))}))
	})
	if err := registry.Add(newTool(t, "two", done), newTool(t, "required", done, mcptool.Task(mcptool.TaskSupportRequired))); err != nil {
		t.Fatal(err)
	}
	registry.Remove(one)
	if got := names(t, cs); !slices.Equal(got, []string{"two"}) || !strings.Contains(log.String(), "required: it requires tasks") {
		t.Errorf("the tools are %v, the log is %s", got, log.String())
	}
	mcp.AddTool(server, &mcp.Tool{Name: "two", Description: "another"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	})
	res, err := cs.ListTools(t.Context(), nil)
	if err != nil || len(res.Tools) != 1 || res.Tools[0].Description != "another" {
		t.Errorf("a tool that replaces ours is listed as %v: %v", res, err)
	}
	if err := registry.Add(newTool(t, "three", done)); err != nil {
		t.Fatal(err)
	}
	cancel()
	for slices.Contains(names(t, cs), "three") { // it is removed by another goroutine
		goruntime.Gosched()
	}
	if got := names(t, cs); got != nil {
		t.Errorf("at the end, the tools are %v; the documentation of Mount says that the one that replaces ours is removed", got)
	}
}

// TestMountSelects checks that the server of the SDK has what [runtime.Server.Select] selects, also of later tools, and that
// a name that does not exist is an error.
func TestMountSelects(t *testing.T) {
	t.Parallel()
	registry := new(mcptool.Registry)
	if err := registry.Add(newTool(t, "one", done, mcptool.Group("a")), newTool(t, "two", done, mcptool.Group("b"))); err != nil {
		t.Fatal(err)
	}
	cs := connect(t, "2025-11-25", func(s *mcp.Server) error {
		return gosdk.Mount(t.Context(), s, &runtime.Server{Tools: registry, Select: runtime.Selection{Groups: []string{"a"}}})
	})
	if err := registry.Add(newTool(t, "three", done, mcptool.Group("a")), newTool(t, "four", done)); err != nil {
		t.Fatal(err)
	}
	got := names(t, cs)
	slices.Sort(got)
	if !slices.Equal(got, []string{"one", "three"}) {
		t.Errorf("the tools are %v, want one and three", got)
	}
	if res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "two"}); err == nil {
		t.Errorf("a tool that is not selected returns %+v, want an error", res)
	}
	err := gosdk.Mount(t.Context(), mcp.NewServer(&mcp.Implementation{Name: "demo", Version: "1"}, nil), &runtime.Server{Tools: registry, Select: runtime.Selection{Tools: []string{"tow"}}})
	if want := `Server.Select: there is no tool "tow"; did you mean "two"?`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("an unknown name: the error is %v, want %s", err, want)
	}
}

type contextKey struct{}

// TestMountContext: values of the SDK's context reach our tools, and a tool that ends its goroutine is answered.
func TestMountContext(t *testing.T) {
	t.Parallel()
	for _, revision := range hosting.Revisions() {
		cs := connect(t, revision, func(s *mcp.Server) error {
			s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
					return next(context.WithValue(ctx, contextKey{}, "v"), method, req)
				}
			})
			r := new(mcptool.Registry)
			return errors.Join(r.Add(
				newTool(t, "value", func(ctx context.Context) (string, error) { v, _ := ctx.Value(contextKey{}).(string); return v, nil }),
				newTool(t, "exit", func(context.Context) (string, error) { goruntime.Goexit(); return "", nil }),
			), gosdk.Mount(t.Context(), s, &runtime.Server{Tools: r, Logger: slog.New(slog.DiscardHandler)}))
		})
		s := &session{t, cs, revision, nil}
		s.want("value", `{}`, "v", false)
		s.want("exit", `{}`, "reference", true)
	}
}

// TestSDKPanic: a panic in a handler of the SDK ends the process. TestClient has one of our tools.
func TestSDKPanic(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestServer$")
	cmd.Env = append(os.Environ(), serverEnv+"=1")
	cs, err := new(user).client().Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "native_panic"}); err == nil {
		t.Error("the call has a result")
	}
	_ = cs.Close()
	if cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("the process has ended with %v; the documentation of the package says that it panics", cmd.ProcessState)
	}
}

// TestSDKRerunsOnce checks that for clients before 2026-07-28, the SDK runs its own handler that needs input a second time,
// but not a third time, so a second question fails. Our tools ask in one run, as often as they want.
func TestSDKRerunsOnce(t *testing.T) {
	t.Parallel()
	runs, ourRuns := 0, 0
	cs := connectAs(t, &user{isOld: true}, "2025-11-25", func(s *mcp.Server) error {
		s.AddTool(&mcp.Tool{Name: "native", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			runs++
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"q": &mcp.ElicitParams{Message: "Sure?"}}}, nil
		})
		return gosdk.AddTools(s, newTool(t, "ours", func(ctx context.Context) (string, error) {
			ourRuns++
			for range 3 {
				if err := mcptool.Confirm(ctx, "Sure?"); err != nil {
					return "", err
				}
			}
			return "sure", nil
		}))
	})
	s := &session{t, cs, "2025-11-25", nil}
	s.call("native", `{}`, nil)
	s.want("ours", `{}`, "sure", false)
	if runs != 2 || ourRuns != 1 {
		t.Errorf("the handler of the SDK has run %d times, ours %d times", runs, ourRuns)
	}
}

// post returns a request of revision 2026-07-28 over HTTP.
func post(ctx context.Context, tool string) *http.Request {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", hosting.Modern)
	r.Header.Set("Mcp-Method", "tools/call")
	r.Header.Set("Mcp-Name", tool)
	return r
}

// TestDisconnect: if a client of stateless HTTP disconnects, the SDK does not cancel the call, so CallTimeout must.
func TestDisconnect(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var call context.Context
		r := new(mcptool.Registry)
		server := mcp.NewServer(&mcp.Implementation{Name: "demo", Version: "1"}, nil)
		if err := errors.Join(r.Add(newTool(t, "waits", func(ctx context.Context) (string, error) {
			call = ctx //nolint:fatcontext // it is observed, and no parent
			<-ctx.Done()
			return "", ctx.Err()
		})), gosdk.Mount(t.Context(), server, &runtime.Server{Tools: r, Limits: runtime.Limits{CallTimeout: time.Minute}})); err != nil {
			t.Fatal(err)
		}
		h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
		ctx, disconnect := context.WithCancel(t.Context())
		go h.ServeHTTP(httptest.NewRecorder(), post(ctx, "waits"))
		synctest.Wait()
		disconnect()
		synctest.Wait()
		if call == nil || call.Err() != nil {
			t.Fatalf("the context of the call is %v; the documentation of the package says that it continues", call)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if call.Err() == nil {
			t.Error("the call continues after its timeout")
		}
	})
}

// TestCursorNames: the SDK writes the name of the last item of a page to the cursor, even if the client does not get the item.
func TestCursorNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pageSize int
		hasName  bool
	}{{1, true}, {3, false}} {
		server := mcp.NewServer(&mcp.Implementation{Name: "demo", Version: "1"}, &mcp.ServerOptions{PageSize: test.pageSize})
		hidden := newTool(t, "hidden", done, mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool { return false }))
		if err := gosdk.AddTools(server, hidden, newTool(t, "visible", done)); err != nil {
			t.Fatal(err)
		}
		a, b := mcp.NewInMemoryTransports()
		if _, err := server.Connect(t.Context(), b, nil); err != nil {
			t.Fatal(err)
		}
		cs, err := new(user).client().Connect(t.Context(), a, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cs.Close() })
		res, err := cs.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		cursor, err := base64.URLEncoding.DecodeString(res.NextCursor)
		if got := bytes.Contains(cursor, []byte("hidden")); err != nil || got != test.hasName {
			t.Errorf("with %d items per page, the cursor is %q, %v; see the documentation of the package", test.pageSize, cursor, err)
		}
	}
}

// TestNoChallenge: a caller without the scopes of a tool gets no 403 with a challenge, but the error for unknown tools.
func TestNoChallenge(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	h := auth.RequireBearerToken(verify, nil)(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
	web := httptest.NewServer(h)
	defer web.Close()
	var bodies [2]string
	for i, tool := range []string{"secret", "secreT"} {
		r := post(t.Context(), tool)
		r.RequestURI = ""
		r.URL.Host = strings.TrimPrefix(web.URL, "http://")
		r.Header.Set("Authorization", "Bearer guest")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode == http.StatusForbidden || res.Header.Get("WWW-Authenticate") != "" {
			t.Errorf("%s: %s %v %v", tool, res.Status, res.Header, err)
		}
		bodies[i] = strings.ReplaceAll(string(body), tool, "X")
	}
	if bodies[0] != bodies[1] || !strings.Contains(bodies[0], `unknown tool \"X\"`) {
		t.Errorf("the answer for a tool without access is %s, and for an unknown one %s", bodies[0], bodies[1])
	}
}
