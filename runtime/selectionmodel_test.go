package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// modelItem is an item of a random server.
type modelItem struct {
	kind     string // tool, prompt or resource
	name     string // or URI
	groups   []string
	scope    string // that its callers need; "" for none
	forAda   bool   // it has a condition: only ada sees it
	readOnly bool
}

// selectedBy reports whether a selection has the item, as the documentation of [runtime.Selection] says.
func (i *modelItem) selectedBy(s *runtime.Selection) bool {
	isIn := func(names []string) bool {
		return slices.ContainsFunc(i.groups, func(group string) bool { return slices.Contains(names, group) })
	}
	if s == nil {
		return true
	}
	if s.ReadOnly && i.kind == "tool" && !i.readOnly || slices.Contains(s.Except, i.name) || isIn(s.Except) {
		return false
	}
	isNarrow := len(s.Groups) > 0
	if i.kind == "tool" {
		isNarrow = isNarrow || len(s.Tools) > 0
		if slices.Contains(s.Tools, i.name) {
			return true
		}
	}
	return !isNarrow || isIn(s.Groups)
}

// add adds the item to a server. A plain item has neither scopes nor a condition.
func (i *modelItem) add(t *testing.T, srv *runtime.Server, plain bool) {
	t.Helper()
	var opts []mcptool.Option
	if len(i.groups) > 0 {
		opts = append(opts, mcptool.Group(i.groups...))
	}
	if i.scope != "" && !plain {
		opts = append(opts, mcptool.Scopes(i.scope))
	}
	if i.forAda && !plain {
		opts = append(opts, mcptool.VisibleIf(func(_ context.Context, info mcptool.CallInfo) bool { return info.Principal == "ada" }))
	}
	run := func(context.Context, choiceIn) (string, error) { return "ran", nil }
	switch i.kind {
	case "tool":
		made := tool(t, i.name, echo, append(optionsOf[mcptool.ToolOption](opts), mcptool.ReadOnly(i.readOnly))...)
		if err := srv.Tools.Add(made); err != nil {
			t.Fatal(err)
		}
	case "prompt":
		addPrompt(t, srv, i.name, run, optionsOf[mcptool.PromptOption](opts)...)
	default:
		addResource(t, srv, i.name, run, optionsOf[mcptool.ResourceOption](opts)...)
	}
}

// modelServer returns a server with some of the items, and a method that returns the visible ones.
func modelServer(t *testing.T, items []*modelItem, plain bool) *runtime.Server {
	t.Helper()
	srv := serve(t)
	if err := srv.Tools.Add(mcptool.Prompts{}, mcptool.Resources{}); err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		item.add(t, srv, plain)
	}
	srv.Methods = []runtime.Method{{Name: "example/visible", Handle: func(ctx context.Context, _ json.RawMessage) (any, error) {
		return map[string]string{"items": visibleItems(ctx, srv.Tools)}, nil
	}}}
	return srv
}

var modelGroups = []string{"red", "green", "blue"}

// randomItems returns items whose names are similar, so that they are suggested for each other.
func randomItems(r *rand.Rand) (items []*modelItem) {
	for _, kind := range []string{"tool", "prompt", "resource"} {
		for n := range 1 + r.IntN(4) {
			item := &modelItem{kind: kind, name: fmt.Sprintf("get_item_%d", n), readOnly: r.IntN(2) == 0, forAda: r.IntN(5) == 0}
			if kind == "resource" {
				item.name = fmt.Sprintf("x%d://{id}", n)
			}
			for _, group := range modelGroups {
				if r.IntN(3) == 0 {
					item.groups = append(item.groups, group)
				}
			}
			if r.IntN(4) == 0 {
				item.scope = "read"
			}
			items = append(items, item)
		}
	}
	return items
}

