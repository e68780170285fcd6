package mcpgo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/integrations/mcpgo"
	"github.com/mcptool-go/mcptool/internal/testing/hosting"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

type none struct{}

// newTool returns a tool without arguments that returns a text.
func newTool(t *testing.T, name string, fn func(context.Context) (string, error), opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	tool, err := mcptool.New(func(ctx context.Context, _ none) (string, error) { return fn(ctx) }, append(opts, mcptool.Name(name))...)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func done(context.Context) (string, error) { return "done", nil }

// native is a handler that is written for mcp-go.
func native(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText("native result"), nil
}

// mount returns a server of mcp-go with the items of a registry.
func mount(t *testing.T, registry *mcptool.Registry, opts ...server.ServerOption) *server.MCPServer {
	t.Helper()
	srv := server.NewMCPServer("demo", "1", opts...)
	if err := mcpgo.Mount(t.Context(), srv, &runtime.Server{Tools: registry, Logger: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	return srv
}

func read(uri string) mcp.ReadResourceRequest {
	return mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: uri}}
}

type contextKey struct{}

// TestMountContext: middleware of mcp-go runs around our tools, its values reach them, and a tool
// that ends its goroutine is answered.
func TestMountContext(t *testing.T) {
	t.Parallel()
	for _, revision := range hosting.Revisions() {
		r := new(mcptool.Registry)
		if err := r.Add(
			newTool(t, "value", func(ctx context.Context) (string, error) { v, _ := ctx.Value(contextKey{}).(string); return v, nil }),
			newTool(t, "exit", func(context.Context) (string, error) { goruntime.Goexit(); return "", nil }),
		); err != nil {
			t.Fatal(err)
		}
		srv := mount(t, r)
		srv.Use(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
			return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return next(context.WithValue(ctx, contextKey{}, "v"), req)
			}
		})
		s := connect(t, revision, overMemory, srv)
		s.want("value", `{}`, "v", false)
		s.want("exit", `{}`, "reference", true)
	}
}

// answer returns the error of a message to a server, without a session unless ctx has one.
func answer(ctx context.Context, t *testing.T, srv *server.MCPServer, method, params string) (code int, message, result string) {
	t.Helper()
	raw, err := json.Marshal(srv.HandleMessage(ctx, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)))
	if err != nil {
		t.Fatal(err)
	}
	var response struct {
		Error struct {
			Code    int
			Message string
		}
		Result json.RawMessage
	}
	if err := json.Unmarshal(raw, &response); err != nil {
		t.Fatal(err)
	}
	return response.Error.Code, response.Error.Message, string(response.Result)
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// TestHidden checks that the error for a hidden tool or prompt is the one for an unknown one. A hidden resource has
// a different code, as documented: mcp-go has no filter for resources.
func TestHidden(t *testing.T) {
	t.Parallel()
	never := mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool { return false })
	prompt, promptErr := mcptool.NewPrompt(func(context.Context, none) (string, error) { return "", nil }, mcptool.Name("hidden"), never)
	scoped, scopedErr := mcptool.NewPrompt(func(context.Context, none) (string, error) { return "", nil }, mcptool.Name("scoped"), mcptool.Scopes("admin"))
	resource, resourceErr := mcptool.NewResource(func(context.Context, none) (string, error) { return "", nil }, mcptool.Name("hidden"), mcptool.URI("note://hidden"), never)
	r := new(mcptool.Registry)
	if err := errors.Join(promptErr, scopedErr, resourceErr, r.Add(newTool(t, "hidden", done, never), newTool(t, "scoped", done, mcptool.Scopes("admin")), prompt, scoped, resource)); err != nil {
		t.Fatal(err)
	}
	srv := mount(t, r)
	for method, params := range map[string]string{"tools/call": `{"name":%q,` + modernMeta + `}`, "prompts/get": `{"name":%q,` + modernMeta + `}`} {
		for _, hidden := range []string{"hidden", "scoped"} { // a request without a session is not trusted
			code, message, _ := answer(t.Context(), t, srv, method, fmt.Sprintf(params, hidden))
			unknownCode, unknown, _ := answer(t.Context(), t, srv, method, fmt.Sprintf(params, "nope"))
			if code != -32602 || code != unknownCode || message != strings.ReplaceAll(unknown, "nope", hidden) {
				t.Errorf("%s: %d %s; if unknown, %d %s", method, code, message, unknownCode, unknown)
			}
		}
	}
	for _, method := range []string{"tools/list", "prompts/list", "resources/list"} {
		if _, message, list := answer(t.Context(), t, srv, method, `{`+modernMeta+`}`); message != "" || strings.Contains(list, `"hidden"`) || strings.Contains(list, `"scoped"`) {
			t.Errorf("%s: %s %s", method, message, list)
		}
	}
	code, message, _ := answer(t.Context(), t, srv, "resources/read", `{"uri":"note://hidden",`+modernMeta+`}`)
	_, unknown, _ := answer(t.Context(), t, srv, "resources/read", `{"uri":"note://nope",`+modernMeta+`}`)
	if code != mcp.INTERNAL_ERROR || message != strings.ReplaceAll(unknown, "nope", "hidden") {
		t.Errorf("a hidden resource: %d %s; if unknown, %s", code, message, unknown)
	}
}

