package toolsearch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/extension/toolsearch"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// request is a method with its params, the members of a JSON object.
type request struct{ method, params string }

// call returns a call of a tool.
func call(tool, args string) request {
	return request{"tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, tool, args)}
}

// ask starts the server, sends the requests of one revision, one after the other, and returns the responses.
func ask(t *testing.T, srv *runtime.Server, revision string, requests ...request) []string {
	t.Helper()
	in, send := io.Pipe()
	receive, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := stdio.Serve(t.Context(), srv, stdio.In(in), stdio.Out(out))
		in.CloseWithError(err)
		out.CloseWithError(err)
		ended <- err
	}()
	responses := json.NewDecoder(receive)
	isModern := revision >= "2026"
	exchange := func(r request) string {
		params := r.params
		if isModern {
			params = strings.TrimSuffix(`"_meta":{"io.modelcontextprotocol/protocolVersion":"`+revision+`","io.modelcontextprotocol/clientCapabilities":{}},`+params, ",")
		}
		fmt.Fprintf(send, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`+"\n", r.method, params)
		for {
			var answer struct{ ID, Result, Error json.RawMessage }
			if err := responses.Decode(&answer); err != nil {
				t.Fatalf("%s %s: %v", revision, r, err)
			}
			if answer.ID != nil {
				return string(answer.Result) + string(answer.Error)
			}
		}
	}
	if !isModern {
		exchange(request{"initialize", `"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"test","version":"1"}`})
		fmt.Fprintln(send, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	var all []string
	for _, r := range requests {
		all = append(all, exchange(r))
	}
	send.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return all
}

// result is the result of a call of a tool.
type result struct {
	IsError           bool
	Content           []struct{ Text string }
	StructuredContent json.RawMessage
}

// text returns the first text of the result of a call.
func text(t *testing.T, response string) string {
	t.Helper()
	r := decode[result](t, response)
	if len(r.Content) == 0 {
		t.Fatalf("no text in %s", response)
	}
	return r.Content[0].Text
}

// decode returns JSON as a T.
func decode[T any](t *testing.T, data string) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(data), &value); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return value
}

// raw returns a tool that returns its name and arguments.
func raw(tb testing.TB, name, description string, opts ...mcptool.ToolOption) *mcptool.Tool {
	tb.Helper()
	tool, err := mcptool.NewRaw(name, json.RawMessage(`{"type":"object"}`), func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Structured: map[string]any{"ran": mcptool.Caller(ctx).Tool, "args": args}}, nil
	}, append(opts, mcptool.Description(description))...)
	if err != nil {
		tb.Fatal(err)
	}
	return tool
}

// serve returns a server with these tools and the extension.
func serve(tb testing.TB, o toolsearch.Options, tools ...*mcptool.Tool) *runtime.Server {
	tb.Helper()
	registry := &mcptool.Registry{}
	if err := registry.Add(mcptool.Tools(tools)); err != nil {
		tb.Fatal(err)
	}
	return &runtime.Server{Name: "test", Version: "1", Tools: registry, Extensions: []runtime.Extension{toolsearch.New(o)}, Logger: slog.New(slog.DiscardHandler)}
}

// catalog returns the tools of a file of definitions, of which those that begin with get, list, search or query are
// read-only.
func catalog(tb testing.TB, name string) []*mcptool.Tool {
	tb.Helper()
	text, err := os.ReadFile("../../internal/toolrank/testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	var entries []struct {
		Name, Description string
		InputSchema       json.RawMessage
	}
	if err := json.Unmarshal(text, &entries); err != nil {
		tb.Fatal(err)
	}
	tools := make([]*mcptool.Tool, len(entries))
	for i, e := range entries {
		verb, _, _ := strings.Cut(e.Name, "_")
		tools[i], err = mcptool.NewRaw(e.Name, e.InputSchema, func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{}, nil
		}, mcptool.Description(e.Description), mcptool.ReadOnly(slices.Contains([]string{"get", "list", "search", "query"}, verb)))
		if err != nil {
			tb.Fatal(err)
		}
	}
	return tools
}

// names returns the names in a list.
func names(t *testing.T, list string) (all []string) {
	t.Helper()
	for _, entry := range decode[struct{ Tools []struct{ Name string } }](t, list).Tools {
		all = append(all, entry.Name)
	}
	return all
}

