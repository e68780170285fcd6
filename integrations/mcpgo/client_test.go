package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	goruntime "runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/server/servertest"

	"github.com/mcptool-go/mcptool/integrations/mcpgo"
	"github.com/mcptool-go/mcptool/internal/testing/hosting"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// serverEnv makes the test binary a server over stdio.
const serverEnv = "MCPGO_TEST_SERVER"

// TestServer is the server of the tests over stdio.
func TestServer(t *testing.T) { //nolint:paralleltest // it is another process
	if os.Getenv(serverEnv) == "" {
		t.Skip("it is run by TestClient")
	}
	if err := server.ServeStdio(newServer(t)); err != nil {
		t.Log(err) // the client has closed the connection
	}
}

// newServer returns a server of mcp-go with our tools and two mcp-go tools.
func newServer(tb testing.TB) *server.MCPServer {
	tb.Helper()
	srv := server.NewMCPServer("demo", "1", server.WithLogging())
	r := new(mcptool.Registry)
	if err := r.Add(hosting.Tools(tb)); err != nil {
		tb.Fatal(err)
	}
	s := &runtime.Server{Tools: r, ClientLog: runtime.ClientLogAll, Logger: slog.New(slog.DiscardHandler)}
	if err := mcpgo.Mount(context.Background(), srv, s); err != nil {
		tb.Fatal(err)
	}
	srv.AddTool(mcp.NewTool("native"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("native result"), nil
	})
	srv.AddTool(mcp.NewTool("native_panic"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		panic("oh")
	})
	return srv
}

// user is the user of a client, and counts what the client gets.
type user struct {
	progress, logs, asked atomic.Int64
}

func (u *user) Elicit(_ context.Context, req mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	u.asked.Add(1)
	if _, ok := req.Params.RequestedSchema.(map[string]any); !ok {
		return nil, fmt.Errorf("the form is a %T", req.Params.RequestedSchema)
	}
	content := map[string]any{"confirm": true}
	if strings.HasPrefix(req.Params.Message, "Which") {
		content = map[string]any{"class": "1"}
	}
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: content}}, nil
}

// opener returns a client that is not connected yet.
type opener func(t *testing.T, srv *server.MCPServer, opts ...client.ClientOption) *client.Client

func overMemory(t *testing.T, srv *server.MCPServer, opts ...client.ClientOption) *client.Client {
	t.Helper()
	c, err := client.NewInProcessClientWithOptions(srv, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// overStdio starts another process, with the server of newServer.
func overStdio(t *testing.T, _ *server.MCPServer, opts ...client.ClientOption) *client.Client {
	t.Helper()
	return client.NewClient(transport.NewStdio(os.Args[0], append(os.Environ(), serverEnv+"=1"), "-test.run=^TestServer$"), opts...)
}

// overHTTP returns an opener of clients with a token, unless it is "".
func overHTTP(token string, serverOpts ...server.StreamableHTTPOption) opener {
	return func(t *testing.T, srv *server.MCPServer, opts ...client.ClientOption) *client.Client {
		t.Helper()
		quiet := slog.New(slog.DiscardHandler)
		serverOpts := append(slices.Clone(serverOpts), server.WithHTTPContextFunc(authenticate), server.WithStreamableHTTPLogger(quiet))
		web := httptest.NewServer(server.NewStreamableHTTPServer(srv, serverOpts...))
		t.Cleanup(web.Close)
		to, err := transport.NewStreamableHTTP(web.URL, transport.WithHTTPHeaders(bearer(token)), transport.WithHTTPBasicClient(web.Client()), transport.WithHTTPLogger(quiet))
		if err != nil {
			t.Fatal(err)
		}
		return client.NewClient(to, opts...)
	}
}

// overSSE is overHTTP for the transport of revision 2024-11-05.
func overSSE(token string) opener {
	return func(t *testing.T, srv *server.MCPServer, opts ...client.ClientOption) *client.Client {
		t.Helper()
		return dialSSE(t, servertest.NewTestServer(srv, server.WithSSEContextFunc(authenticate)), token, opts...)
	}
}

// overAdapter is overSSE through an adapter of an HTTP server other than net/http: the
// contexts of requests have no values of net/http.
func overAdapter(token string) opener {
	return func(t *testing.T, srv *server.MCPServer, opts ...client.ClientOption) *client.Client {
		t.Helper()
		sse := server.NewSSEServer(srv, server.WithSSEContextFunc(authenticate))
		return dialSSE(t, httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			context.AfterFunc(r.Context(), cancel)
			sse.ServeHTTP(w, r.WithContext(ctx)) //nolint:contextcheck // adapters do so
		})), token, opts...)
	}
}

