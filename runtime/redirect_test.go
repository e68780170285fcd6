package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// redirects are the Redirects of an extension.
type redirects = map[string]func(json.RawMessage) (string, json.RawMessage, bool)

// An operations is an observer that keeps the calls of tools that have ended.
type operations struct {
	mu    sync.Mutex
	calls []string // target, via and outcome
}

func (*operations) Begin(ctx context.Context, _ *observe.Operation) context.Context { return ctx }

func (o *operations) End(_ context.Context, op *observe.Operation, result observe.Result) {
	if op.Method != "tools/call" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = append(o.calls, op.Target+" via "+op.Via+": "+result.Outcome.String())
}

// redirecting returns a server whose tool "do" is redirected to the tool and arguments in its arguments, and which lists
// only that tool and "listed".
func redirecting(t *testing.T, tools ...*mcptool.Tool) *runtime.Server {
	t.Helper()
	srv := serve(t, tools...)
	do := tool(t, "do", func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
		return nil, mcptool.Errorf("do cannot call the tool in %s", args)
	}, mcptool.Task(mcptool.TaskSupportOptional))
	srv.Extensions = []runtime.Extension{{
		ID: thing, Tools: []*mcptool.Tool{do},
		Unlisted: func(t *mcptool.Tool) bool { return t.Info().Name != "do" && t.Info().Name != "listed" },
		Redirects: redirects{"do": func(args json.RawMessage) (string, json.RawMessage, bool) {
			var in struct {
				Name string
				Args json.RawMessage
			}
			if err := json.Unmarshal(args, &in); err != nil {
				panic(err)
			}
			return in.Name, in.Args, in.Name != "refused"
		}},
	}}
	return srv
}

// TestRedirect checks that a redirected call gets the same answer as a call of the tool itself, in all revisions.
func TestRedirect(t *testing.T) {
	t.Parallel()
	type weatherIn struct {
		City string `json:"city"`
	}
	weather, err := mcptool.New(func(ctx context.Context, in weatherIn) (map[string]string, error) {
		if in.City == "Atlantis" {
			return nil, mcptool.Errorf("no such city")
		}
		return map[string]string{"city": in.City, "tool": mcptool.Caller(ctx).Tool}, nil
	}, mcptool.Name("weather"))
	if err != nil {
		t.Fatal(err)
	}
	seen := &operations{}
	srv := redirecting(t, weather, tool(t, "listed", echo))
	srv.Observer = seen
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			w := open(t, srv)
			request := func(method, params string) string { return modern("7", method, ","+params) }
			if version < "2026" {
				w.send(legacy("1", "initialize", `"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}`))
				w.want(`"id":1`)
				request = func(method, params string) string { return legacy("7", method, params) }
			}
			w.send(request("tools/list", `"x":1`))
			if list := w.want(`"name":"do"`, `"name":"listed"`); strings.Contains(list, `"weather"`) {
				t.Errorf("an unlisted tool is listed: %s", list)
			}
			for _, args := range []string{`{"city":"Lisbon"}`, `{"city":"Atlantis"}`, `{"town":"Lisbon"}`, `{}`, `{"city":7}`} {
				w.send(request("tools/call", `"name":"weather","arguments":`+args))
				want := w.want(`"id":7`)
				w.send(request("tools/call", `"name":"do","arguments":{"name":"weather","args":`+args+`}`))
				if got := w.want(`"id":7`); got != want {
					t.Errorf("%s: the redirected call got\n%s\nand the call of the tool\n%s", args, got, want)
				}
			}
			for _, args := range []string{`{"name":"refused","args":{}}`, `{"name":"nothing"}`, `{"name":"do"}`, `{"name":7}`} {
				w.send(request("tools/call", `"name":"do","arguments":`+args))
				w.want(`do cannot call the tool in `, `"isError":true`)
			}
		})
	}
	for _, want := range []string{"weather via : ok", "weather via do: ok", "weather via do: error", "weather via do: invalid_arguments", "do via : error"} {
		if !slices.Contains(seen.calls, want) {
			t.Errorf("the observer has not seen %q in %q", want, seen.calls)
		}
	}
}