// TestList checks which tools are listed, that the list is short, and that calling tools have the annotations by which
// hosts decide.
func TestList(t *testing.T) {
	t.Parallel()
	tools := append(catalog(t, "codehost.json"), raw(t, "ping", "Pings.", mcptool.Group("core")), raw(t, "help", "Helps."))
	for _, revision := range revisions {
		srv := serve(t, toolsearch.Options{Keep: []string{"help"}, KeepGroups: []string{"core"}}, tools...)
		list := ask(t, srv, revision, request{"tools/list", ""})[0]
		if diff := cmp.Diff([]string{"call_read_only_tool", "call_tool", "describe_tools", "help", "ping", "search_tools"}, names(t, list)); diff != "" {
			t.Errorf("%s: tools mismatch (-want +got):\n%s", revision, diff)
		}
	}
	list := ask(t, serve(t, toolsearch.Options{}, tools...), "2025-06-18", request{"tools/list", ""})[0]
	if tokens := len(list) / 4; tokens > 1500 { // the estimate of bench: four bytes are a token
		t.Errorf("the list has about %d tokens, want at most 1500: %s", tokens, list)
	}
	for _, want := range []string{`"readOnlyHint":true`, `"destructiveHint":true`} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %s: %s", want, list)
		}
	}
	srv := serve(t, toolsearch.Options{Prefix: "gh_"}, tools...)
	list = ask(t, srv, "2025-06-18", request{"tools/list", ""})[0]
	if diff := cmp.Diff([]string{"gh_call_read_only_tool", "gh_call_tool", "gh_describe_tools", "gh_search_tools"}, names(t, list)); diff != "" {
		t.Errorf("tools with a prefix mismatch (-want +got):\n%s", diff)
	}
	if n := strings.Count(strings.ReplaceAll(list, "gh_", ""), "_tool") - strings.Count(list, "gh_"); n != 0 {
		t.Errorf("%d mentions of a tool lack the prefix: %s", n, list)
	}
}

type weatherIn struct {
	_    struct{} `mcp:"name=get_weather,readOnly" doc:"Returns the weather. It is of today."`
	City string   `json:"city"`
}

func weather(ctx context.Context, in weatherIn) (map[string]string, error) {
	if in.City == "Atlantis" {
		return nil, mcptool.Errorf("no such city")
	}
	mcptool.Progress(ctx, 1, 2, "half")
	return map[string]string{"city": in.City}, nil
}

// mixed returns tools of every effect.
func mixed(tb testing.TB) []*mcptool.Tool {
	tb.Helper()
	tool, err := mcptool.New(weather)
	if err != nil {
		tb.Fatal(err)
	}
	return []*mcptool.Tool{
		tool, raw(tb, "delete_city", "Deletes a city.", mcptool.Destructive(true), mcptool.Group("cities")),
		raw(tb, "add_city", "Adds a city.", mcptool.Destructive(false), mcptool.Group("cities", "new")),
	}
}

// TestCall checks that a call through a calling tool gets the answer of the tool, in every revision, and that one through
// the wrong tool, or of no tool, is refused with advice.
func TestCall(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		srv := serve(t, toolsearch.Options{}, mixed(t)...)
		var requests []request
		for _, args := range []string{`{"city":"Lisbon"}`, `{"city":"Atlantis"}`, `{"city":7}`, `{"town":"Lisbon"}`, `{}`} {
			requests = append(requests, call("get_weather", args), call("call_read_only_tool", `{"name":"get_weather","arguments":`+args+`}`))
		}
		requests = append(requests, call("get_weather", `{}`), call("call_read_only_tool", `{"name":"get_weather","arguments":null}`), call("get_weather", `{}`), call("call_read_only_tool", `{"name":"get_weather"}`),
			call("delete_city", `{"a":[1]}`), call("call_tool", `{"name":"delete_city","arguments":{"a":[1]}}`))
		answers := ask(t, srv, revision, requests...)
		for i := 0; i < len(answers); i += 2 {
			if answers[i] != answers[i+1] {
				t.Errorf("%s: %s got\n%s\nand %s\n%s", revision, requests[i], answers[i], requests[i+1], answers[i+1])
			}
		}
	}
	for _, test := range []struct{ tool, args, want string }{
		{"call_tool", `{"name":"get_weather","arguments":{}}`, `"get_weather" is read-only, so it was not run; call it with call_read_only_tool`},
		{"call_read_only_tool", `{"name":"delete_city"}`, `"delete_city" is destructive, so it was not run; call it with call_tool`},
		{"call_read_only_tool", `{"name":"add_city"}`, `"add_city" is writing, so it was not run; call it with call_tool`},
		{"call_tool", `{"name":"delet_city"}`, `there is no tool "delet_city"; did you mean "delete_city"?`},
		{"call_tool", `{"name":"frobnicate"}`, `there is no tool "frobnicate"; find one with search_tools`},
		{"call_tool", `{"name":"search_tools","arguments":{"query":"x"}}`, `search_tools is in your list of tools; call it itself`},
		{"call_tool", `{"name":"call_tool","arguments":{"name":"delete_city"}}`, `call_tool is in your list of tools; call it itself`},
		{"call_tool", `{"name":"delete_city","arguments":"{\"a\":1}"}`, `arguments`},
		{"call_tool", `{"name":"delete_city","args":{}}`, `args`},
		{"call_tool", `{"Name":"delete_city"}`, `name`},
		{"call_tool", `{"name":"delete_city","name":"add_city"}`, `name`},
		{"call_tool", `{}`, `name`},
	} {
		answer := ask(t, serve(t, toolsearch.Options{}, mixed(t)...), "2025-06-18", call(test.tool, test.args))[0]
		if got := text(t, answer); !decode[result](t, answer).IsError || !strings.Contains(got, test.want) {
			t.Errorf("%s %s: got %s, want an error with %s", test.tool, test.args, answer, test.want)
		}
	}
}

