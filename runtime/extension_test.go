package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

const thing = "com.example/thing"

// ignore is a notification handler that does nothing.
func ignore(context.Context, json.RawMessage) {}

func resource(t *testing.T, uri string) *mcptool.Resource {
	t.Helper()
	r, err := mcptool.NewResource(func(context.Context, struct{}) (string, error) { return "text", nil }, mcptool.Name("r"), mcptool.URI(uri))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestExtensionMistakes: Check returns all mistakes of extensions, and nothing of an invalid extension is served.
func TestExtensionMistakes(t *testing.T) {
	t.Parallel()
	row := func(name, since string) []runtime.Method {
		return []runtime.Method{{Name: name, Since: since, Handle: nothing}}
	}
	own := resource(t, "thing://own")
	for _, test := range []struct {
		name       string
		extensions []runtime.Extension
		want       []string // lines of the error
		reason     string
	}{
		{"EXT-01 fine", []runtime.Extension{
			{ID: thing, Settings: map[string]any{"level": 2}, Since: "2025-06-18", Methods: row("thing/get", ""), Resources: []*mcptool.Resource{own, own}[:1]},
			{ID: "com.example/thing-2.b_c", Notifications: map[string]func(context.Context, json.RawMessage){"notifications/thing": ignore, "thing/note": ignore}},
			{ID: "x.y/z"},
			{ID: "io.modelcontextprotocol/other"},
		}, nil, "valid extensions"},
		{"EXT-01 no slash", []runtime.Extension{{ID: "com.example"}}, []string{`extension "com.example": has an invalid ID; use a reversed domain, a slash and a name`}, "an ID has a prefix"},
		{"EXT-01 ids", []runtime.Extension{
			{},
			{ID: "/x"},
			{ID: "com.example/"},
			{ID: "example/x"},
			{ID: "com..example/x"},
			{ID: "com.1example/x"},
			{ID: "com.example-/x"},
			{ID: "com.example/x/y"},
			{ID: "com.example/-x"},
			{ID: "com.exämple/x"},
			{ID: "com.example/x\n"},
			{ID: "com.example/" + strings.Repeat("x", 600)},
		}, slices.Repeat([]string{`has an invalid ID`}, 12), "each ID is invalid"},
		{"twice", []runtime.Extension{{ID: thing}, {ID: thing}}, []string{`extension "com.example/thing": is listed twice`}, "only one could be declared"},
		{"tasks", []runtime.Extension{{ID: "io.modelcontextprotocol/tasks"}}, []string{`is served by package runtime`}, "built in"},
		{"EXT-02 settings", []runtime.Extension{{ID: thing, Settings: []int{1}}, {ID: "a.b/c", Settings: "text"}, {ID: "a.b/d", Settings: func() {}}}, []string{
			`has Settings that are not a JSON object: "[1]"`, `not a JSON object`, `cannot be encoded as JSON`,
		}, "settings must be an object"},
		{"revisions", []runtime.Extension{{ID: thing, Since: "yesterday"}, {ID: "a.b/c", Until: "2025"}, {ID: "a.b/d", Since: "2025-11-25", Until: "2025-06-18"}}, []string{
			`has Since "yesterday", which is not a supported revision`, `has Until "2025"`, `comes after Until`,
		}, "same rules as for methods"},
		{"method out of span", []runtime.Extension{{ID: thing, Until: "2025-06-18", Methods: row("thing/get", "2026-07-28")}}, []string{`method "thing/get": not available in any revision`}, "could never be called"},
		{"methods", []runtime.Extension{{ID: thing, Methods: row("own", "")}, {ID: "a.b/c", Methods: row("x", "")}, {ID: "a.b/d", Methods: row("x", "")}}, []string{
			`extension "com.example/thing": method "own": already served by Server.Methods or another extension`, `extension "a.b/d": method "x": already served`,
		}, "a method has one handler"},
		{"notifications", []runtime.Extension{{ID: thing, Notifications: map[string]func(context.Context, json.RawMessage){
			"": ignore, "notifications/cancelled": ignore, "notifications/tasks/mine": ignore, "rpc.x": ignore, "tools/list": ignore, "x": nil,
		}}, {ID: "a.b/c", Notifications: map[string]func(context.Context, json.RawMessage){"y": ignore}}, {ID: "a.b/d", Notifications: map[string]func(context.Context, json.RawMessage){"y": ignore}}}, []string{
			`notification "": has no name`, `notification "notifications/cancelled": is a notification of the protocol`, `notification "notifications/tasks/mine": has a prefix`,
			`notification "rpc.x": has a prefix that is reserved by JSON-RPC`, `notification "tools/list": is a request of the protocol`, `notification "x": has no func`,
			`extension "a.b/d": notification "y": already handled by another extension`,
		}, "each name is invalid"},
		{"middleware", []runtime.Extension{{ID: thing, Middleware: []mcptool.Middleware{nil}}}, []string{`extension "com.example/thing": Middleware: element 0 is nil`}, "middleware must not be nil"},
		{"resources", []runtime.Extension{{ID: thing, Resources: []*mcptool.Resource{resource(t, "thing://taken"), nil}}}, []string{
			`extension "com.example/thing": resource 2 of the call is empty; make it with NewResource` + "\n",
			`extension "com.example/thing": thing://taken: the resource defined at`, `has the same URI`,
		}, "same mistakes as of the registry, without the location of the call in this package"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t)
			srv.Methods = row("own", "")
			if err := srv.Tools.Add(resource(t, "thing://taken")); err != nil {
				t.Fatal(err)
			}
			srv.Extensions = test.extensions
			err := srv.Check()
			if (err == nil) != (len(test.want) == 0) {
				t.Fatalf("Check = %v: %s", err, test.reason)
			}
			at := 0
			for _, want := range test.want {
				i := strings.Index(err.Error()[at:], want)
				if i < 0 {
					t.Fatalf("error lacks %q after byte %d:\n%v\n%s", want, at, err, test.reason)
				}
				at += i + len(want)
			}
			if _, left := srv.Tools.LookupResource("thing://own"); left != (err == nil) {
				t.Errorf("registry has thing://own = %t, want %t", left, err == nil)
			}
		})
	}
}

