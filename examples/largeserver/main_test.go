package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// newRegistry returns a registry with all tools.
func newRegistry(tb testing.TB) *mcptool.Registry {
	tb.Helper()
	tools, err := newTools()
	registry := &mcptool.Registry{}
	if err == nil {
		err = registry.Add(tools)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return registry
}

// call calls a tool, and returns its structured result or its error as text.
func call(tb testing.TB, tools *mcptool.Registry, name string, args any) string {
	tb.Helper()
	tool, ok := tools.Lookup(name)
	if !ok {
		tb.Fatalf("there is no tool %s", name)
	}
	encoded, err := json.Marshal(args)
	if err != nil {
		tb.Fatal(err)
	}
	result, err := tool.Call(tb.Context(), encoded)
	if err != nil {
		return err.Error()
	}
	encoded, err = json.Marshal(result.Structured)
	if err != nil {
		tb.Fatal(err)
	}
	return string(encoded)
}

// example returns valid arguments to create a record.
func (k kind) example(name string) record {
	args := record{"name": name}
	for _, f := range k.fields {
		switch f.schema["type"] {
		case "string":
			args[f.name] = "x"
			if values, ok := f.schema["enum"].([]string); ok {
				args[f.name] = values[len(values)-1]
			}
		case "integer":
			args[f.name] = f.schema["maximum"]
		case "array":
			args[f.name] = []string{"x", "y"}
		case "boolean":
			args[f.name] = true
		}
	}
	return args
}

// TestTools calls all tools but those that delete, which TestRecords calls, with generated arguments.
func TestTools(t *testing.T) {
	registry := newRegistry(t)
	var options []mcptooltest.Option
	for _, k := range kinds {
		call(t, registry, "create_"+k.name, k.example("example"))
		options = append(options,
			mcptooltest.Arguments("get_"+k.name, nameIn{"example"}),
			mcptooltest.Arguments("update_"+k.name, k.example("example")),
			mcptooltest.Destructive("update_"+k.name))
	}
	mcptooltest.Check(t, registry, options...)
}

// TestCatalog counts the tools, and checks what models, users and operators choose by.
func TestCatalog(t *testing.T) {
	groups, descriptions := map[string]int{}, map[string]string{}
	all := 0
	for tool := range newRegistry(t).Tools() {
		info, hints := tool.Info(), tool.Annotations()
		all++
		for _, name := range info.Groups {
			groups[name]++
		}
		if other, ok := descriptions[info.Description]; ok {
			t.Errorf("%s and %s have the same description", info.Name, other)
		}
		descriptions[info.Description] = info.Name
		verb, _, _ := strings.Cut(info.Name, "_")
		hint := func(value *bool) bool { return value != nil && *value }
		got := [3]bool{hint(hints.ReadOnlyHint), hint(hints.DestructiveHint), hint(hints.IdempotentHint)}
		want := map[string][3]bool{
			"create": {false, false, false}, "list": {true, false, true}, "get": {true, false, true},
			"update": {false, true, true}, "delete": {false, true, true},
		}[verb]
		if got != want || hints.DestructiveHint == nil { // without the hint, clients assume the worst
			t.Errorf("%s: read-only, destructive, idempotent: %v, want %v", info.Name, got, want)
		}
	}
	if all != 300 || len(groups) != 12 {
		t.Errorf("%d tools in %d groups, want 300 in 12", all, len(groups))
	}
	for name, tools := range groups {
		if tools != 25 {
			t.Errorf("group %s has %d tools, want 25", name, tools)
		}
	}
}

// TestRecords creates, lists, gets, updates and deletes a record of each kind.
func TestRecords(t *testing.T) {
	registry := newRegistry(t)
	for _, k := range kinds {
		want := k.example("a")
		encoded, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		a, missing := string(encoded), fmt.Sprintf("there is no %s \"a\"; get the names with list_%ss", k.words(), k.name)
		for _, step := range []struct {
			tool string
			args any
			want string
		}{
			{"list_%ss", record{}, `{"items":[]}`},
			{"get_%s", nameIn{"a"}, missing},
			{"update_%s", want, missing},
			{"delete_%s", nameIn{"a"}, missing},
			{"create_%s", want, a},
			{"create_%s", want, fmt.Sprintf("the %s \"a\" exists already; change it with update_%s", k.words(), k.name)},
			{"update_%s", nameIn{"a"}, a},
			{"get_%s", nameIn{"a"}, a},
			{"list_%ss", record{}, `{"items":[` + a + `]}`},
			{"delete_%s", nameIn{"a"}, `{"deleted":"a"}`},
			{"list_%ss", record{}, `{"items":[]}`},
		} {
			name := fmt.Sprintf(step.tool, k.name)
			if got := call(t, registry, name, step.args); got != step.want {
				t.Errorf("%s %v: %s, want %s", name, step.args, got, step.want)
			}
		}
	}
}

// TestUpdate checks that an update keeps the other fields, that a creation fills in defaults, and the pages of a list.
func TestUpdate(t *testing.T) {
	registry := newRegistry(t)
	for _, step := range []struct {
		tool string
		args record
		want string
	}{
		{"create_volume", record{"name": "b", "size_gib": 10}, `{"medium":"ssd","name":"b","server":"","size_gib":10}`},
		{"update_volume", record{"name": "b", "server": "web"}, `{"medium":"ssd","name":"b","server":"web","size_gib":10}`},
		{"update_volume", record{"name": "b", "size_gib": 0}, "size_gib"},
		{"create_volume", record{"name": "A b", "size_gib": 10}, "name"},
		{"create_volume", record{"name": "c"}, "size_gib"},
		{"create_volume", record{"name": "bc", "size_gib": 2}, `"bc"`},
		{"create_volume", record{"name": "d", "size_gib": 2}, `"d"`},
		{"list_volumes", record{"limit": 2}, `"next":"bc"`},
		{"list_volumes", record{"limit": 2, "after": "bc"}, `{"items":[{"medium":"ssd","name":"d","server":"","size_gib":2}]}`},
		{"list_volumes", record{"contains": "c"}, `{"items":[{"medium":"ssd","name":"bc","server":"","size_gib":2}]}`},
	} {
		if got := call(t, registry, step.tool, step.args); !strings.Contains(got, step.want) {
			t.Errorf("%s %v: %s, want %s", step.tool, step.args, got, step.want)
		}
	}
}

// TestFull checks that the number of records is limited.
func TestFull(t *testing.T) {
	c := &collection{kind: kinds[0], records: map[string]record{}}
	for i := range maxRecords + 1 {
		_, err := c.create(t.Context(), fmt.Appendf(nil, `{"name":"a%d"}`, i))
		if isFull := i == maxRecords; (err != nil) != isFull {
			t.Fatalf("record %d: %v", i, err)
		}
	}
}

// TestFound checks that users find tools with their own words, in a client or with tool search.
func TestFound(t *testing.T) {
	mcptooltest.AssertFound(t, newRegistry(t), "testdata/found.tsv")
}

// A client sends requests of revision 2026-07-28 over HTTP.
type client struct {
	url    string
	header http.Header // of each request
}

// newClient serves a server over HTTP, as main does, and returns its client.
func newClient(t *testing.T, selection runtime.Selection, search bool) client {
	t.Helper()
	srv, err := newServer(selection, search)
	if err != nil {
		t.Fatal(err)
	}
	return client{mcptooltest.HTTP(t, srv, streamhttp.SelectByRequest()).URL, http.Header{}}
}

// send sends a request, and returns its result or its error as JSON.
func (c client) send(t *testing.T, method, tool string, params record) string {
	t.Helper()
	params = maps.Clone(params)
	params["_meta"] = record{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": record{}}
	body, err := json.Marshal(record{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = c.header.Clone()
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": tool} {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	var answer struct{ Result, Error json.RawMessage }
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", method, err, text)
	}
	return string(answer.Result) + string(answer.Error)
}

// call calls a tool.
func (c client) call(t *testing.T, tool string, args record) string {
	t.Helper()
	return c.send(t, "tools/call", tool, record{"name": tool, "arguments": args})
}

// list returns the names of the listed tools, and an estimate of their tokens: a fourth of the bytes of their entries.
func (c client) list(t *testing.T) (names []string, tokens int) {
	t.Helper()
	for params := (record{}); ; {
		text := c.send(t, "tools/list", "", params)
		var page struct {
			Tools      []json.RawMessage
			NextCursor string
		}
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		for _, entry := range page.Tools {
			var tool struct{ Name string }
			if err := json.Unmarshal(entry, &tool); err != nil {
				t.Fatal(err)
			}
			names, tokens = append(names, tool.Name), tokens+len(entry)/4
		}
		if page.NextCursor == "" {
			return names, tokens
		}
		params["cursor"] = page.NextCursor
	}
}

// inGroup returns the names of the tools of a group of the table, of only these operations.
func inGroup(group string, operations ...string) (names []string) {
	for _, k := range kinds {
		for _, o := range operations {
			if k.group == group {
				names = append(names, fmt.Sprintf(o, k.name))
			}
		}
	}
	slices.Sort(names)
	return names
}

// TestSearch checks the list with tool search, and finds and calls tools that are not listed.
func TestSearch(t *testing.T) {
	c := newClient(t, runtime.Selection{}, true)
	if names, tokens := c.list(t); len(names) != 4 || tokens > 1500 {
		t.Errorf("the list has about %d tokens and %d tools, want at most 1500 and 4: %q", tokens, len(names), names)
	}
	for _, step := range []struct {
		tool string
		args record
		want string
	}{
		{"search_tools", record{"query": "open a port in the firewall"}, `{"name":"create_firewall_rule",`},
		{"search_tools", record{}, `{"name":"traffic","tools":25}`},
		{"describe_tools", record{"names": []string{"create_volume"}}, `"callWith":"call_tool"`},
		{"call_tool", record{"name": "create_volume", "arguments": record{"name": "data", "size_gib": 10}}, `"size_gib":10`},
		{"call_tool", record{"name": "create_volume", "arguments": record{"name": "logs", "size": 10}}, `size_gib: is required but missing`},
		{"call_tool", record{"name": "get_volume", "arguments": record{"name": "data"}}, `call it with call_read_only_tool`},
		{"call_read_only_tool", record{"name": "get_volume", "arguments": record{"name": "data"}}, `"size_gib":10`},
		{"call_read_only_tool", record{"name": "delete_volume", "arguments": record{"name": "data"}}, `call it with call_tool`},
		{"get_volume", record{"name": "data"}, `"size_gib":10`},
	} {
		if got := c.call(t, step.tool, step.args); !strings.Contains(got, step.want) {
			t.Errorf("%s %v: %s, want %s", step.tool, step.args, got, step.want)
		}
	}
}

// TestSelectByRequest selects tools with headers and with parameters of the URL.
func TestSelectByRequest(t *testing.T) {
	server := newClient(t, runtime.Selection{Except: []string{"identity"}}, false)
	for _, test := range []struct {
		name   string
		header map[string]string
		query  string
		want   []string
	}{
		{"a group", map[string]string{"X-MCP-Toolsets": "dns"}, "", inGroup("dns", "create_%s", "delete_%s", "get_%s", "list_%ss", "update_%s")},
		{"the read-only tools of a group", map[string]string{"X-MCP-Toolsets": "dns", "X-MCP-Readonly": "true"}, "", inGroup("dns", "get_%s", "list_%ss")},
		{"the same with parameters", nil, "?toolsets=dns&readonly=true", inGroup("dns", "get_%s", "list_%ss")},
		{"read-only wins over the name of a tool", map[string]string{"X-MCP-Tools": "get_server,delete_server", "X-MCP-Readonly": "true"}, "", []string{"get_server"}},
		{"a group that the operator excludes", map[string]string{"X-MCP-Toolsets": "identity"}, "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := client{server.url + test.query, http.Header{}}
			for name, value := range test.header {
				c.header.Set(name, value)
			}
			if names, _ := c.list(t); !slices.Equal(names, test.want) {
				t.Errorf("got %q, want %q", names, test.want)
			}
			if got := c.call(t, "list_users", record{}); !strings.Contains(got, "list_users") || !strings.Contains(got, "-32602") {
				t.Errorf("a call of a tool that is not selected: %s, want the error for an unknown tool", got)
			}
		})
	}
}

// TestSelectByFlags selects tools with flags, also for tool search.
func TestSelectByFlags(t *testing.T) {
	var selection runtime.Selection
	flags := flag.NewFlagSet("largeserver", flag.ContinueOnError)
	selection.Flags(flags)
	if err := flags.Parse([]string{"-groups", "dns,network", "-read-only"}); err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(slices.Values(slices.Concat(inGroup("dns", "get_%s", "list_%ss"), inGroup("network", "get_%s", "list_%ss"))))
	if names, _ := newClient(t, selection, false).list(t); !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	c := newClient(t, selection, true)
	if names, _ := c.list(t); !slices.Equal(names, []string{"call_read_only_tool", "describe_tools", "search_tools"}) {
		t.Errorf("with tool search: got %q, want the tools of the search that only read", names)
	}
	if got := c.call(t, "search_tools", record{}); !strings.Contains(got, `[{"name":"dns","tools":10},{"name":"network","tools":10}]`) {
		t.Errorf("the search has these groups: %s, want the two selected ones", got)
	}
}

// TestUnknownGroup checks that a misspelt selection of the operator is an error at the start.
func TestUnknownGroup(t *testing.T) {
	srv, err := newServer(runtime.Selection{Groups: []string{"netwrk"}}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.Check(); err == nil || !strings.Contains(err.Error(), `did you mean "network"?`) {
		t.Errorf("got error %v, want the nearest group", err)
	}
}
