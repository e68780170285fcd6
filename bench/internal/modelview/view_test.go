package modelview_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/modelview"
)

// tool returns an entry of tools/list.
func tool(name, schema string, members ...string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"name":%q,"description":"D","inputSchema":%s%s}`, name, schema, strings.Join(append([]string{""}, members...), ",")))
}

// empty is the schema of a tool without arguments.
const empty = `{"type":"object","properties":{}}`

// show returns what a client shows of tools of the server "hub".
func show(t *testing.T, client string, tools ...json.RawMessage) *modelview.View {
	t.Helper()
	c, _ := modelview.Named(client)
	if c == nil {
		t.Fatalf("there is no client %s", client)
	}
	return c.Show(modelview.Listing{Server: "hub", Tools: tools})
}

// changes formats changes for comparison.
func changes(v *modelview.View) (lines []string) {
	for _, c := range v.Changes {
		if c.Rule == "members" {
			continue
		}
		lines = append(lines, strings.TrimSpace(strings.Join([]string{c.Effect.String(), c.Rule, c.Tool, c.Path}, " "))+": "+c.Found)
	}
	return lines
}

// TestNames checks the names for the model.
func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 120)
	for _, tt := range []struct {
		client string
		names  []string
		want   []string
	}{
		{"claude-code", []string{"a", "a.b", "a_b", "a-b", "größe", strings.Repeat("y", 118), strings.Repeat("y", 119)}, []string{"mcp__hub__a", "mcp__hub__a_b", "", "mcp__hub__a-b", "mcp__hub__gr__e", "mcp__hub__" + strings.Repeat("y", 118), ""}},
		// the examples of the tests of Codex: characters, and names that become alike
		{"codex", []string{"tool.one", "other-two", "a_b"}, []string{"mcp__hub__tool_one", "mcp__hub__other_two", "mcp__hub__a_b"}},
		{"codex", []string{"a_b", "a-b", "a.b"}, []string{"mcp__hub__a_b_db56c4602cd3", "mcp__hub__a_b_31fcbdfae340", "mcp__hub__a_b_fd86ad52d6c5"}},
		{"codex", []string{"", "_"}, []string{"mcp__hub____374851c8c011", "mcp__hub____5dc024288435"}},
		{"codex", []string{strings.Repeat("y", 119), "same", "same"}, []string{"mcp__hub__" + strings.Repeat("y", 105) + "_ceb1873fa774", "mcp__hub__same", ""}},
		// the examples of the tests of Gemini CLI: spaces, colons, and a long name whose middle is left out
		{"gemini-cli", []string{"My Tool", "space:tool", "!@#", long}, []string{"mcp_hub_My_Tool", "mcp_hub_space:tool", "mcp_hub____", "mcp_hub_" + long[:22] + "..." + long[:30]}},
		{"gemini-cli", []string{"a b", "a_b", ""}, []string{"", "mcp_hub_a_b", ""}},
		{"vscode", []string{"a.b", "a/b", "c-d", long}, []string{"mcp_hub_a_b", "", "mcp_hub_c-d", "mcp_hub_" + long[:56]}},
		{"cursor", []string{strings.Repeat("y", 56), strings.Repeat("y", 57)}, []string{strings.Repeat("y", 56), ""}},
		{"claude-desktop", []string{"a", "a-b"}, []string{"a", "a-b"}},
		{"claude-desktop", []string{"a", "a.b"}, []string{"", ""}},
		{"claude-desktop", []string{"a", long}, []string{"", ""}},
		{"chatgpt", []string{"a.b", long}, []string{"a.b", long}},
	} {
		var tools []json.RawMessage
		for _, name := range tt.names {
			tools = append(tools, tool(name, empty))
		}
		v := show(t, tt.client, tools...)
		var got []string
		for _, tool := range v.Tools {
			got = append(got, tool.Shown)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: names %.60q become %q, want %q", tt.client, tt.names, got, tt.want)
		}
		gone := slices.Index(tt.want, "") >= 0
		if lost := v.Count(modelview.Lost); lost > 0 != gone {
			t.Errorf("%s: names %.60q: %d lost", tt.client, tt.names, lost)
		}
	}
}

// TestTitles checks the names of tools of servers whose names VS Code shortens.
func TestTitles(t *testing.T) {
	t.Parallel()
	c, _ := modelview.Named("vscode")
	for _, tt := range []struct{ server, title, want string }{
		{"io.github.upstash/context7", "", "mcp_io_github_ups_look"},
		{"hub", "Context7", "mcp_context7_look"},
		{"My  Big & Server", "", "mcp_my_big_server_look"},
	} {
		v := c.Show(modelview.Listing{Server: tt.server, Title: tt.title, Tools: []json.RawMessage{tool("look", empty)}})
		if v.Tools[0].Shown != tt.want {
			t.Errorf("server %q, title %q: %q, want %q", tt.server, tt.title, v.Tools[0].Shown, tt.want)
		}
	}
}

// TestChanges checks what is reported of tools.
func TestChanges(t *testing.T) {
	t.Parallel()
	big := fmt.Sprintf(`{"type":"string","enum":["%s"]}`, strings.Repeat("v", 5100))
	for _, tt := range []struct {
		client, name, schema string
		members              string
		want                 []string
	}{
		{"codex", "keywords", `{"type":"object","properties":{"when":{"type":"string","format":"date","default":"x"},"n":{"type":"array","items":{"type":"integer","minimum":1},"minItems":1}}}`, "", []string{
			"cut keywords t arguments.when: without default, format", "cut keywords t arguments.n[]: without minimum",
		}},
		{"codex", "a schema of a list of schemas", `{"type":"object","properties":{"a":{"type":"array","items":[{}]}}}`, "", []string{"lost unread t: arguments.a: Codex cannot read items"}},
		{"codex", "a description alone says no type", `{"type":"object","properties":{"a":{"description":"A"}}}`, "", []string{"cut keywords t arguments.a: without description"}},
		{"codex", "inferred types", `{"type":"object","properties":{"a":{"enum":["x"]},"b":{"const":1},"c":true}}`, "", []string{
			"cut keywords t arguments.b: without const", "changed keywords t arguments.a: with type", "changed keywords t arguments.b: with enum, type", "changed keywords t arguments.c: with type",
		}},
		{"codex", "large, and deep", `{"type":"object","properties":{"f":` + big + `,"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"object","properties":{"d":{"type":"string"}}}}}}}}}`, "", []string{
			"lost large-schema t arguments.a.b.c.d: the argument vanishes", "cut large-schema t arguments.a.b.c: without type",
		}},
		{"codex", "large, and combined at the root", `{"type":"object","properties":{"f":` + big + `},"anyOf":[{"required":["f"]}]}`, "", []string{
			"lost large-schema t arguments.f: the argument vanishes", "cut large-schema t arguments: without anyOf, required, type",
		}},
		{"codex", "for views", empty, `"_meta":{"ui":{"visibility":["app"]}}`, []string{"changed app-only t: the tool is not shown, as its _meta.ui.visibility says"}},
		{"claude-code", "for views", empty, `"_meta":{"ui":{"visibility":["app"]}}`, []string{"changed app-only t: the tool is not shown, as its _meta.ui.visibility says"}},
		{"vscode", "for views", empty, `"_meta":{"ui":{"visibility":[]}}`, []string{"changed app-only t: the tool is not shown, as its _meta.ui.visibility says"}},
		{"gemini-cli", "for views", empty, `"_meta":{"ui":{"visibility":["app"]}}`, []string{"changed wait t arguments.wait_for_previous: an argument of the client"}},
		{"claude-code", "as it is", `{"type":"object","properties":{"when":{"type":"string","format":"date"}}}`, "", nil},
		{"claude-code", "a name of an argument", `{"type":"object","properties":{"a b":{}}}`, "", []string{`lost claude/property-name t: arguments["a b"]: name "a b"`}},
		{"claude-code", "no object", `{"type":"string"}`, "", []string{"lost list t: arguments: the type is not object"}},
		{"claude-code", "an unknown type", `{"type":"object","properties":{"a":{"type":"text"}}}`, "", []string{`lost invalid-schema t: the schema is not valid: properties.a.type: must be one of "array", "boolean", "integer", "null", "number", "object", "string", got "text"`}},
		{"claude-code", "alternatives", `{"type":"object","oneOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}}}]}`, "", []string{
			"cut alternatives t arguments: without oneOf", "changed alternatives t description: another text", "changed alternatives t arguments: with additionalProperties", "changed alternatives t arguments: another required",
		}},
		{"gemini-cli", "nullable", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`, "", []string{
			"changed nullable t arguments.a: with nullable", "changed nullable t arguments.a: another type", "changed wait t arguments.wait_for_previous: an argument of the client",
		}},
		{"gemini-cli", "a boolean", `{"type":"object","properties":{"a":true}}`, "", []string{"lost typescript-2025/boolean-property t: arguments.a: true"}},
		// Inputs of the tests of VS Code.
		{"vscode", "no items", `{"type":"object","properties":{"foo":{"type":"array"}}}`, "", []string{"lost copilot/array-without-items t: arguments.foo: no items"}},
		{"vscode", "an unknown type", `{"type":"object","properties":{"foo":{"type":"text"}}}`, "", []string{`lost invalid-schema t: the schema is not valid: properties.foo.type: must be one of "array", "boolean", "integer", "null", "number", "object", "string", got "text"`}},
		{"vscode", "required", `{"type":"object","properties":{"foo":{"type":"object","properties":{"a":{}},"required":["a","c"]},"bar":{"type":"object","required":["d"]}}}`, "", []string{"changed copilot/unnamed-required t arguments.foo: another required"}},
		{"vscode", "alternatives", `{"type":"object","properties":{"a":{}},"anyOf":[{"required":["a"]},{"properties":{"b":{}}}]}`, "", []string{
			"lost copilot/root-combinator t arguments.b: the argument vanishes", "cut copilot/root-combinator t arguments: without anyOf, required",
		}},
		{"cursor", "as it is", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`, "", nil},
	} {
		entry := tool("t", tt.schema)
		if tt.members != "" {
			entry = tool("t", tt.schema, tt.members)
		}
		if got := changes(show(t, tt.client, entry)); !slices.Equal(got, tt.want) {
			t.Errorf("%s, %s:\n got %q\nwant %q", tt.client, tt.name, got, tt.want)
		}
	}
}

