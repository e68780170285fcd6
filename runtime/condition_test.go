package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// itemRequests are the requests for the tool, prompt, resource and template "it", with a part of the answer if the item is
// visible, and if it is hidden.
var itemRequests = []struct{ name, method, params, want, hidden string }{
	{"T-LIST-04 list of tools", "tools/list", ``, `"name":"it"`, `"tools":[]`},
	{"call", "tools/call", `"name":"it",`, `"text":"ran"`, `"code":-32602,"message":"unknown tool \"it\""}`},
	{"suggestion of a tool", "tools/call", `"name":"its",`, `unknown tool \"its\"`, `"message":"unknown tool \"its\""}`},
	{"RES-02 RES-09 list of prompts", "prompts/list", ``, `"name":"it"`, `"prompts":[]`},
	{"RES-09 get", "prompts/get", `"name":"it",`, `"text":"ran"`, `"code":-32602,"message":"unknown prompt \"it\""}`},
	{"suggestion of a prompt", "prompts/get", `"name":"its",`, `unknown prompt \"its\"`, `"message":"unknown prompt \"its\""}`},
	{"RES-02 RES-09 list of resources", "resources/list", ``, `"uri":"x://it"`, `"resources":[]`},
	{"RES-09 read", "resources/read", `"uri":"x://it",`, `"text":"ran"`, `"message":"Resource not found","data":{"uri":"x://it"}`},
	{"RES-09 list of templates", "resources/templates/list", ``, `"uriTemplate":"y://{id}"`, `"resourceTemplates":[]`},
	{"RES-09 read by a template", "resources/read", `"uri":"y://a",`, `"text":"ran"`, `"message":"Resource not found","data":{"uri":"y://a"}`},
	{"RES-19 complete of a prompt", "completion/complete", `"ref":{"type":"ref/prompt","name":"it"},"argument":{"name":"id","value":""},`, `"values":["a","b"]`, `"message":"unknown prompt \"it\""}`},
	{"RES-19 complete of a template", "completion/complete", `"ref":{"type":"ref/resource","uri":"y://{id}"},"argument":{"name":"id","value":""},`, `"values":["a","b"]`, `params.ref.uri is not a resource template`},
}

type choiceIn struct {
	ID string `json:"id,omitzero" jsonschema:"enum=a,enum=b"`
}

// itemServer returns a server with a tool, a prompt, a resource and a template with these options.
func itemServer(t *testing.T, opts ...mcptool.Option) *runtime.Server {
	t.Helper()
	run := func(context.Context, choiceIn) (string, error) { return "ran", nil }
	made, err := mcptool.New(func(context.Context, choiceIn) (mcptool.Text, error) { return mcptool.Text{Text: "ran"}, nil }, append(optionsOf[mcptool.ToolOption](opts), mcptool.Name("it"))...)
	if err != nil {
		t.Fatal(err)
	}
	srv := serve(t, made)
	srv.ListCache = runtime.CacheHint{Public: true, TTL: time.Minute}
	addPrompt(t, srv, "it", run, optionsOf[mcptool.PromptOption](opts)...)
	addResource(t, srv, "x://it", func(context.Context, noArguments) (string, error) { return "ran", nil }, optionsOf[mcptool.ResourceOption](opts)...)
	addResource(t, srv, "y://{id}", run, optionsOf[mcptool.ResourceOption](opts)...)
	return srv
}