// thingServer returns a server with an extension that uses all fields.
func thingServer(t *testing.T, required bool) *runtime.Server {
	t.Helper()
	say := func(ctx context.Context, _ struct{}) (map[string]string, error) {
		settings, declared := mcptool.Extension(ctx, thing)
		err := runtime.Notify(ctx, "thing/said", map[string]any{"n": 1, "_meta": map[string]any{"com.example/m": true}})
		return map[string]string{"settings": string(settings), "declared": fmt.Sprint(declared)}, err
	}
	tool, err := mcptool.New(say, mcptool.Name("say"))
	if err != nil {
		t.Fatal(err)
	}
	srv := serve(t, tool)
	srv.Extensions = []runtime.Extension{{
		ID: thing, Settings: map[string]any{"level": 2}, Required: required,
		Methods: []runtime.Method{{Name: "thing/get", Handle: runtime.Typed(say)}, {Name: "thing/new", Since: "2026-07-28", Handle: nothing}},
		Middleware: []mcptool.Middleware{func(next mcptool.Handler) mcptool.Handler {
			return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
				res, err := next(ctx, args)
				if _, declared := mcptool.Extension(ctx, thing); declared && err == nil {
					res.Meta = map[string]any{"com.example/seen": true}
				}
				return res, err
			}
		}},
	}, {ID: "com.example/later", Since: "2026-07-28"}, {ID: "com.example/before", Until: "2025-11-25"}}
	if err := srv.Check(); err != nil {
		t.Fatal(err)
	}
	return srv
}

const declaring = `"extensions":{"com.example/thing":{"a":1}}`