// TestOneForAll checks that a tool that makes a client drop the whole list makes all others vanish.
func TestOneForAll(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"claude-code", "gemini-cli"} {
		v := show(t, client, tool("good", empty), tool("bad", `{"type":"string"}`))
		if v.Count(modelview.Lost) != 2 || v.Tools[0].Definition != nil || v.Tools[1].Definition != nil {
			t.Errorf("%s: %+v", client, v.Changes)
		}
	}
	if v := show(t, "codex", tool("good", empty), tool("bad", `{"type":"string"}`)); v.Count(modelview.Lost) != 0 {
		t.Errorf("codex: %+v", v.Changes)
	}
}

// TestFirstPage checks that tools of later pages vanish for a client that reads one.
func TestFirstPage(t *testing.T) {
	t.Parallel()
	for client, lost := range map[string]int{"gemini-cli": 1, "codex": 0} {
		c, _ := modelview.Named(client)
		v := c.Show(modelview.Listing{Server: "hub", Tools: []json.RawMessage{tool("a", empty), tool("b", empty)}, FirstPage: 1})
		if v.Count(modelview.Lost) != lost || v.Tools[0].Definition == nil || (v.Tools[1].Definition == nil) != (lost == 1) {
			t.Errorf("%s: %+v", client, v.Changes)
		}
	}
}