// TestItemsExistForSome: an item with scopes or a condition exists only for callers that meet them, in lists, requests,
// suggestions and completions. Its lists are private.
func TestItemsExistForSome(t *testing.T) {
	t.Parallel()
	isAda := func(_ context.Context, info mcptool.CallInfo) bool { return info.Principal == "ada" }
	for _, test := range []struct {
		name           string
		opts           []mcptool.Option
		seeing, blind  *runtime.Access
		seesTrusted    bool
		challengeBlind bool
	}{
		{"scopes", []mcptool.Option{mcptool.Scopes("read")}, granted("ada", "read"), granted("bob", "write"), true, true},
		{"condition", []mcptool.Option{mcptool.VisibleIf(isAda)}, granted("ada", ""), granted("bob", "read"), false, false},
		{"both", []mcptool.Option{mcptool.VisibleIf(isAda), mcptool.Scopes("read")}, granted("ada", "read"), granted("bob", "read"), false, false},
		{"panicking condition", []mcptool.Option{mcptool.VisibleIf(func(ctx context.Context, info mcptool.CallInfo) bool {
			if !isAda(ctx, info) {
				panic("no")
			}
			return true
		})}, granted("ada", ""), &runtime.Access{}, false, false},
	} {
		srv := itemServer(t, test.opts...)
		for _, r := range itemRequests {
			t.Run(r.name+", "+test.name, func(t *testing.T) {
				t.Parallel()
				sees := func(who string, access *runtime.Access, want string) {
					if got := string(ask(t, srv, access, &collector{}, r.method, r.params)); !strings.Contains(got, want) || strings.Contains(got, `"cacheScope":"public"`) {
						t.Errorf("%s: got %s, want %s", who, got, want)
					}
				}
				sees("permitted caller", test.seeing, r.want)
				sees("other caller", test.blind, r.hidden)
				if test.seesTrusted {
					sees("trusted peer", nil, r.want)
				} else {
					sees("trusted peer", nil, r.hidden)
				}
				x := &collector{challenges: true}
				got := string(ask(t, srv, test.blind, x, r.method, r.params))
				named := !strings.HasSuffix(r.method, "/list") && !strings.HasPrefix(r.name, "suggestion")
				if challenged := x.needed != nil; challenged != (named && test.challengeBlind) {
					t.Errorf("challenge with scopes %q, want a challenge: %t; got %s", x.needed, named && test.challengeBlind, got)
				}
				if x.needed != nil && (x.why != runtime.Forbidden || !strings.Contains(got, "needs an access token with read")) {
					t.Errorf("disposition %d, want %d: %s", x.why, runtime.Forbidden, got)
				}
			})
		}
	}
}

type conditionKey struct{}

// TestConditionContext: the context of a condition has the values of the request, and [mcptool.Caller] describes the caller in
// it. In lists of resources, and for [runtime.IsVisible], it is the context of the call.
func TestConditionContext(t *testing.T) {
	t.Parallel()
	visible := mcptool.VisibleIf(func(ctx context.Context, info mcptool.CallInfo) bool {
		return ctx.Value(conditionKey{}) == "beta" && mcptool.Caller(ctx).Principal == info.Principal
	})
	check := func(srv *runtime.Server, name, method, params, want, hidden string) {
		t.Helper()
		beta := context.WithValue(t.Context(), conditionKey{}, "beta")
		if got := string(ask(t, srv, granted("ada", ""), &collector{values: beta}, method, params)); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		if got := string(ask(t, srv, granted("ada", ""), &collector{}, method, params)); !strings.Contains(got, hidden) {
			t.Errorf("%s, without the value: got %s, want %s", name, got, hidden)
		}
	}
	srv := itemServer(t, visible)
	for _, r := range itemRequests {
		check(srv, r.name, r.method, r.params, r.want, r.hidden)
	}
	addLister(t, srv, "l", func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
		return []mcptool.ResourceLink{{URI: "l://listed", Name: "a"}}, "", nil
	}, visible)
	check(srv, "a list by a func", "resources/list", ``, `"uri":"l://listed"`, `"resources":[]`)
	if err := srv.Tools.Add(tool(t, "items", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: visibleItems(ctx, srv.Tools)}}}, nil
	})); err != nil {
		t.Fatal(err)
	}
	check(srv, "IsVisible", "tools/call", `"name":"items",`, `"text":"tool it, tool items, prompt it, resource x://it"`, `"text":"tool items"`)
}