// TestExtensionLegacy: in a session, the client declares extensions once.
func TestExtensionLegacy(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		for _, declared := range []bool{true, false} {
			t.Run(fmt.Sprintf("EXT-03 EXT-04 EXT-05 %s %v", version, declared), func(t *testing.T) {
				t.Parallel()
				w := open(t, thingServer(t, true))
				capabilities, want, result := "", `"error":{"code":-32600,"message":"the client does not support a required capability: extensions.com.example/thing; call from a client that does"}`, `"declared\":\"false\"`
				if declared {
					capabilities, result = declaring, `"settings\":\"{\\\"a\\\":1}\"`
				}
				w.send(legacy("1", "initialize", `"protocolVersion":"`+version+`","capabilities":{`+capabilities+`},"clientInfo":{"name":"c","version":"1"}`))
				w.want(`"extensions":{"com.example/thing":{"level":2},"com.example/before":{}}}`)
				w.send(legacy("2", "thing/get", ""))
				if declared {
					w.want(`{"jsonrpc":"2.0","method":"thing/said","params":{"n":1,"_meta":{"com.example/m":true}}}`)
					want = `"result":{"declared":"true","settings":"{\"a\":1}"}`
				}
				w.want(want)
				w.send(legacy("3", "tools/call", `"name":"say"`))
				w.want(`"method":"thing/said"`)
				if seen := strings.Contains(w.want(result), `"com.example/seen":true`); seen != declared {
					t.Errorf("result marked by the middleware = %t, want %t", seen, declared)
				}
				w.send(legacy("4", "thing/new", ""))
				w.want(`"code":-32601`)
			})
		}
	}
}

// TestExtensionModern: each request declares the extensions of the client.
func TestExtensionModern(t *testing.T) {
	t.Parallel()
	declare := func(msg string) string {
		return strings.Replace(msg, `clientCapabilities":{`, `clientCapabilities":{`+declaring, 1)
	}
	w := open(t, thingServer(t, true))
	w.send(modern("1", "server/discover", ""))
	w.want(`"extensions":{"com.example/thing":{"level":2},"com.example/later":{}}}`)
	t.Run("EXT-04 EXT-05 T-ERR-07", func(*testing.T) {
		for range 2 {
			w.send(declare(modern("2", "thing/get", "")))
			w.want(`"method":"thing/said"`)
			w.want(`"declared":"true"`)
			w.send(modern("3", "thing/get", ""))
			w.want(`"error":{"code":-32021,`, `"data":{"requiredCapabilities":{"extensions":{"com.example/thing":{}}}}`)
			w.send(declare(modern("4", "tools/call", `,"name":"say"`)))
			w.want(`"method":"thing/said"`)
			w.want(`"com.example/seen":true`, `"declared":"true"`)
			w.send(modern("5", "tools/call", `,"name":"say"`))
			w.want(`"method":"thing/said"`)
			w.want(`"declared":"false"`)
		}
	})
	open := open(t, thingServer(t, false))
	open.send(modern("3", "thing/get", ""))
	open.want(`"method":"thing/said"`)
	open.want(`"declared":"false"`)
}

// TestExtensionMissing: methods of an invalid extension are unknown; over HTTP, the status is 404.
func TestExtensionMissing(t *testing.T) {
	t.Parallel()
	t.Run("EXT-06", func(t *testing.T) {
		t.Parallel()
		srv := serve(t)
		srv.Extensions = []runtime.Extension{{ID: "no id", Methods: []runtime.Method{{Name: "thing/get", Handle: nothing}}}}
		x := newRecorder()
		open(t, srv).session.Serve(stateless(srv, modern("1", "thing/get", "")), x)
		if <-x.done; x.why != runtime.UnknownMethod || !strings.Contains(x.last, `"code":-32601`) {
			t.Errorf("disposition %d, want %d: %s", x.why, runtime.UnknownMethod, x.last)
		}
	})
}