// dialSSE returns a client of web, which it closes at the end of the test.
func dialSSE(t *testing.T, web *httptest.Server, token string, opts ...client.ClientOption) *client.Client {
	t.Helper()
	t.Cleanup(web.Close)
	to, err := transport.NewSSE(web.URL+"/sse", transport.WithHeaders(bearer(token)), transport.WithHTTPClient(web.Client()))
	if err != nil {
		t.Fatal(err)
	}
	return client.NewClient(to, opts...)
}

func bearer(token string) map[string]string {
	if token == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + token}
}

// authenticate accepts all tokens. The principal has the name of the token, and root has the scope
// admin.
func authenticate(ctx context.Context, r *http.Request) context.Context {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return ctx
	}
	a := runtime.Access{Principal: token}
	if token == "root" {
		a.Scopes = []string{"admin"}
	}
	return mcpgo.WithAccess(ctx, a)
}

// TestClient: the client of mcp-go uses our tools in a server of mcp-go, in each revision over each
// transport.
func TestClient(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		principal string
		admin     bool   // may use the tool secret
		client    string // before 2026-07-28
		reachable bool   // before 2026-07-28, it can be asked
		open      opener
	}{
		{"memory", "", true, "probe 2", true, overMemory},
		{"stdio", "", true, "probe 2", true, overStdio},
		{"http", "", false, "probe 2", true, overHTTP("")},
		{"http as guest", "guest", false, "probe 2", true, overHTTP("guest")},
		{"http as root", "root", true, "probe 2", true, overHTTP("root")},
		{"stateless http", "", false, " ", false, overHTTP("", server.WithStateLess(true))},
		{"stateless http as root", "root", true, " ", false, overHTTP("root", server.WithStateLess(true))},
		{"sse", "", false, "probe 2", false, overSSE("")},
		{"sse as root", "root", true, "probe 2", false, overSSE("root")},
		{"sse through an adapter", "", false, "probe 2", false, overAdapter("")},
		{"sse through an adapter as root", "root", true, "probe 2", false, overAdapter("root")},
	} {
		for _, revision := range hosting.Revisions() {
			t.Run(test.name+" "+revision, func(t *testing.T) {
				t.Parallel()
				who, reachable := test.client, test.reachable
				if revision == hosting.Modern {
					who, reachable = "probe 2", true // each request describes its client
				}
				s := connect(t, revision, test.open, newServer(t))
				s.basics(who, test.principal)
				s.access(test.admin)
				s.questions(reachable)
				s.notifications(who != " ")
			})
		}
	}
}

// session is a connected client.
type session struct {
	*testing.T
	*client.Client
	revision string
	user     *user
}

func connect(t *testing.T, revision string, open opener, srv *server.MCPServer) *session {
	t.Helper()
	u := new(user)
	c := open(t, srv, client.WithElicitationHandler(u))
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		switch n.Method {
		case "notifications/progress":
			u.progress.Add(1)
		case "notifications/message":
			u.logs.Add(1)
		}
	})
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	req := mcp.InitializeRequest{}
	req.Params.ProtocolVersion, req.Params.ClientInfo = revision, mcp.Implementation{Name: "probe", Version: "2"}
	if _, err := c.Initialize(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if got := c.ProtocolVersion(); got != revision {
		t.Fatalf("the revision is %s, want %s", got, revision)
	}
	return &session{t, c, revision, u}
}

// call returns the text of the result.
func (s *session) call(name, args string, meta *mcp.Meta) (text string, isError bool) {
	s.Helper()
	req := mcp.CallToolRequest{}
	req.Params.Name, req.Params.Arguments, req.Params.Meta = name, json.RawMessage(args), meta
	res, err := s.CallTool(s.Context(), req)
	if err != nil {
		return err.Error(), true
	}
	if len(res.Content) == 0 {
		return "", res.IsError
	}
	return res.Content[0].(mcp.TextContent).Text, res.IsError
}

func (s *session) want(name, args, text string, isError bool) {
	s.Helper()
	if got, gotError := s.call(name, args, nil); !strings.Contains(got, text) || gotError != isError {
		s.Errorf("%s: got %q, an error: %t; want %q", name, got, gotError, text)
	}
}

// names returns the names of the tools that the client lists.
func (s *session) names() (all []string) {
	s.Helper()
	res, err := s.ListTools(s.Context(), mcp.ListToolsRequest{})
	if err != nil {
		s.Fatal(err)
	}
	for _, tool := range res.Tools {
		all = append(all, tool.Name)
	}
	return all
}

func (s *session) basics(who, principal string) {
	s.want("sum", `{"a":1,"b":2}`, `{"sum":3}`, false)
	s.want("native", `{}`, `native result`, false)
	s.want("sum", `{"a":"x"}`, `a: must be a number`, true)
	s.want("panics", `{}`, "reference", true) // and the server lives
	s.want("whoami", `{}`, fmt.Sprintf("%s %s %q", s.revision, who, principal), false)
}

