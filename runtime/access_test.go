package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// guardedTools are the tools of these tests and their scopes.
var guardedTools = map[string][]string{
	"notes_list":   {"notes:read"},
	"notes_read":   {"notes:read"},
	"notes_write":  {"notes:read", "notes:write"},
	"users_delete": {"admin"},
	"whoami":       nil,
}

// guarded returns a server with the guardedTools. Each returns the principal of its caller.
func guarded(t *testing.T, srv *runtime.Server) *runtime.Server {
	t.Helper()
	srv.Tools = &mcptool.Registry{}
	for name, scopes := range guardedTools {
		addGuarded(t, srv, name, scopes...)
	}
	return srv
}

func addGuarded(t *testing.T, srv *runtime.Server, name string, scopes ...string) {
	t.Helper()
	var opts []mcptool.ToolOption
	if scopes != nil {
		opts = append(opts, mcptool.Scopes(scopes...))
	}
	tool, err := mcptool.NewRaw(name, json.RawMessage(`{"type":"object"}`), func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Structured: mcptool.Caller(ctx).Principal}, nil
	}, opts...)
	if err == nil {
		err = srv.Tools.Add(tool)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// granted returns the access of a principal with scopes, separated by spaces.
func granted(principal, scopes string) *runtime.Access {
	return &runtime.Access{Principal: principal, Scopes: strings.Fields(scopes)}
}

// collector is a writer that keeps all messages. If challenges is set, the client can
// be asked for more scopes.
type collector struct {
	enginetest.Discard
	challenges bool
	selection  *runtime.Selection // of the request; nil for none
	values     context.Context    //nolint:containedctx // of the request; nil for none
	needed     []string
	sent       [][]byte
	end        chan []byte
	why        runtime.Disposition
}

func (c *collector) Notify(msg []byte) error {
	c.sent = append(c.sent, bytes.Clone(msg))
	return nil
}

func (c *collector) Respond(msg []byte, end runtime.End) error {
	defer end.Wrote()
	c.why = end.Disposition
	if end.EndExtra != nil {
		c.needed = end.Scopes
	}
	c.end <- bytes.Clone(msg)
	return nil
}

// ask sends one modern request with this access and returns the response.
func ask(t *testing.T, srv *runtime.Server, access *runtime.Access, x *collector, method, params string) []byte {
	t.Helper()
	x.end = make(chan []byte, 1)
	session := srv.Open(t.Context(), x)
	m := srv.Read([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	m.Access, m.Stateless, m.Values = (*engine.Access)(access), true, x.values
	m.StepUp, m.Select = x.challenges, (*engine.Selection)(x.selection)
	session.Serve(m, x)
	defer func() {
		if err := session.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	select {
	case msg := <-x.end:
		return msg
	case <-time.After(10 * time.Second):
		t.Fatal("no answer within 10 s")
		return nil
	}
}

// listed is one page of tools/list.
type listed struct {
	Result struct {
		Tools      []struct{ Name string }
		NextCursor string
		CacheScope string
	}
}

// listAll reads all pages of tools/list.
func listAll(t *testing.T, srv *runtime.Server, access *runtime.Access) (names, cacheScopes []string, pages int) {
	t.Helper()
	for cursor := ""; ; pages++ {
		params := ""
		if cursor != "" {
			params = `"cursor":"` + cursor + `",`
		}
		var page listed
		msg := ask(t, srv, access, &collector{}, "tools/list", params)
		if err := json.Unmarshal(msg, &page); err != nil {
			t.Fatalf("%v: %s", err, msg)
		}
		for _, tool := range page.Result.Tools {
			names = append(names, tool.Name)
		}
		cacheScopes = append(cacheScopes, page.Result.CacheScope)
		if cursor = page.Result.NextCursor; cursor == "" {
			return names, cacheScopes, pages + 1
		}
	}
}

// TestHiddenTools: a list has only the tools that the caller may call, on every page (T-LIST-04),
// and each page is private (T-LIST-12).
func TestHiddenTools(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		access *runtime.Access
		want   string
	}{
		{"a trusted peer", nil, "notes_list notes_read notes_write users_delete whoami"},
		{"unknown caller", &runtime.Access{}, "whoami"},
		{"token without scopes", granted("ada", ""), "whoami"},
		{"T-LIST-04 scope of some tools", granted("ada", "notes:read"), "notes_list notes_read whoami"},
		{"one of two scopes", granted("ada", "notes:write"), "whoami"},
		{"both scopes, in any order", granted("ada", "notes:write notes:read"), "notes_list notes_read notes_write whoami"},
		{"unrelated scope", granted("ada", "admin"), "users_delete whoami"},
		{"all scopes and others", granted("ada", "x admin notes:read y notes:write"), "notes_list notes_read notes_write users_delete whoami"},
		{"other case", granted("ada", "NOTES:READ Admin"), "whoami"},
		{"prefix of a scope", granted("ada", "notes"), "whoami"},
	}
	for _, size := range []int{1, 2, 3, 100} {
		srv := guarded(t, &runtime.Server{Limits: runtime.Limits{ToolsPerPage: size}, ListCache: runtime.CacheHint{Public: true, TTL: time.Minute}})
		for _, test := range tests {
			t.Run(fmt.Sprintf("%s, pages of %d", test.name, size), func(t *testing.T) {
				t.Parallel()
				names, cacheScopes, pages := listAll(t, srv, test.access)
				want := strings.Fields(test.want)
				if !slices.Equal(names, want) {
					t.Errorf("listed %q, want %q", names, want)
				}
				if most := (len(want) + size - 1) / size; pages != most {
					t.Errorf("got %d pages, want %d", pages, most)
				}
				if slices.ContainsFunc(cacheScopes, func(s string) bool { return s != "private" }) {
					t.Errorf("cacheScope = %q, want private", cacheScopes)
				}
			})
		}
	}
}

// TestCacheScopeOfAll: ListCache applies while no tool has scopes. With the first scoped tool,
// lists are private for all callers.
func TestCacheScopeOfAll(t *testing.T) {
	t.Parallel()
	srv := &runtime.Server{Tools: &mcptool.Registry{}, ListCache: runtime.CacheHint{Public: true}}
	addGuarded(t, srv, "open")
	for _, want := range []string{"public", "private"} {
		for _, method := range []string{"tools/list", "server/discover"} {
			for _, access := range []*runtime.Access{nil, {}, granted("ada", "admin")} {
				if got := ask(t, srv, access, &collector{}, method, ""); !strings.Contains(string(got), `"cacheScope":"`+want+`"`) {
					t.Errorf("%s: want cacheScope %s, got %s", method, want, got)
				}
			}
		}
		if want == "public" {
			addGuarded(t, srv, "closed", "admin")
		}
	}
}

// TestForbiddenCall: a call of a hidden tool is rejected (T-SEC-02, T-LIST-13). A client that can
// request scopes learns which (T-AUTH-09). For any other client, the answer is that of
// an unknown tool.
func TestForbiddenCall(t *testing.T) {
	t.Parallel()
	srv := guarded(t, &runtime.Server{})
	tests := []struct {
		name, tool string
		access     *runtime.Access
		challenges bool
		why        runtime.Disposition
		want       string
		needed     []string
		absent     string
	}{
		{"a trusted peer", "users_delete", nil, true, runtime.Served, `"structuredContent":""`, nil, ""},
		{"no scopes needed", "whoami", granted("ada", ""), true, runtime.Served, `"structuredContent":"ada"`, nil, ""},
		{"unknown caller, no scopes needed", "whoami", &runtime.Access{}, true, runtime.Served, `"structuredContent":""`, nil, ""},
		{"all scopes held", "notes_write", granted("ada", "notes:read notes:write"), true, runtime.Served, `"structuredContent":"ada"`, nil, ""},
		{"T-AUTH-09 one missing, challenge names all", "notes_write", granted("ada", "notes:read"), true, runtime.Forbidden, `"code":-32600,"message":"the tool \"notes_write\" needs an access token with notes:read notes:write"`, []string{"notes:read", "notes:write"}, ""},
		{"T-SEC-02 T-LIST-13 no challenges", "users_delete", granted("ada", "notes:read"), false, runtime.Served, `"code":-32602,"message":"unknown tool \"users_delete\""}`, nil, ""},
		{"unknown tool", "users_deleted", granted("ada", "notes:read"), true, runtime.Served, `"code":-32602,"message":"unknown tool \"users_deleted\""}`, nil, "mean"},
		{"suggestions among visible tools", "notes_rite", granted("ada", "notes:read"), true, runtime.Served, `"message":"unknown tool \"notes_rite\"; did you mean \"notes_list\" or \"notes_read\"?"`, nil, "notes_write"},
		{"suggestions with all scopes", "notes_rite", granted("ada", "notes:read notes:write"), true, runtime.Served, `did you mean \"notes_write\"`, nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			x := &collector{challenges: test.challenges}
			got := string(ask(t, srv, test.access, x, "tools/call", `"name":"`+test.tool+`",`))
			if !strings.Contains(got, test.want) || x.why != test.why {
				t.Errorf("disposition %d, want %d and %s: %s", x.why, test.why, test.want, got)
			}
			if !slices.Equal(x.needed, test.needed) {
				t.Errorf("challenge names the scopes %q, want %q", x.needed, test.needed)
			}
			if test.absent != "" && strings.Contains(got, test.absent) {
				t.Errorf("the answer names the hidden tool %s: %s", test.absent, got)
			}
		})
	}
}

// TestForbiddenInBatch: a batch has one HTTP status, so there a hidden tool is answered like an unknown one.
func TestForbiddenInBatch(t *testing.T) {
	t.Parallel()
	srv := guarded(t, &runtime.Server{})
	session := srv.Open(t.Context(), enginetest.Discard{})
	serve := func(text string) *collector {
		x := &collector{challenges: true, end: make(chan []byte, 1)}
		m := srv.Read([]byte(text))
		m.Access, m.StepUp = (*engine.Access)(granted("ada", "notes:read")), true
		session.Serve(m, x)
		return x
	}
	<-serve(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`).end
	got := string(<-serve(`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"users_delete"}},
		{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"notes_read"}}]`).end)
	if !strings.Contains(got, `unknown tool \"users_delete\"`) || !strings.Contains(got, `"id":2,"result"`) {
		t.Errorf("got %s, want an unknown tool and a result", got)
	}
	if err := session.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestHiddenChange: the notification of a change does not name a tool hidden from the client.