// TestAttachedExtensions: the extensions attached to tools are declared while the tools exist, with the settings of the server's extension.
func TestAttachedExtensions(t *testing.T) {
	t.Parallel()
	other, mine := &mcptool.ClientExtension{ID: "com.example/other"}, &mcptool.ClientExtension{ID: thing}
	a := tool(t, "a", echo, mcptool.Attach(mcptool.Attachment{Extension: other}), mcptool.Attach(mcptool.Attachment{Extension: mine}))
	srv := serve(t, a)
	srv.Extensions = []runtime.Extension{{ID: thing, Settings: map[string]int{"n": 1}}}
	w := open(t, srv)
	w.send(modern("1", "server/discover", ""))
	w.want(`"extensions":{"com.example/thing":{"n":1},"com.example/other":{}}`)
	srv.Tools.Remove(a)
	w.send(modern("2", "server/discover", ""))
	w.want(`"extensions":{"com.example/thing":{"n":1}}`)
}

// TestExtensionShared: several servers may share an Extension and a registry.
func TestExtensionShared(t *testing.T) {
	t.Parallel()
	e := runtime.Extension{ID: thing, Resources: []*mcptool.Resource{resource(t, "thing://1")}, Methods: []runtime.Method{{Name: "thing/get", Handle: nothing}}}
	registry := &mcptool.Registry{}
	for i := range 3 {
		srv := &runtime.Server{Tools: registry, Extensions: []runtime.Extension{e}}
		if err := srv.Check(); err != nil {
			t.Fatal(i, err)
		}
		w := open(t, srv)
		w.send(modern("1", "thing/get", ""))
		w.want(`"result":{`)
	}
	if n := len(slices.Collect(registry.Resources())); n != 1 {
		t.Errorf("the registry has %d resources, want 1", n)
	}
	none := &runtime.Server{Tools: &mcptool.Registry{}, Extensions: []runtime.Extension{{ID: thing, Resources: []*mcptool.Resource{}}}}
	if none.Check(); mcptool.Internal(private.Key{}).Generations(none.Tools)[2] == 0 {
		t.Error("an empty list of resources does not declare resources")
	}
}

// TestNotifyRefused: Notify returns an error for invalid notifications, and sends nothing.
func TestNotifyRefused(t *testing.T) {
	t.Parallel()
	if err := runtime.Notify(t.Context(), "x", nil); !errors.Is(err, runtime.ErrNoRequest) {
		t.Errorf("Notify without a request = %v, want ErrNoRequest", err)
	}
	var kept context.Context
	srv := serve(t, tool(t, "try", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		kept = ctx //nolint:fatcontext // used after the end of the call
		for _, test := range []struct {
			method string
			params any
			want   string
		}{
			{"notifications/progress", nil, "is a notification of the protocol"},
			{"tools/call", nil, "is a request of the protocol"},
			{"", nil, "has no name"},
			{"x", 1, "is not an object"},
			{"x", func() {}, "cannot be sent"},
			{"x", map[string]int{"_meta": 1}, "is not an object"},
			{"x", map[string]string{"a": strings.Repeat("x", 2000)}, "more than 1000 bytes of JSON"},
			{"x", nil, ""},
			{"y", struct{}{}, ""},
			{"z", map[string]any{"a": nil}, ""},
		} {
			err := runtime.Notify(ctx, test.method, test.params)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("Notify(%q, %v) = %v, want %q", test.method, test.params, err, test.want)
			}
		}
		return &mcptool.Result{}, nil
	}))
	srv.Limits.MaxResultBytes = 1000
	w := open(t, srv)
	w.send(modern("1", "tools/call", `,"name":"try"`))
	w.want(`{"jsonrpc":"2.0","method":"x"}`)
	w.want(`{"jsonrpc":"2.0","method":"y"}`)
	w.want(`{"jsonrpc":"2.0","method":"z","params":{"a":null}}`)
	w.want(`"id":1,"result":`)
	if err := runtime.Notify(kept, "late", nil); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	w.quiet()
}