// TestEngineErrors checks that protocol errors of the engine become isError results.
func TestEngineErrors(t *testing.T) {
	t.Parallel()
	asks := newTool(t, "asks", func(ctx context.Context) (string, error) { return "", mcptool.Confirm(ctx, "Sure?") })
	r := new(mcptool.Registry)
	if err := r.Add(asks); err != nil {
		t.Fatal(err)
	}
	srv := mount(t, r)
	_, message, result := answer(t.Context(), t, srv, "tools/call", `{"name":"asks",`+modernMeta+`}`)
	if message != "" || !strings.Contains(result, `"isError":true`) || !strings.Contains(result, "elicitation.form") {
		t.Errorf("a client without elicitation gets %s %s", message, result)
	}
	_, message, result = answer(t.Context(), t, srv, "tools/call", `{"name":"asks","requestState":"forged",`+modernMeta+`}`)
	if message != "" || !strings.Contains(result, `"isError":true`) || !strings.Contains(result, "requestState") {
		t.Errorf("a client with a forged state gets %s %s", message, result)
	}
}

// TestResourceAsks: resources can ask the clients of revisions with a handshake.
func TestResourceAsks(t *testing.T) {
	t.Parallel()
	resource, err := mcptool.NewResource(func(ctx context.Context, _ none) (string, error) { return "sure", mcptool.Confirm(ctx, "Sure?") }, mcptool.Name("r"), mcptool.URI("note://r"))
	r := new(mcptool.Registry)
	if err := errors.Join(err, r.Add(resource)); err != nil {
		t.Fatal(err)
	}
	for _, revision := range []string{"2025-11-25", hosting.Modern} {
		res, err := connect(t, revision, overMemory, mount(t, r)).ReadResource(t.Context(), read("note://r"))
		switch {
		case revision != hosting.Modern && err != nil:
			t.Errorf("%s: %v", revision, err)
		case revision == hosting.Modern && (err == nil || !strings.Contains(err.Error(), "needs input")):
			t.Errorf("%s: got %v, %v", revision, res, err)
		}
	}
}

// TestTasks: clients of both forms of tasks get no task, however long a call takes.
func TestTasks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := new(mcptool.Registry)
		if err := r.Add(newTool(t, "long", func(context.Context) (string, error) {
			time.Sleep(time.Hour)
			return "done", nil
		}, mcptool.Task(mcptool.TaskSupportOptional))); err != nil {
			t.Fatal(err)
		}
		srv := mount(t, r, server.WithTaskCapabilities(true, true, true))
		for _, params := range []string{
			`{"name":"long","task":{"ttl":60000}}`,
			`{"name":"long",` + strings.Replace(modernMeta, `Capabilities":{}`, `Capabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, 1) + `}`,
		} {
			if _, message, result := answer(t.Context(), t, srv, "tools/call", params); message != "" || !strings.Contains(result, `"text":"done"`) {
				t.Errorf("%s: %s %s", params, message, result)
			}
		}
	})
}

// TestRequestMeta: a request with a handshake may name its revision.
func TestRequestMeta(t *testing.T) {
	t.Parallel()
	r := new(mcptool.Registry)
	if err := r.Add(newTool(t, "revision", func(ctx context.Context) (string, error) { return mcptool.Caller(ctx).ProtocolVersion, nil })); err != nil {
		t.Fatal(err)
	}
	for named, want := range map[string]string{"2025-06-18": "2025-06-18", "1999-01-01": "2025-11-25"} {
		_, message, result := answer(t.Context(), t, mount(t, r), "tools/call", `{"name":"revision","_meta":{"io.modelcontextprotocol/protocolVersion":"`+named+`"}}`)
		if message != "" || !strings.Contains(result, `"text":"`+want) {
			t.Errorf("%s: %s %s", named, message, result)
		}
	}
}

