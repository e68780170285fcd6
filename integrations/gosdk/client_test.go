package gosdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/integrations/gosdk"
	"github.com/mcptool-go/mcptool/internal/testing/hosting"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// serverEnv makes the test binary a server over stdio.
const serverEnv = "GOSDK_TEST_SERVER"

// TestServer is the server of the tests over stdio.
func TestServer(t *testing.T) {
	if os.Getenv(serverEnv) == "" {
		t.Skip("it is run by TestClient")
	}
	if err := newServer(t).Run(t.Context(), &mcp.StdioTransport{}); err != nil {
		t.Log(err) // the client has closed the connection
	}
}

// newServer returns a server of the SDK with our tools and two SDK tools.
func newServer(tb testing.TB) *mcp.Server {
	tb.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "demo", Version: "1"}, nil)
	r := new(mcptool.Registry)
	if err := r.Add(hosting.Tools(tb)); err != nil {
		tb.Fatal(err)
	}
	s := &runtime.Server{Tools: r, ClientLog: runtime.ClientLogAll, Logger: slog.New(slog.DiscardHandler)}
	if err := gosdk.Mount(context.Background(), server, s); err != nil {
		tb.Fatal(err)
	}
	mcp.AddTool(server, &mcp.Tool{Name: "native"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return nil, map[string]int{"n": 1}, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "native_panic"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		panic("oh")
	})
	return server
}

// user is the user of a client, and counts what the client gets.
type user struct {
	progress, logs, asked atomic.Int64
	isOld                 bool // the client does not know results that need input
}

func (u *user) client() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "probe", Version: "2"}, &mcp.ClientOptions{
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: u.isOld},
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			u.asked.Add(1)
			if strings.HasPrefix(req.Params.Message, "Which") {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"class": "1"}}, nil
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"confirm": true}}, nil
		},
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { u.progress.Add(1) },
		LoggingMessageHandler:       func(context.Context, *mcp.LoggingMessageRequest) { u.logs.Add(1) },
	})
}

// bearer sends a token, if there is one.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// verify accepts all tokens. The principal has the name of the token, and root has the scope admin.
func verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	info := &auth.TokenInfo{UserID: token, Expiration: time.Now().Add(time.Hour)}
	if token == "root" {
		info.Scopes = []string{"admin"}
	}
	return info, nil
}

func overMemory(t *testing.T) mcp.Transport {
	t.Helper()
	client, server := mcp.NewInMemoryTransports()
	if _, err := newServer(t).Connect(t.Context(), server, nil); err != nil {
		t.Fatal(err)
	}
	return client
}

func overStdio(t *testing.T) mcp.Transport {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestServer$")
	cmd.Env = append(os.Environ(), serverEnv+"=1")
	return &mcp.CommandTransport{Command: cmd}
}

// overHTTP returns a transport to a server that requires a token unless it is "".
func overHTTP(token string, opts *mcp.StreamableHTTPOptions) func(*testing.T) mcp.Transport {
	return func(t *testing.T) mcp.Transport {
		t.Helper()
		server := newServer(t)
		url := serve(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, opts), token)
		return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{token}}}
	}
}

// overSSE is overHTTP for the transport of revision 2024-11-05.
func overSSE(token string) func(*testing.T) mcp.Transport {
	return func(t *testing.T) mcp.Transport {
		t.Helper()
		server := newServer(t)
		url := serve(t, mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil), token)
		return &mcp.SSEClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{token}}}
	}
}

func serve(t *testing.T, h http.Handler, token string) (url string) {
	t.Helper()
	if token != "" {
		h = auth.RequireBearerToken(verify, nil)(h)
	}
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	return web.URL
}

// TestClient: the client of the SDK uses our tools in a server of the SDK, in each revision over each transport.
func TestClient(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		principal   string
		admin       bool // may use the tool secret
		sessionless bool // before 2026-07-28, the client is unknown and cannot be asked
		open        func(*testing.T) mcp.Transport
	}{
		{"memory", "", true, false, overMemory},
		{"stdio", "", true, false, overStdio},
		{"http", "", false, false, overHTTP("", nil)},
		{"http as guest", "guest", false, false, overHTTP("guest", nil)},
		{"http as root", "root", true, false, overHTTP("root", nil)},
		{"stateless http", "", false, true, overHTTP("", &mcp.StreamableHTTPOptions{Stateless: true})},
		{"stateless http as root", "root", true, true, overHTTP("root", &mcp.StreamableHTTPOptions{Stateless: true})},
		{"sse", "", false, false, overSSE("")},
		{"sse as guest", "guest", false, false, overSSE("guest")},
		{"sse as root", "root", true, false, overSSE("root")},
	} {
		for _, revision := range hosting.Revisions() {
			t.Run(test.name+" "+revision, func(t *testing.T) {
				t.Parallel()
				u := new(user)
				cs, err := u.client().Connect(t.Context(), test.open(t), &mcp.ClientSessionOptions{ProtocolVersion: revision})
				if err != nil {
					t.Fatal(err)
				}
				defer cs.Close()
				s := &session{t, cs, revision, u}
				if (strings.HasPrefix(test.name, "http") || strings.HasPrefix(test.name, "sse")) && revision == hosting.Modern {
					s.revision = "2025-11-25" // the SDK serves 2026-07-28 over HTTP only if it is stateless
				}
				client := "probe 2"
				if test.sessionless && revision != hosting.Modern {
					client = " "
				}
				s.basics(client, test.principal)
				s.access(test.admin)
				s.questions(!test.sessionless || revision == hosting.Modern)
				s.notifications()
			})
		}
	}
}

// session is a connected client.
type session struct {
	*testing.T
	*mcp.ClientSession
	revision string
	user     *user
}