// TestCallTolerates checks that a calling tool runs the other tool with arguments that the server tolerates in calls of any
// tool: those that a client injects, unknown ones that it ignores, and ones that it converts.
func TestCallTolerates(t *testing.T) {
	t.Parallel()
	const ran = `{"args":{"a":1},"ran":"delete_city"}`
	for _, test := range []struct {
		name, args       string
		ignores, coerces bool
		want             string // part of the first text
	}{
		{"injected by a client", `{"wait_for_previous":true,"name":"delete_city","arguments":{"a":1}}`, false, false, ran},
		{"ignored", `{"name":"delete_city","reason":{"a":2},"arguments":{"a":1}}`, true, false, ran},
		{"unknown", `{"name":"delete_city","reason":"x","arguments":{"a":1}}`, false, true, "reason: is not a known property"},
		{"a text", `{"name":"delete_city","arguments":"{\"a\":1}"}`, false, true, ran},
		{"a text and ignored", `{"name":"delete_city","arguments":"{\"a\":1}","reason":1}`, true, true, ran},
		{"a text that is no object", `{"name":"delete_city","arguments":"a"}`, true, true, "arguments: must be an object"},
		{"a text for a strict server", `{"name":"delete_city","arguments":"{\"a\":1}"}`, true, false, "arguments: must be an object"},
		{"escaped names", `{"n\u0061me":"delete\u005fcity","arg\u0075ments":{"a":1}}`, false, false, ran},
		{"a member given twice", `{"name":"delete_city","arguments":{"a":1},"arguments":{"a":1}}`, true, true, "arguments: must be given once"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, toolsearch.Options{}, mixed(t)...)
			srv.IgnoreUnknownArguments, srv.Coerce = test.ignores, test.coerces
			srv.Middleware = []mcptool.Middleware{func(next mcptool.Handler) mcptool.Handler { return next }}
			if got := text(t, ask(t, srv, "2025-11-25", call("call_tool", test.args))[0]); !strings.Contains(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

type searched struct {
	Tools []struct {
		Name, Summary, Effect, CallWith string
		InputSchema                     json.RawMessage
	}
	More   bool
	Groups []struct {
		Name  string
		Tools int
	}
	Note string
}

// find calls search_tools.
func find(t *testing.T, srv *runtime.Server, args string) searched {
	t.Helper()
	return decode[searched](t, text(t, ask(t, srv, "2025-06-18", call("search_tools", args))[0]))
}

// TestSearch checks the answers of search_tools.
func TestSearch(t *testing.T) {
	t.Parallel()
	got := find(t, serve(t, toolsearch.Options{}, mixed(t)...), `{"query":"remove a city"}`)
	if len(got.Tools) == 0 || got.Tools[0].Name != "delete_city" || got.Tools[0].Effect != "destructive" || got.Tools[0].CallWith != "call_tool" || got.Tools[0].InputSchema == nil {
		t.Errorf("got %+v", got)
	}
	got = find(t, serve(t, toolsearch.Options{}, mixed(t)...), `{"query":"weather"}`)
	if len(got.Tools) != 1 || got.Tools[0].Effect != "read-only" || got.Tools[0].CallWith != "call_read_only_tool" || got.Tools[0].Summary != "Returns the weather" {
		t.Errorf("got %+v", got)
	}
	got = find(t, serve(t, toolsearch.Options{}, mixed(t)...), `{"group":"cities"}`)
	if len(got.Tools) != 2 {
		t.Errorf("the group has %+v", got.Tools)
	}
	got = find(t, serve(t, toolsearch.Options{}, mixed(t)...), `{"group":"new","query":"city"}`)
	if len(got.Tools) != 1 || got.Tools[0].Name != "add_city" || got.Tools[0].Effect != "writing" {
		t.Errorf("the query in a group found %+v", got.Tools)
	}
	got = find(t, serve(t, toolsearch.Options{}, mixed(t)...), `{}`)
	if fmt.Sprint(got.Groups) != "[{cities 2} {new 1}]" || len(got.Tools) != 0 {
		t.Errorf("without a query: %+v", got)
	}
	for _, query := range []string{"qqqq", "???", "数据库", "\u202e\x00"} {
		args, _ := json.Marshal(map[string]string{"query": query})
		if got = find(t, serve(t, toolsearch.Options{}, mixed(t)...), string(args)); len(got.Tools) != 0 || got.Note == "" {
			t.Errorf("%q: %+v", query, got)
		}
	}
	answer := ask(t, serve(t, toolsearch.Options{}, mixed(t)...), "2025-06-18", call("search_tools", `{"query":"city","group":"citie"}`))[0]
	if !strings.Contains(text(t, answer), `there is no group "citie"; did you mean "cities"?`) {
		t.Errorf("an unknown group: %s", answer)
	}
}

// TestBudget checks that the results have schemas as long as they fit, and that limits hold.
func TestBudget(t *testing.T) {
	t.Parallel()
	tools := catalog(t, "codehost.json")
	for _, test := range []struct{ budget, most int }{{0, 4096}, {1000, 1000}, {-1, 0}} {
		got := find(t, serve(t, toolsearch.Options{SchemaBytes: test.budget}, tools...), `{"query":"issue","limit":30}`)
		size, ended := 0, false
		for _, tool := range got.Tools {
			if ended && tool.InputSchema != nil {
				t.Errorf("budget %d: %s has a schema, and one before it has not", test.budget, tool.Name)
			}
			ended, size = tool.InputSchema == nil, size+len(tool.InputSchema)
		}
		if size > test.most || test.most > 0 && size == 0 || len(got.Tools) != 30 || !got.More {
			t.Errorf("budget %d: %d tools, more %t, schemas of %d bytes", test.budget, len(got.Tools), got.More, size)
		}
	}
	huge, _ := json.Marshal(map[string]string{"query": strings.Repeat("merge pull request ", 50_000)})
	if got := find(t, serve(t, toolsearch.Options{}, tools...), string(huge)); len(got.Tools) != 10 || !strings.Contains(got.Tools[0].Name, "pull_request") {
		t.Errorf("a query of a megabyte found %+v", got.Tools)
	}
}

// TestDescribe checks complete definitions, and names that no tool has.
func TestDescribe(t *testing.T) {
	t.Parallel()
	srv := serve(t, toolsearch.Options{}, mixed(t)...)
	got := decode[struct {
		Tools []struct {
			Name, Description         string
			InputSchema, OutputSchema json.RawMessage
			Annotations               json.RawMessage
			Groups                    []string
			CallWith                  string
		}
		Missing []struct {
			Name       string
			DidYouMean []string
		}
	}](t, text(t, ask(t, srv, "2025-06-18", call("describe_tools", `{"names":["get_weather","get_wether","add_city","add_city","search_tools"]}`))[0]))
	if len(got.Tools) != 2 || got.Tools[0].Description != "Returns the weather. It is of today." || string(got.Tools[0].Annotations) != `{"readOnlyHint":true,"destructiveHint":false}` ||
		got.Tools[0].OutputSchema == nil || !strings.Contains(string(got.Tools[0].InputSchema), `"city"`) || len(got.Tools[1].Groups) != 2 {
		t.Errorf("described %+v", got.Tools)
	}
	if len(got.Missing) != 2 || !slices.Equal(got.Missing[0].DidYouMean, []string{"get_weather"}) {
		t.Errorf("missing %+v", got.Missing)
	}
	const most = 1000 // bytes of the answer, in which the name is twice
	if answer := ask(t, srv, "2025-06-18", call("describe_tools", `{"names":["a`+strings.Repeat("Ä", 100_000)+`"]}`))[0]; len(answer) > most || strings.Contains(answer, "\uFFFD") {
		t.Errorf("an answer of %d bytes repeats a long name, want at most %d: %.1000s", len(answer), most, answer)
	}
}

// TestHidden checks that nothing reveals tools that do not exist for the caller.
func TestHidden(t *testing.T) {
	t.Parallel()
	secret := raw(t, "delete_secret", "Deletes a secret vault.", mcptool.Group("vaults"), mcptool.VisibleIf(func(context.Context, mcptool.CallInfo) bool { return false }))
	srv := serve(t, toolsearch.Options{}, append(mixed(t), secret)...)
	without := serve(t, toolsearch.Options{}, mixed(t)...)
	requests := []request{
		call("search_tools", `{"query":"delete secret vault"}`), call("search_tools", `{"query":"secert"}`), call("search_tools", `{}`),
		call("search_tools", `{"group":"vaults"}`), call("describe_tools", `{"names":["delete_secret","delete_secre"]}`),
		call("call_tool", `{"name":"delete_secret"}`), call("call_read_only_tool", `{"name":"delete_secret"}`), call("call_tool", `{"name":"delete_secre"}`),
	}
	got, want := ask(t, srv, "2025-06-18", requests...), ask(t, without, "2025-06-18", requests...)
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s got\n%s\nand without the hidden tool\n%s", requests[i], got[i], want[i])
		}
	}
}

// TestChanges checks that the search follows the registry.
func TestChanges(t *testing.T) {
	t.Parallel()
	srv := serve(t, toolsearch.Options{}, mixed(t)...)
	paint := raw(t, "paint_house", "Paints a house.")
	if got := find(t, srv, `{"query":"paint"}`); len(got.Tools) != 0 {
		t.Fatalf("found %+v", got.Tools)
	}
	if err := srv.Tools.Add(paint); err != nil {
		t.Fatal(err)
	}
	if got := find(t, srv, `{"query":"paint"}`); len(got.Tools) != 1 {
		t.Errorf("found %+v after the tool was added", got.Tools)
	}
	srv.Tools.Remove(paint)
	if got := find(t, srv, `{"query":"paint"}`); len(got.Tools) != 0 {
		t.Errorf("found %+v after the tool was removed", got.Tools)
	}
	answer := ask(t, srv, "2025-06-18", call("call_tool", `{"name":"paint_house"}`))[0]
	if !strings.Contains(text(t, answer), `there is no tool "paint_house"`) {
		t.Errorf("a removed tool: %s", answer)
	}
}

// TestMistakes checks that wrong options are errors of Check.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		options toolsearch.Options
		want    string
	}{
		{toolsearch.Options{Keep: []string{"get_wether"}}, `extension "io.github.mcptool-go/toolsearch": Options.Keep: there is no tool "get_wether"; did you mean "get_weather"?`},
		{toolsearch.Options{Prefix: "a b"}, `extension "io.github.mcptool-go/toolsearch": Options.Prefix: `},
	} {
		if err := serve(t, test.options, mixed(t)...).Check(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v, want %s", test.options, err, test.want)
		}
	}
	shared := toolsearch.New(toolsearch.Options{})
	first, second := serve(t, toolsearch.Options{}), serve(t, toolsearch.Options{})
	first.Extensions, second.Extensions = []runtime.Extension{shared}, []runtime.Extension{shared}
	if err := first.Check(); err != nil {
		t.Error(err)
	}
	if err := second.Check(); err == nil || !strings.Contains(err.Error(), "belongs to a server with other tools; call New for each registry") {
		t.Errorf("a second server: %v", err)
	}
	if err := (&runtime.Server{Tools: first.Tools, Extensions: []runtime.Extension{shared}}).Check(); err != nil {
		t.Errorf("a second server with the same registry: %v", err)
	}
	later := serve(t, toolsearch.Options{Keep: []string{"later"}})
	later.Extensions = append(later.Extensions, runtime.Extension{ID: "com.example/later", Tools: []*mcptool.Tool{raw(t, "later", "Comes later.")}})
	if err := later.Check(); err != nil {
		t.Errorf("a kept tool of another extension: %v", err)
	}
}

// BenchmarkSearch measures a call of search_tools on a server with 1,000 tools.
func BenchmarkSearch(b *testing.B) {
	tools := catalog(b, "codehost.json")
	for i := range 700 {
		tools = append(tools, raw(b, fmt.Sprintf("get_metric_%d", i), "Returns a metric of a service, with its unit and its labels."))
	}
	srv := serve(b, toolsearch.Options{}, tools...)
	if err := srv.Check(); err != nil {
		b.Fatal(err)
	}
	search, _ := srv.Tools.Lookup("search_tools")
	for b.Loop() {
		if _, err := search.Call(b.Context(), []byte(`{"query":"merge the open pull request"}`)); err != nil {
			b.Fatal(err)
		}
	}
}