// access checks that tools that do not exist for the caller are neither listed nor called.
func (s *session) access(admin bool) {
	names := s.names()
	if slices.Contains(names, "secret") != admin || slices.Contains(names, "hidden") || !slices.Contains(names, "sum") || !slices.Contains(names, "native") {
		s.Errorf("an admin: %t, the tools are %v", admin, names)
	}
	s.want("hidden", `{}`, `tool 'hidden' not found: tool not found`, true)
	if admin {
		s.want("secret", `{}`, "{}", false)
	} else {
		s.want("secret", `{}`, `tool 'secret' not found: tool not found`, true)
	}
}

// questions checks that the user is asked, in the revisions that have elicitation.
func (s *session) questions(reachable bool) {
	if !reachable || s.revision < "2025-06-18" {
		s.want("book", `{}`, "does not support a required capability", true)
		if n := s.user.asked.Load(); n != 0 {
			s.Errorf("the user was asked %d times", n)
		}
		return
	}
	s.want("book", `{}`, `{"class":"1","holds":1}`, false)
	s.want("book", `{}`, `{"class":"1","holds":2}`, false)
	if n := s.user.asked.Load(); n != 4 {
		s.Errorf("the user was asked %d times, want 4", n)
	}
}

// TestServerPerRequest: a host that makes a server for each request can ask a client of revision
// 2026-07-28, whose answer reaches another server than the one that has asked.
func TestServerPerRequest(t *testing.T) {
	t.Parallel()
	var servers atomic.Int64
	tool := newTool(t, "delete", func(ctx context.Context) (string, error) { return "deleted", mcptool.Confirm(ctx, "Sure?") })
	s := connect(t, hosting.Modern, func(t *testing.T, _ *server.MCPServer, opts ...client.ClientOption) *client.Client {
		t.Helper()
		quiet := slog.New(slog.DiscardHandler)
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			servers.Add(1)
			srv := server.NewMCPServer("demo", "1")
			if err := mcpgo.AddTools(srv, tool); err != nil { //nolint:contextcheck // the tools have no end
				t.Error(err)
			}
			server.NewStreamableHTTPServer(srv, server.WithStateLess(true), server.WithStreamableHTTPLogger(quiet)).ServeHTTP(w, r)
		}))
		t.Cleanup(web.Close)
		to, err := transport.NewStreamableHTTP(web.URL, transport.WithHTTPBasicClient(web.Client()), transport.WithHTTPLogger(quiet))
		if err != nil {
			t.Fatal(err)
		}
		return client.NewClient(to, opts...)
	}, nil)
	s.want("delete", `{}`, "deleted", false)
	if s.user.asked.Load() != 1 || servers.Load() < 3 {
		t.Errorf("the user was asked %d times, by %d servers", s.user.asked.Load(), servers.Load())
	}
}

// TestClientCancels: a cancelled call cancels the context of our tool.
func TestClientCancels(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]opener{"memory": overMemory, "http": overHTTP("")} {
		for _, revision := range hosting.Revisions() {
			t.Run(name+" "+revision, func(t *testing.T) {
				t.Parallel()
				began, ended := make(chan bool), make(chan error)
				srv := server.NewMCPServer("demo", "1")
				if err := mcpgo.AddTools(srv, newTool(t, "waits", func(ctx context.Context) (string, error) {
					close(began)
					<-ctx.Done()
					ended <- ctx.Err()
					return "", ctx.Err()
				})); err != nil {
					t.Fatal(err)
				}
				s := connect(t, revision, open, srv)
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					<-began
					cancel()
				}()
				go func() { _, _ = s.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "waits"}}) }()
				<-ended
			})
		}
	}
}

// notifications checks that the client gets progress and log records, or none if its session is
// shared.
func (s *session) notifications(hasSession bool) {
	req := mcp.SetLevelRequest{}
	req.Params.Level = mcp.LoggingLevelInfo
	if err := s.SetLevel(s.Context(), req); err != nil {
		s.Error(err)
	}
	// They may arrive after the response, and over HTTP mcp-go sometimes drops one that it handles
	// together with the response.
	for range 1000 {
		if text, isError := s.call("steps", `{}`, &mcp.Meta{ProgressToken: "p"}); text != "done" || isError {
			s.Fatalf("got %q", text)
		}
		goruntime.Gosched()
		if !hasSession {
			break
		}
		if s.user.progress.Load() > 0 && s.user.logs.Load() > 0 {
			return
		}
	}
	if n := s.user.progress.Load() + s.user.logs.Load(); !hasSession && n == 0 {
		return
	}
	s.Errorf("%d progress messages, %d log records", s.user.progress.Load(), s.user.logs.Load())
}
