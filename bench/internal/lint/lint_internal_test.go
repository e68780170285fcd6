package lint

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/internal/testing/golden"
	schemalint "github.com/mcptool-go/mcptool/reflectschema/lint"
)

// good is a tool without findings; its name is to be filled in.
const good = `{"name":%q,"description":"Looks up an order by its number","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true,"destructiveHint":false}}`

func named(name string) string { return fmt.Sprintf(good, name) }

// with returns the good tool look_up with a member added or replaced.
func with(member string) string {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(named("look_up")), &all); err != nil {
		return err.Error()
	}
	if err := json.Unmarshal([]byte("{"+member+"}"), &all); err != nil {
		return err.Error()
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func without(member string) string {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(named("look_up")), &all); err != nil {
		return err.Error()
	}
	delete(all, member)
	text, err := json.Marshal(all)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// cases violate one rule each, or none.
var cases = []struct {
	name  string
	tools []string
	want  []string // expected findings: rule, tool, place
}{
	{"nothing", []string{named("look_up")}, nil},
	{"no tools", nil, nil},
	{"what cannot be read", []string{`7`}, []string{"unreadable, , : it is a number, not an object"}},
	{"a member of the wrong type", []string{`{"name":"x","description":7,"annotations":{"readOnlyHint":"true","destructiveHint":true},"inputSchema":{"type":"object"}}`}, []string{
		`bad-member, x, : "description" is a number, not a string`, `bad-member, x, : "annotations.readOnlyHint" is a string, not a boolean`, "no-description, x, : no description",
	}},
	{"a member twice", []string{`{"name":"x","description":"Looks for what is asked.","annotations":{"destructiveHint":true,"destructiveHint":true},"inputSchema":{"type":"object"}}`}, []string{
		`bad-member, x, : "annotations.destructiveHint" occurs twice`, "no-hints, x, : it sets neither readOnlyHint nor destructiveHint",
	}},
	{"no name", []string{without("name")}, []string{"no-name, , : a tool without a name"}},
	{"one name twice", []string{named("look_up"), named("look_up")}, []string{"same-name, look_up, : the name is there twice"}},
	{"a name with a space", []string{named("look up")}, []string{`bad-name, look up, : the name holds ' '`}},
	{"a name with a dot", []string{named("orders.look")}, []string{"dotted-name, orders.look, : the name has a dot"}},
	{"a name too long", []string{named(strings.Repeat("ab", 33))}, []string{"long-name, " + strings.Repeat("ab", 33) + ", : the name has 66 characters"}},
	{"a name as long as may be", []string{named(strings.Repeat("ab", 32))}, []string{"longish-name, " + strings.Repeat("ab", 32) + ", : the name has 64 characters"}},
	{"a name with room for that of the server", []string{named(strings.Repeat("ab", 20))}, nil},
	{"names that differ in case", []string{named("look_up"), named("LookUp")}, []string{`alike-names, LookUp, : there is also "look_up"`}},
	{"names with another number", []string{named("get_order1"), named("get_order2")}, nil},
	{"short names", []string{named("ping"), named("pong")}, nil},
	{"a name that says nothing", []string{named("run")}, []string{`generic-name, run, : the name "run"`}},
	{"no description", []string{without("description")}, []string{"no-description, look_up, : no description"}},
	{"white space as a description", []string{with(`"description":" \n"`)}, []string{"no-description, look_up, : no description"}},
	{"the name as a description", []string{with(`"description":"Look up."`)}, []string{`thin-description, look_up, : the description is "Look up."`}},
	{"one word as a description", []string{with(`"description":"Orders"`)}, []string{`thin-description, look_up, : the description is "Orders"`}},
	{"one word in a script without spaces", []string{with(`"description":"注文番号で注文を調べます"`)}, nil},
	{"a description too long", []string{with(`"description":"` + strings.Repeat("ab ", 400) + `"`)}, []string{"long-description, look_up, : the description has 1199 characters"}},
	{"text that nobody sees", []string{with(`"description":"Looks up an order \udb40\udc41"`)}, []string{"hidden-text, look_up, : the character U+E0041"}},
	{"text that turns, in a schema", []string{with(`"inputSchema":{"type":"object","title":"\u202e"}`)}, []string{"hidden-text, look_up, : the character U+202E"}},
	{"a joined emoji", []string{with(`"description":"Looks up an order 👩‍🚀"`)}, nil},
	{"no hints", []string{without("annotations")}, []string{"no-hints, look_up, : it sets neither readOnlyHint nor destructiveHint"}},
	{"hints about something else", []string{with(`"annotations":{"openWorldHint":true}`)}, []string{"no-hints, look_up, : it sets neither readOnlyHint nor destructiveHint"}},
	{"a read-only tool with one hint", []string{with(`"annotations":{"readOnlyHint":true}`)}, []string{"unset-hint, look_up, : it is read-only and does not set destructiveHint"}},
	{"a tool that adds, with one hint", []string{with(`"annotations":{"destructiveHint":false}`)}, nil},
	{"a writing tool with one hint", []string{with(`"annotations":{"readOnlyHint":false}`)}, nil},
	{"hints that contradict", []string{with(`"annotations":{"readOnlyHint":true,"destructiveHint":true}`)}, []string{"odd-hints, look_up, : it sets both readOnlyHint and destructiveHint"}},
	{"no schema", []string{without("inputSchema")}, []string{"no-schema, look_up, : no input schema"}},
	{"a schema that is none", []string{with(`"inputSchema":{"type":"objekt"}`)}, []string{
		`claude/root-not-object, look_up, arguments: type "objekt"`,
		`bad-schema, look_up, arguments: type: must be one of "array", "boolean", "integer", "null",…`,
	}},
	{"an argument without a description", []string{with(`"inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}`)}, []string{"undescribed-argument, look_up, arguments.a: no description"}},
	{"an argument that says too much", []string{with(`"inputSchema":{"type":"object","properties":{"a":{"type":"string","description":"` + strings.Repeat("ab ", 200) + `"}}}`)}, []string{
		"long-argument, look_up, arguments.a: the description has 600 characters",
	}},
	{"a tool that costs much", []string{with(`"_meta":{"a":"` + strings.Repeat("ab ", 2500) + `"}`)}, []string{"heavy-tool, look_up, : about 1923 tokens"}},
	{"a misspelt keyword", []string{with(`"inputSchema":{"type":"object","properties":{},"requird":[]}`)}, []string{`any-client/misspelt-keyword, look_up, arguments: unknown keyword "requird", which is similar to required`}},
	{"a default that does not fit", []string{with(`"outputSchema":{"type":"object","default":3}`)}, []string{"any-client/refused-value, look_up, result: default 3: must be an object, got the number 3"}},
	{"a rule of a profile", []string{with(`"inputSchema":{"type":"object","oneOf":[{"type":"object"}]}`)}, []string{"claude/root-combinator, look_up, arguments: oneOf"}},
	{"a rule of a profile, about results", []string{with(`"outputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`)}, []string{
		`claude/output-dialect, look_up, result: $schema "http://json-schema.org/draft-07/schema#"`,
	}},
}

func TestRules(t *testing.T) {
	t.Parallel()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report := Check(Lists{Tools: entries(tt.tools)}, Options{Profiles: []schemalint.Profile{schemalint.ProfileClaude}, All: true})
			var got []string
			for _, f := range report.Findings {
				got = append(got, fmt.Sprintf("%s, %s, %s: %s", f.Rule, f.Tool, f.Path, f.Found))
			}
			if !sameSet(tt.want, got) {
				t.Errorf("findings (-want +got):\n%s", cmp.Diff(tt.want, got))
			}
		})
	}
}