// TestCancelled: mcp-go answers a call that its client has cancelled.
func TestCancelled(t *testing.T) {
	t.Parallel()
	began, cause := make(chan bool), make(chan error, 1)
	r := new(mcptool.Registry)
	if err := r.Add(newTool(t, "waits", func(ctx context.Context) (string, error) {
		close(began)
		<-ctx.Done()
		cause <- context.Cause(ctx)
		return "", ctx.Err()
	})); err != nil {
		t.Fatal(err)
	}
	srv := mount(t, r)
	ctx := srv.WithContext(t.Context(), server.NewInProcessSession("a", nil))
	go func() {
		<-began
		srv.HandleMessage(ctx, []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
	}()
	if _, message, result := answer(ctx, t, srv, "tools/call", `{"name":"waits"}`); message != "" || !strings.Contains(result, "the call was stopped") {
		t.Errorf("the cancelled call is answered with %s %s", message, result)
	}
	if err := <-cause; !errors.Is(err, runtime.ErrDisconnected) {
		t.Errorf("the cause is %v", err)
	}
}

// TestStreamForRequests: over HTTP, clients with a stream for notifications get requests for
// sampling and roots.
func TestStreamForRequests(t *testing.T) {
	t.Parallel()
	quiet := slog.New(slog.DiscardHandler)
	web := httptest.NewServer(server.NewStreamableHTTPServer(newServer(t), server.WithStreamableHTTPLogger(quiet)))
	t.Cleanup(web.Close)
	to, err := transport.NewStreamableHTTP(web.URL, transport.WithContinuousListening(), transport.WithHTTPLogger(quiet))
	if err != nil {
		t.Fatal(err)
	}
	s := connect(t, "2025-11-25", func(_ *testing.T, _ *server.MCPServer, opts ...client.ClientOption) *client.Client {
		return client.NewClient(to, append(opts, client.WithSamplingHandler(model{}), client.WithRootsHandler(model{}))...)
	}, nil)
	s.want("sample", `{}`, "4", false)
	s.want("roots", `{}`, "file:///home", false)
}

// model is a client's model, and its files.
type model struct{}

func (model) CreateMessage(context.Context, mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return &mcp.CreateMessageResult{SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent("4")}, Model: "m"}, nil
}

func (model) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///home", Name: "home"}}}, nil
}

type regionIn struct {
	Region string `json:"region" jsonschema:"x-mcp-header=Region"`
}

// TestParamHeaders: the engine compares the headers of a call with its arguments.
func TestParamHeaders(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New(func(_ context.Context, in regionIn) (string, error) { return in.Region, nil }, mcptool.Name("region"))
	r := new(mcptool.Registry)
	if err := errors.Join(err, r.Add(tool)); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server.NewStreamableHTTPServer(mount(t, r)))
	defer web.Close()
	for _, region := range []string{"eu", "us"} {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"region","arguments":{"region":"eu"},` + modernMeta + `}}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": hosting.Modern, "Mcp-Method": "tools/call", "Mcp-Name": "region", "Mcp-Param-Region": region} {
			req.Header.Set(name, value)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		_, err = text.ReadFrom(res.Body)
		_ = res.Body.Close()
		if err != nil || strings.Contains(text.String(), `"isError":true`) != (region == "us") {
			t.Errorf("%s: %s %v", region, text.String(), err)
		}
	}
}