// call returns the text of the result.
func (s *session) call(name, args string, meta mcp.Meta) (text string, isError bool) {
	s.Helper()
	res, err := s.CallTool(s.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args), Meta: meta})
	if err != nil {
		return err.Error(), true
	}
	if len(res.Content) == 0 {
		return "", res.IsError
	}
	return res.Content[0].(*mcp.TextContent).Text, res.IsError
}

func (s *session) want(name, args, text string, isError bool) {
	s.Helper()
	if got, gotError := s.call(name, args, nil); !strings.Contains(got, text) || gotError != isError {
		s.Errorf("%s: got %q, an error: %t; want %q", name, got, gotError, text)
	}
}

func (s *session) basics(client, principal string) {
	if got := s.InitializeResult().ProtocolVersion; got != s.revision {
		s.Errorf("the revision is %s, want %s", got, s.revision)
	}
	s.want("sum", `{"a":1,"b":2}`, `{"sum":3}`, false)
	s.want("native", `{}`, `{"n":1}`, false)
	s.want("sum", `{"a":"x"}`, `a: must be a number`, true)
	s.want("panics", `{}`, "reference", true) // and the server lives
	s.want("whoami", `{}`, fmt.Sprintf("%s %s %q", s.revision, client, principal), false)
}

// access checks that tools that do not exist for the caller are neither listed nor called.
func (s *session) access(admin bool) {
	list, err := s.ListTools(s.Context(), nil)
	if err != nil {
		s.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if slices.Contains(names, "secret") != admin || slices.Contains(names, "hidden") || !slices.Contains(names, "sum") || !slices.Contains(names, "native") {
		s.Errorf("an admin: %t, the tools are %v", admin, names)
	}
	s.want("hidden", `{}`, `unknown tool "hidden"`, true)
	if admin {
		s.want("secret", `{}`, "{}", false)
	} else {
		s.want("secret", `{}`, `unknown tool "secret"`, true)
	}
}

// questions checks that the user is asked, in the revisions that have elicitation.
func (s *session) questions(reachable bool) {
	if !reachable || s.revision < "2025-06-18" {
		if text, isError := s.call("book", `{}`, nil); !isError || s.user.asked.Load() != 0 {
			s.Errorf("the call returned %q, and the user was asked %d times", text, s.user.asked.Load())
		}
		return
	}
	s.want("book", `{}`, `{"class":"1","holds":1}`, false)
	s.want("book", `{}`, `{"class":"1","holds":2}`, false)
	if n := s.user.asked.Load(); n != 4 {
		s.Errorf("the user was asked %d times, want 4", n)
	}
}

func (s *session) notifications() {
	if s.revision != hosting.Modern {
		if err := s.SetLoggingLevel(s.Context(), &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
			s.Error(err)
		}
	}
	// The client may drop notifications that arrive together with the response.
	for range 100 {
		if text, isError := s.call("steps", `{}`, mcp.Meta{"progressToken": "p", mcp.MetaKeyLogLevel: "info"}); text != "done" || isError {
			s.Fatalf("got %q", text)
		}
		if s.user.progress.Load() > 0 && s.user.logs.Load() > 0 {
			return
		}
	}
	s.Errorf("%d progress messages, %d log records", s.user.progress.Load(), s.user.logs.Load())
}

// TestServerPerRequest: a host that makes a server for each request can ask a client of revision 2026-07-28, whose answer
// reaches another server than the one that has asked.
func TestServerPerRequest(t *testing.T) {
	t.Parallel()
	var servers atomic.Int64
	tool := newTool(t, "delete", func(ctx context.Context) (string, error) { return "deleted", mcptool.Confirm(ctx, "Sure?") })
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		servers.Add(1)
		server := mcp.NewServer(&mcp.Implementation{Name: "demo", Version: "1"}, nil)
		if err := gosdk.AddTools(server, tool); err != nil {
			t.Error(err)
		}
		return server
	}, &mcp.StreamableHTTPOptions{Stateless: true})
	u := new(user)
	cs, err := u.client().Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: serve(t, h, "")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	s := &session{t, cs, hosting.Modern, u}
	s.want("delete", `{}`, "deleted", false)
	if u.asked.Load() != 1 || servers.Load() < 3 {
		t.Errorf("the user was asked %d times, by %d servers", u.asked.Load(), servers.Load())
	}
}

// TestClientCancels: a cancelled call cancels the context of our tool.
func TestClientCancels(t *testing.T) {
	t.Parallel()
	for _, revision := range hosting.Revisions() {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			began, ended := make(chan bool), make(chan error)
			tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (struct{}, error) {
				close(began)
				<-ctx.Done()
				ended <- ctx.Err()
				return struct{}{}, ctx.Err()
			}, mcptool.Name("waits"))
			if err != nil {
				t.Fatal(err)
			}
			cs := connect(t, revision, func(s *mcp.Server) error { return gosdk.AddTools(s, tool) })
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-began
				cancel()
			}()
			if _, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "waits"}); err == nil {
				t.Error("the cancelled call has a result")
			}
			<-ended
		})
	}
}

// connect connects a client to a new server of the SDK, over memory.
func connect(t *testing.T, revision string, fill func(*mcp.Server) error) *mcp.ClientSession {
	t.Helper()
	return connectAs(t, new(user), revision, fill)
}

func connectAs(t *testing.T, u *user, revision string, fill func(*mcp.Server) error) *mcp.ClientSession {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "demo", Version: "1"}, nil)
	if err := fill(server); err != nil {
		t.Fatal(err)
	}
	a, b := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), b, nil); err != nil {
		t.Fatal(err)
	}
	cs, err := u.client().Connect(t.Context(), a, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cs.Close() })
	return cs
}