func sameSet(want, got []string) bool {
	counts := map[string]int{}
	for _, s := range want {
		counts[s]++
	}
	for _, s := range got {
		counts[s]--
	}
	for _, n := range counts {
		if n != 0 {
			return false
		}
	}
	return true
}

func entries(tools []string) []client.Tool { return list(client.ReadTool, tools...) }

// many returns n good tools.
func many(n int) []client.Tool {
	var out []client.Tool
	for i := range n {
		out = append(out, entries([]string{named(fmt.Sprintf("look_up_%d", i))})...)
	}
	return out
}

// TestEveryRule requires a case for every rule that one or two tools can violate.
func TestEveryRule(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{"many-tools": true, "over-budget": true} // TestAllTogether
	for _, tt := range cases {
		for _, finding := range tt.want {
			name, _, _ := strings.Cut(finding, ",")
			broken[name] = true
		}
	}
	for _, tt := range listCases {
		for _, finding := range tt.want {
			name, _, _ := strings.Cut(finding, ",")
			broken[name] = true
		}
	}
	for _, all := range []map[string]rule{rules, listRules} {
		for name, r := range all {
			if !broken[name] {
				t.Errorf("no case breaks the rule %s", name)
			}
			if r.level == 0 || r.why == "" || r.fix == "" {
				t.Errorf("the rule %s says too little", name)
			}
		}
	}
}