// randomSelection returns a selection of the items; nil in some cases.
func randomSelection(r *rand.Rand, items []*modelItem) *runtime.Selection {
	if r.IntN(4) == 0 {
		return nil
	}
	var groups, tools []string
	for _, item := range items {
		groups = append(groups, item.groups...)
		if item.kind == "tool" {
			tools = append(tools, item.name)
		}
	}
	all := slices.Clone(groups)
	for _, item := range items {
		all = append(all, item.name)
	}
	some := func(names []string) (picked []string) {
		for r.IntN(2) == 0 && len(names) > 0 {
			picked = append(picked, names[r.IntN(len(names))])
		}
		return picked
	}
	s := &runtime.Selection{Groups: some(groups), Tools: some(tools), ReadOnly: r.IntN(5) == 0}
	if r.IntN(2) == 0 {
		s.Except = some(all)
	}
	return s
}

// modelRequests returns requests about all items, and with names that are near theirs.
func modelRequests(items []*modelItem) (requests [][2]string) {
	requests = [][2]string{{"tools/list"}, {"prompts/list"}, {"resources/list"}, {"resources/templates/list"}, {"example/visible"}}
	for _, item := range items {
		switch item.kind {
		case "tool":
			requests = append(requests, [2]string{"tools/call", `"name":"` + item.name + `","arguments":{},`}, [2]string{"tools/call", `"name":"` + item.name + `x",`})
		case "prompt":
			requests = append(requests, [2]string{"prompts/get", `"name":"` + item.name + `",`}, [2]string{"prompts/get", `"name":"` + item.name + `x",`},
				[2]string{"completion/complete", `"ref":{"type":"ref/prompt","name":"` + item.name + `"},"argument":{"name":"id","value":""},`})
		default:
			requests = append(requests, [2]string{"resources/read", `"uri":"` + strings.Replace(item.name, "{id}", "a", 1) + `",`},
				[2]string{"completion/complete", `"ref":{"type":"ref/resource","uri":"` + item.name + `"},"argument":{"name":"id","value":""},`})
		}
	}
	return requests
}

// TestSelectionModel compares random servers, with groups, scopes, conditions and selections of the server and of requests,
// with servers that have only the items that the caller may see, and nothing that hides some. The answers to all requests are
// the same, so lists and calls agree, and nothing reveals a hidden item.
func TestSelectionModel(t *testing.T) {
	t.Parallel()
	servers := 1000
	if testing.Short() {
		servers = 50
	}
	shown, hidden, completed := 0, 0, 0
	for seed := range servers {
		r := rand.New(rand.NewPCG(uint64(seed), 0))
		items := randomItems(r)
		srv := modelServer(t, items, false)
		server := randomSelection(r, items)
		if server != nil {
			srv.Select = *server
		}
		if err := srv.Check(); err != nil {
			t.Fatalf("seed %d: %+v: %v", seed, server, err)
		}
		for _, caller := range []*runtime.Access{granted("ada", "read"), granted("bob", "")} {
			client := randomSelection(r, items)
			var visible []*modelItem
			for _, item := range items {
				sees := (item.scope == "" || caller.Scopes != nil && slices.Contains(caller.Scopes, item.scope)) && (!item.forAda || caller.Principal == "ada")
				if sees && item.selectedBy(server) && item.selectedBy(client) {
					visible = append(visible, item)
				}
			}
			shown, hidden = shown+len(visible), hidden+len(items)-len(visible)
			only := modelServer(t, visible, true)
			for _, request := range modelRequests(items) {
				got := string(ask(t, srv, caller, &collector{selection: client}, request[0], request[1]))
				want := string(ask(t, only, caller, &collector{}, request[0], request[1]))
				if request[0] == "completion/complete" && strings.Contains(want, `"code":-32601`) {
					// The capability does not depend on the request.
					if strings.Contains(got, `"values"`) {
						t.Errorf("seed %d: a hidden item is completed: %s", seed, got)
					}
					completed++
					continue
				}
				if got != want {
					t.Errorf("seed %d, %s %s as %s, server %+v, request %+v:\ngot  %s\nwant %s", seed, request[0], request[1], caller.Principal, server, client, got, want)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	if shown < servers || hidden < servers || completed < servers/2 {
		t.Errorf("%d items were shown, %d hidden, and %d completions refused: the generator is broken", shown, hidden, completed)
	}
}