// TestConditionEnds: the context of a condition ends with the session, and with the message of an endpoint.
func TestConditionEnds(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"tools/list", "tools/call"} {
		for _, where := range []string{"session", "endpoint"} {
			t.Run(method+" of a "+where, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					srv := serve(t, tool(t, "echo", echo, mcptool.VisibleIf(func(ctx context.Context, _ mcptool.CallInfo) bool {
						<-ctx.Done()
						return false
					})))
					ctx, leave := context.WithCancel(t.Context())
					m := srv.Read([]byte(modern("1", method, `,"name":"echo"`)))
					x := &collector{end: make(chan []byte, 1)}
					if where == "endpoint" {
						go srv.Endpoint(t.Context()).Answer(ctx, m, x)
					} else {
						m.Values = t.Context()
						go srv.Open(ctx, x).Serve(m, x)
					}
					time.Sleep(time.Hour)
					if len(x.end) > 0 {
						t.Fatal("answered while the condition waits")
					}
					leave()
					<-x.end // otherwise synctest reports a deadlock
				})
			})
		}
	}
}

// TestConditionInfo: the CallInfo of a condition has the request and the item.
func TestConditionInfo(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	srv := itemServer(t, mcptool.VisibleIf(func(_ context.Context, info mcptool.CallInfo) bool {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprintf("%s|%s|%s %s %s %s %s %s", info.Tool, info.Prompt, info.Resource, info.Principal, info.ProtocolVersion, info.Client.Name, info.Capabilities, info.Meta))
		return true
	}))
	meta := `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for _, test := range []struct{ method, params, item string }{
		{"tools/list", ``, "it||"},
		{"tools/call", `"name":"it",`, "it||"},
		{"prompts/list", ``, "|it|"},
		{"prompts/get", `"name":"it",`, "|it|"},
		{"resources/list", ``, "||x://it"},
		{"resources/templates/list", ``, "||y://{id}"},
		{"resources/read", `"uri":"y://a",`, "||y://a"},
	} {
		seen = nil
		ask(t, srv, granted("ada", ""), &collector{}, test.method, test.params)
		if want := test.item + " ada 2026-07-28  {} " + meta; !slices.Equal(seen, []string{want}) {
			t.Errorf("%s: condition got %q, want %q", test.method, seen, want)
		}
	}
	w := open(t, srv)
	w.handshake("2025-06-18")
	seen = nil
	w.send(legacy("1", "prompts/list", ""))
	w.want(`"name":"it"`)
	if want := "|it|  2025-06-18 tester {} "; !slices.Equal(seen, []string{want}) {
		t.Errorf("in a session: condition got %q, want %q", seen, want)
	}
}

// TestConditionOfTask: a task is hidden when its tool becomes hidden.
func TestConditionOfTask(t *testing.T) {
	t.Parallel()
	visible := true
	srv := taskServer(t, tool(t, "x", echo, mcptool.Task(mcptool.TaskSupportRequired), mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool { return visible })))
	w := open(t, srv)
	w.send(tasked("1", "tools/call", `,"name":"x"`))
	id, _ := taskOf(t, w.next())
	w.send(tasked("2", "tasks/get", `,"taskId":"`+id+`"`))
	w.want(`"id":2,"result":`)
	visible = false
	w.send(tasked("3", "tasks/get", `,"taskId":"`+id+`"`))
	w.want(`"id":3,"error":{"code":-32602,"message":"unknown or expired task`)
}

// TestConditionsGetTheURI: a condition gets the URI that is read or subscribed to in its normal form, so that another
// spelling does not bypass it.
func TestConditionsGetTheURI(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		srv := serve(t)
		addResource(t, srv, "x:///{id}", func(ctx context.Context, in textID) (string, error) {
			return in.ID + " as " + mcptool.Caller(ctx).Resource, nil
		}, mcptool.VisibleIf(func(_ context.Context, info mcptool.CallInfo) bool {
			asked = append(asked, info.Resource)
			return info.Resource != "x:///secret"
		}))
		w := open(t, srv)
		w.handshake("2025-11-25")
		for i, method := range []string{"resources/read", "resources/subscribe"} {
			for j, test := range []struct{ uri, want, info string }{
				{"x:///secret", "Resource not found", "x:///secret"},
				{"x:///%73ecre%74", "Resource not found", "x:///secret"},
				{"x:///%61%c3%bc", `"result"`, "x:///a%C3%BC"},
			} {
				asked = nil
				id := fmt.Sprint(10*i + j + 1)
				w.send(legacy(id, method, `"uri":"`+test.uri+`"`))
				w.want(test.want)
				if !slices.Contains(asked, test.info) || slices.Contains(asked, "x:///{id}") {
					t.Errorf("%s of %s: the condition got %q, want %q", method, test.uri, asked, test.info)
				}
			}
		}
	})
}