// TestRedirectHidden checks that a redirected call does not reach tools that the caller may not use, nor reveals them.
func TestRedirectHidden(t *testing.T) {
	t.Parallel()
	hidden := tool(t, "hidden", echo, mcptool.VisibleIf(func(_ context.Context, caller mcptool.CallInfo) bool { return caller.Principal == "ann" }))
	scoped := tool(t, "scoped", echo, mcptool.Scopes("write"))
	srv := redirecting(t, hidden, scoped)
	call := func(access *runtime.Access, x *collector, name string) string {
		return string(ask(t, srv, access, x, "tools/call", `"name":"do","arguments":{"name":"`+name+`","args":{"a":1}},`))
	}
	none := strings.ReplaceAll(call(granted("bob", ""), &collector{}, "nothing"), "nothing", "NAME")
	for _, test := range []struct {
		name, principal, scopes string
		challenges, runs        bool
	}{
		{"hidden", "bob", "", false, false},
		{"hidden", "ann", "", false, true},
		{"scoped", "bob", "read", false, false},
		{"scoped", "bob", "write", false, true},
		{"scoped", "bob", "read", true, false},
	} {
		x := &collector{challenges: test.challenges}
		got := call(granted(test.principal, test.scopes), x, test.name)
		switch {
		case test.runs:
			if !strings.Contains(got, `"structuredContent":{"a":1}`) {
				t.Errorf("%+v: got %s", test, got)
			}
		case test.challenges:
			if !slices.Equal(x.needed, []string{"write"}) {
				t.Errorf("%+v: needs %q: %s", test, x.needed, got)
			}
		default:
			if strings.ReplaceAll(got, test.name, "NAME") != none {
				t.Errorf("%+v: got %s, want the answer for an unknown tool, %s", test, got, none)
			}
		}
	}
}

// TestRedirectChallenge checks that observers see the tool for which a redirected call needs scopes, as if it were called
// itself.
func TestRedirectChallenge(t *testing.T) {
	t.Parallel()
	seen := &operations{}
	srv := redirecting(t, tool(t, "scoped", echo, mcptool.Scopes("write")))
	srv.Observer = seen
	ask(t, srv, granted("bob", "read"), &collector{challenges: true}, "tools/call", `"name":"scoped","arguments":{},`)
	ask(t, srv, granted("bob", "read"), &collector{challenges: true}, "tools/call", `"name":"do","arguments":{"name":"scoped"},`)
	if want := []string{"scoped via : refused", "scoped via do: refused"}; !slices.Equal(seen.calls, want) {
		t.Errorf("the observer has seen %q, want %q", seen.calls, want)
	}
}

// TestRedirectMistakes checks that mistakes of an extension that adds or redirects tools are errors of Check.
func TestRedirectMistakes(t *testing.T) {
	t.Parallel()
	srv := serve(t, tool(t, "taken", echo))
	somewhere := func(json.RawMessage) (string, json.RawMessage, bool) { return "", nil, false }
	srv.Extensions = []runtime.Extension{
		{ID: "a.b/nil", Redirects: redirects{"x": nil}},
		{ID: "a.b/first", Redirects: redirects{"x": somewhere}},
		{ID: "a.b/second", Redirects: redirects{"x": somewhere}},
		{ID: "a.b/taken", Tools: []*mcptool.Tool{tool(t, "taken", echo)}},
		{ID: "a.b/empty", Tools: []*mcptool.Tool{nil}},
		{ID: "a.b/bind", Tools: []*mcptool.Tool{tool(t, "own", echo)}, Bind: func(tools *mcptool.Registry) error {
			_, own := tools.Lookup("own")
			return fmt.Errorf("lacks a setting, %t", own)
		}},
		{ID: "a.b/unbound", Tools: []*mcptool.Tool{nil}, Bind: func(*mcptool.Registry) error {
			t.Error("an extension with another mistake is bound")
			return nil
		}},
	}
	err := srv.Check()
	for _, want := range []string{
		`extension "a.b/nil": redirect of tool "x": has no func`, `extension "a.b/second": redirect of tool "x": already redirected by another extension`,
		`extension "a.b/taken": taken: the tool defined at`, `extension "a.b/empty": tool 1 of the call is empty`, `extension "a.b/bind": lacks a setting, true`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check lacks %q:\n%v", want, err)
		}
	}
}