func TestAllTogether(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		tools, budget int
		want          []string
	}{
		{"as many as may be", 128, 0, nil},
		{"one more", 129, 0, []string{"129 tools"}},
		{"within the budget", 2, 200, nil},
		{"beyond it", 2, 50, []string{"about 88 tokens, and the budget is 50"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report := Check(Lists{Tools: many(tt.tools)}, Options{Budget: tt.budget})
			var got []string
			for _, f := range report.Findings {
				got = append(got, f.Found)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if len(report.Costs) != tt.tools || report.Bytes < tt.tools*len(good) || report.Tokens != (report.Bytes+3)/4 {
				t.Errorf("%d costs, %d bytes, %d tokens", len(report.Costs), report.Bytes, report.Tokens)
			}
		})
	}
}

// TestText compares the tables with the golden file.
func TestText(t *testing.T) {
	t.Parallel()
	file := golden.Open(t, "testdata/report.golden")
	var all []client.Tool
	for _, tt := range cases {
		all = append(all, entries(tt.tools)...)
	}
	all = append(all, entries([]string{`{"name":"\u001b[31mred\u202e","description":"Steers\u0007 the terminal","inputSchema":{}}`})...)
	everything := Check(Lists{Tools: all}, Options{Profiles: []schemalint.Profile{schemalint.ProfileClaude, schemalint.ProfileTypeScript2025}, Budget: 1000, All: true})
	file.Check(t, "everything", everything.Summary()+"\n"+everything.Text(0))
	for _, width := range []int{40, 60, 80, 120} {
		text := everything.Text(width)
		if width == 40 || width == 80 {
			file.Check(t, fmt.Sprintf("everything, in %d columns", width), text)
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimRight(line, "\n"); utf8.RuneCountInString(line) > width && len(strings.Fields(line)) > 1 {
				t.Errorf("in %d columns there is %q", width, line)
			}
		}
		for i := range everything.Findings[:20] { // the last findings of a rule are only counted
			if f := &everything.Findings[i]; !strings.Contains(letters(text), letters(terminal.OneLine(f.Found))) {
				t.Errorf("in %d columns %q is lost", width, f.Found)
			}
		}
	}
	usual := Check(Lists{Tools: all}, Options{Profiles: []schemalint.Profile{schemalint.ProfileCopilot}})
	file.Check(t, "without advice that most authors can ignore", usual.Text(80))
	fine := Check(Lists{Tools: many(30)}, Options{})
	file.Check(t, "nothing", fine.Summary()+"\n"+fine.Text(0))
}

// letters returns a text without white space, which wrapping changes.
func letters(text string) string { return strings.Join(strings.Fields(text), "") }

// TestLegacyTools checks that the rules of old clients apply to the list that they
// get.
func TestLegacyTools(t *testing.T) {
	t.Parallel()
	const modern, legacy = `{"name":"say_hello","description":"Says hello to somebody","annotations":{"readOnlyHint":true,"destructiveHint":false},"inputSchema":{"type":"object"},"outputSchema":{"type":"string"}}`,
		`{"name":"say_hello","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"result":{"type":"string"}}}}`
	for name, tt := range map[string]struct {
		legacy []client.Tool
		want   string
	}{
		"another list":   {entries([]string{legacy}), ""},
		"the same list":  {nil, "typescript-2025/root-not-object"},
		"a mistake":      {entries([]string{modern}), "typescript-2025/root-not-object"},
		"no old clients": {[]client.Tool{}, ""},
	} {
		got := ""
		for _, f := range Check(Lists{Tools: entries([]string{modern}), LegacyTools: tt.legacy}, Options{Profiles: []schemalint.Profile{schemalint.ProfileClaude, schemalint.ProfileTypeScript2025}}).Findings {
			got += f.Rule
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