// TestInstructions checks what is left of long instructions.
func TestInstructions(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("ä", 5000)
	for client, want := range map[string]int{"claude-code": 4096 + len([]rune("… [truncated]")), "codex": 5000, "cursor": 5000} {
		c, _ := modelview.Named(client)
		if v := c.Show(modelview.Listing{Instructions: text}); len([]rune(v.Instructions)) != want {
			t.Errorf("%s: %d characters, want %d", client, len([]rune(v.Instructions)), want)
		}
	}
}

// TestTextIsBounded checks that the text for 300 tools with all kinds of changes stays short, and names the worst first.
func TestTextIsBounded(t *testing.T) {
	t.Parallel()
	var tools []json.RawMessage
	for i := range 300 {
		tools = append(tools, tool(fmt.Sprintf("tool_%d", i), fmt.Sprintf(`{"type":"object","properties":{"a":{"type":"string","format":"date","x-%d":1}}}`, i), `"title":"T"`))
	}
	for i := range 40 {
		tools = append(tools, tool(fmt.Sprintf("bad_%d", i), `{"type":"object","properties":{"a":{"type":"array","items":[{}]}}}`))
	}
	text := show(t, "codex", tools...).Text(100)
	lines := strings.Split(text, "\n")
	if len(lines) > 100 {
		t.Errorf("%d lines:\n%s", len(lines), text)
	}
	if !strings.HasPrefix(lines[1], "lost ") || !strings.Contains(text, " and 19 more") || !strings.Contains(text, "other kinds; --json has all") {
		t.Errorf("the text does not begin with what is lost, or does not say what it leaves out:\n%s", text)
	}
}

// TestHostile checks that text of a server cannot reach the terminal as control characters.
func TestHostile(t *testing.T) {
	t.Parallel()
	v := show(t, "codex", tool("t\u001b[31m", `{"type":"object","properties":{"a\u202eb":{"type":"string","x-\u001b]0;":1}}}`), json.RawMessage(`{"name":3}`), json.RawMessage(`null`))
	if text := v.Text(80); strings.ContainsAny(text, "\u001b\u202e") {
		t.Errorf("control characters in %q", text)
	}
}

// TestNamesTwice checks that a server may repeat the names of members.
func TestNamesTwice(t *testing.T) {
	t.Parallel()
	const twice = `{"type":"object","type":"object","properties":{"a":{"type":["string","null"],"type":7}},"properties":{},"required":["b"],"required":["c"],"anyOf":[{}],"anyOf":{}}`
	for _, name := range modelview.Clients() {
		v := show(t, name, tool("t", twice, `"description":""`, `"name":"u"`, `"inputSchema":[]`))
		if len(v.Tools) != 1 {
			t.Errorf("%s: %d tools", name, len(v.Tools))
		}
	}
}

// TestHiddenKinds checks that the note about kinds of changes that are not shown does not count one twice.
func TestHiddenKinds(t *testing.T) {
	t.Parallel()
	var tools []json.RawMessage
	for i := range 40 {
		schema := fmt.Sprintf(`{"type":"object","properties":{"a":{"type":"string","x-%d":1}}}`, i)
		tools = append(tools, tool(fmt.Sprintf("one_%d", i), schema), tool(fmt.Sprintf("two_%d", i), schema))
	}
	if text := show(t, "codex", tools...).Text(0); !strings.Contains(text, "and 10 other kinds; --json has all") || !strings.Contains(text, "one_7 arguments.a and 1 more\n") {
		t.Errorf("40 kinds of changes in two tools each:\n%s", text)
	}
}