// TestConditionsOutsideRequests: IsVisible and lists of a template's resources evaluate the condition with the name of
// the item.
func TestConditionsOutsideRequests(t *testing.T) {
	t.Parallel()
	hidden := mcptool.VisibleIf(func(_ context.Context, info mcptool.CallInfo) bool {
		return info.Tool+info.Prompt+info.Resource == "x://shown" || info.Tool+info.Prompt == "shown"
	})
	srv := serve(t)
	for _, name := range []string{"shown", "secret"} {
		if err := srv.Tools.Add(tool(t, name, echo, hidden)); err != nil {
			t.Fatal(err)
		}
		addPrompt(t, srv, name, func(context.Context, noArguments) (string, error) { return "ran", nil }, hidden)
	}
	addLister(t, srv, "x", func(context.Context, string) ([]mcptool.ResourceLink, string, error) {
		return []mcptool.ResourceLink{{URI: "x://secret", Name: "a"}, {URI: "x://shown", Name: "b"}}, "", nil
	}, mcptool.VisibleIf(func(_ context.Context, info mcptool.CallInfo) bool { return info.Resource != "x://secret" }))
	addResource(t, srv, "y://item", func(ctx context.Context, _ noArguments) (string, error) {
		return visibleItems(ctx, srv.Tools), nil
	}, mcptool.VisibleIf(func(_ context.Context, info mcptool.CallInfo) bool { return info.Resource == "y://item" }))
	const want = "tool shown, prompt shown, resource y://item"
	if got := string(ask(t, srv, nil, &collector{}, "resources/read", `"uri":"y://item",`)); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := string(ask(t, srv, nil, &collector{}, "resources/list", ``)); strings.Contains(got, "secret") || !strings.Contains(got, "x://shown") {
		t.Errorf("listed %s, want only x://shown", got)
	}
}

// visibleItems lists the visible items of a registry, without templates.
func visibleItems(ctx context.Context, registry *mcptool.Registry) string {
	var names []string
	add := func(visible bool, kind, name string) {
		if visible && !strings.Contains(name, "{") {
			names = append(names, kind+" "+name)
		}
	}
	for tool := range registry.Tools() {
		add(runtime.IsVisible(ctx, tool), "tool", tool.Info().Name)
	}
	for prompt := range registry.Prompts() {
		add(runtime.IsVisible(ctx, prompt), "prompt", prompt.Info().Name)
	}
	for resource := range registry.Resources() {
		add(runtime.IsVisible(ctx, resource), "resource", resource.URI())
	}
	return strings.Join(names, ", ")
}

// TestConditionPanicLogged: the panic of a condition is logged with its item, once a minute at level error.
func TestConditionPanicLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "hidden", echo, mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool { panic("no tenant") })))
		log := logged(srv, slog.LevelInfo)
		for range 3 { // a call evaluates the condition twice, also to suggest other names
			for _, method := range []string{"tools/list", "tools/call"} {
				if got := string(ask(t, srv, granted("ada", ""), &collector{}, method, `"name":"hidden",`)); strings.Contains(got, `"name":"hidden"`) {
					t.Errorf("%s: %s", method, got)
				}
			}
		}
		time.Sleep(time.Hour)
		ask(t, srv, granted("ada", ""), &collector{}, "tools/list", "")
		text := log.String()
		if n := strings.Count(text, `"level":"ERROR"`); n != 2 || !strings.Contains(text, `"item":"hidden","panic":"no tenant","stack":"goroutine`) || !strings.Contains(text, `"suppressed":8`) {
			t.Errorf("got %s, want 2 errors with the item, the panic and its stack, and 8 suppressed ones", text)
		}
	})
}