func TestHiddenChange(t *testing.T) {
	t.Parallel()
	srv := guarded(t, &runtime.Server{})
	told := make(chan string, 10)
	x := &collector{end: make(chan []byte, 1)}
	session := srv.Open(t.Context(), x)
	m := srv.Read([]byte(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},
		"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	m.Access, m.Stateless = (*engine.Access)(&runtime.Access{}), true
	session.Serve(m, tattler{x, told})
	<-told // acknowledgement
	addGuarded(t, srv, "secret_tool", "admin")
	if got := <-told; !strings.Contains(got, "list_changed") || strings.Contains(got, "secret") {
		t.Errorf("notification = %s, want list_changed without the tool", got)
	}
	if err := session.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// tattler sends each message to told.
type tattler struct {
	*collector
	told chan string
}

func (x tattler) Notify(msg []byte) error {
	x.told <- string(msg)
	return nil
}

// TestForbiddenIsLogged: the log has the missing scopes of a rejected call.
func TestForbiddenIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	srv := guarded(t, &runtime.Server{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	ask(t, srv, granted("ada", "notes:read"), &collector{}, "tools/call", `"name":"notes_write",`)
	if got := log.String(); !strings.Contains(got, `msg="call refused: missing scopes" tool=notes_write principal=ada needs="[notes:read notes:write]"`) {
		t.Errorf("log = %s, want the missing scopes", got)
	}
}
