package compat_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/compat"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

var schemas = reflectschema.Internal(private.Key{})

// classes compares two schemas, both as arguments and as a result.
func classes(was, is string) (callers, readers []compat.Change) {
	old := compat.Tool{Name: "t", InputSchema: json.RawMessage(was), OutputSchema: json.RawMessage(was)}
	now := compat.Tool{Name: "t", InputSchema: json.RawMessage(is), OutputSchema: json.RawMessage(is)}
	for _, c := range compat.Compare(&compat.Snapshot{Tools: []compat.Tool{old}}, &compat.Snapshot{Tools: []compat.Tool{now}}) {
		if c.Party == compat.Callers {
			callers = append(callers, c)
		} else {
			readers = append(readers, c)
		}
	}
	return callers, readers
}

const (
	fine = compat.Compatible
	word = compat.Wording
	may  = compat.MayBreak
	brk  = compat.Breaks
)

func TestSchemas(t *testing.T) {
	t.Parallel()
	closed := func(properties, rest string) string {
		return `{"type":"object","properties":{` + properties + `},"additionalProperties":false` + rest + `}`
	}
	for _, test := range []struct {
		reason, was, is  string
		callers, readers compat.Class
		text             string // substring of the report to callers
	}{
		{"nothing", closed(`"a":{"type":"string"}`, ``), closed(`"a":{"type":"string"}`, ``), word, word, ""},
		{"order and white space", `{"type":"string","minLength":1}`, `{"minLength": 1.0, "type":"string"}`, word, word, ""},
		{"a type widens", `{"type":"integer"}`, `{"type":"number"}`, fine, brk, "arguments: was an integer, is a number"},
		{"a type narrows", `{"type":"number"}`, `{"type":"integer"}`, brk, fine, "was a number, is an integer"},
		{"null is let through", `{"type":"string"}`, `{"type":["string","null"]}`, fine, brk, "is a string or null"},
		{"another type", `{"type":"string"}`, `{"type":"boolean"}`, brk, brk, "was a string, is"},
		{"anything", `{"type":"string"}`, `{}`, fine, brk, "is anything"},
		{"required is added", closed(`"a":{}`, ``), closed(`"a":{}`, `,"required":["a"]`), brk, fine, "arguments.a: was optional, is required"},
		{"required is dropped", closed(`"a":{}`, `,"required":["a"]`), closed(`"a":{}`, ``), fine, brk, "arguments.a: was required, is optional"},
		{"an optional property is added to a closed object", closed(`"a":{}`, ``), closed(`"a":{},"b":{"type":"string"}`, ``), fine, brk, "arguments.b: was not allowed, is a string"},
		{"a required one", closed(`"a":{}`, ``), closed(`"a":{},"b":{}`, `,"required":["b"]`), brk, brk, "arguments.b: was absent, is required"},
		{"a property is taken from a closed object", closed(`"a":{},"b":{"type":"string"}`, ``), closed(`"a":{}`, ``), brk, fine, "arguments.b: was a string, is not allowed"},
		{"an optional property is added to an open object", `{"type":"object"}`, `{"type":"object","properties":{"b":{"type":"string"}}}`, may, fine, "arguments.b: was anything, is a string"},
		{"an object is closed", `{"type":"object"}`, `{"type":"object","additionalProperties":false}`, brk, fine, "arguments.*: was allowed, is not allowed"},
		{"a map of other values", `{"type":"object","additionalProperties":{"type":"integer"}}`, `{"type":"object","additionalProperties":{"type":"number"}}`, fine, brk, "arguments.*: was an integer, is a number"},
		{"a value of an enum more", `{"enum":["a","b"]}`, `{"enum":["a","b","c"]}`, fine, brk, `was "a" or "b", is "a", "b" or "c"`},
		{"a value of an enum less", `{"enum":["a","b"]}`, `{"enum":["b"]}`, brk, fine, `was "a" or "b", is "b"`},
		{"an enum for a type", `{"type":"string"}`, `{"enum":["a"]}`, brk, fine, `was a string, is "a"`},
		{"a const that is in the enum", `{"const":"a"}`, `{"type":"string","enum":["a","b"]}`, fine, brk, ""},
		{"a const that fits the bounds", `{"const":3}`, `{"type":"integer","minimum":1,"multipleOf":3}`, fine, brk, ""},
		{"a bound rises", `{"type":"integer","minimum":1}`, `{"type":"integer","minimum":2}`, brk, fine, "was at least 1, is at least 2"},
		{"a bound goes", `{"type":"number","maximum":1}`, `{"type":"number"}`, fine, brk, "was at most 1, is any number"},
		{"a bound said otherwise", `{"type":"integer","exclusiveMinimum":0}`, `{"type":"integer","minimum":1}`, fine, fine, "with the same meaning"},
		{"not so for fractions", `{"type":"number","exclusiveMinimum":0}`, `{"type":"number","minimum":1}`, brk, fine, "was more than 0, is at least 1"},
		{"a bound does not count any more", `{"type":"number","minimum":1}`, `{"type":"number","exclusiveMinimum":1}`, brk, fine, "was at least 1, is more than 1"},
		{"nor of an integer", `{"type":"integer","maximum":1}`, `{"type":"integer","exclusiveMaximum":1}`, brk, fine, "was at most 1, is at most 0"},
		{"a unit", `{"type":"number","multipleOf":4}`, `{"type":"number","multipleOf":2}`, fine, brk, "multipleOf"},
		{"a length", `{"type":"string"}`, `{"type":"string","maxLength":9}`, brk, fine, "was any number of characters, is at most 9 characters"},
		{"a bound of another type", `{"type":"string"}`, `{"type":"string","maximum":9}`, fine, fine, "with the same meaning"},
		{"a pattern", `{"type":"string","pattern":"^a"}`, `{"type":"string","pattern":"^[ab]"}`, may, may, `was pattern "^a", is pattern "^[ab]"`},
		{"a pattern is dropped", `{"type":"string","pattern":"^a"}`, `{"type":"string"}`, fine, may, ""},
		{"a format", `{"type":"string"}`, `{"type":"string","format":"date"}`, brk, fine, `was without format, is format "date"`},
		{"a format that nobody knows", `{"type":"string"}`, `{"type":"string","format":"isbn"}`, may, fine, "isbn"},
		{"another format", `{"type":"string","format":"date"}`, `{"type":"string","format":"time"}`, may, may, ""},
		{"items", `{"type":"array","items":{"type":"integer"}}`, `{"type":"array","items":{"type":"string"}}`, brk, brk, "arguments[]: was an integer, is a string"},
		{"a tuple grows", `{"type":"array","prefixItems":[{"type":"string"}],"items":false}`, `{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}`, fine, brk, ""},
		{"how many items", `{"type":"array","maxItems":2}`, `{"type":"array","maxItems":3}`, fine, brk, "at most 2 items, is at most 3 items"},
		{"unique items", `{"type":"array"}`, `{"type":"array","uniqueItems":true}`, brk, fine, "is uniqueItems"},
		{"one item is unique", `{"type":"array","maxItems":1}`, `{"type":"array","maxItems":1,"uniqueItems":true}`, fine, fine, ""},
		{"an alternative more", `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`, fine, brk, ""},
		{"an alternative less", `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `{"anyOf":[{"type":"string"}]}`, brk, fine, "an integer, is"},
		{"alternatives for types", `{"type":["string","integer"]}`, `{"anyOf":[{"type":"integer"},{"type":"string"}]}`, fine, fine, "with the same meaning"},
		{"members of a union are told apart by a const", union(`"a"`, `"b"`), union(`"a"`, `"b"`, `"c"`), fine, brk, ""},
		{"a member of a union goes", union(`"a"`, `"b"`, `"c"`), union(`"a"`, `"b"`), brk, fine, `none of the alternatives`},
		{"a union from oneOf to anyOf", union(`"a"`, `"b"`), anyOf(union(`"a"`, `"b"`)), fine, fine, "with the same meaning"},
		{"a union from anyOf to oneOf", anyOf(union(`"a"`, `"b"`)), union(`"a"`, `"b"`), fine, fine, "with the same meaning"},
		{"a union or null", nullable(union(`"a"`, `"b"`)), nullable(anyOf(union(`"a"`, `"b"`))), fine, fine, "with the same meaning"},
		{"a union of many members", recursiveUnion(100), anyOf(recursiveUnion(100)), fine, fine, "with the same meaning"},
		{"a union of many members, from anyOf to oneOf", anyOf(recursiveUnion(100)), recursiveUnion(100), fine, fine, "with the same meaning"},
		{"a union from oneOf to anyOf, and a member is removed", union(`"a"`, `"b"`, `"c"`), anyOf(union(`"a"`, `"b"`)), brk, fine, "none of the alternatives"},
		{"a union from oneOf to anyOf, and a type changes", union(`"a"`, `"b"`), strings.Replace(anyOf(union(`"a"`, `"b"`)), "integer", "string", 1), brk, brk, "arguments.x: was an integer, is a string"},
		{"a union from oneOf to anyOf, and a description is added", union(`"a"`, `"b"`), strings.Replace(anyOf(union(`"a"`, `"b"`)), `{"const":"b"}`, `{"const":"b","description":"B"}`, 1), word, word, `is description "B"`},
		{"oneOf to anyOf without a discriminator", `{"oneOf":[{"type":"integer","minimum":1},{"type":"integer","minimum":2}]}`, `{"anyOf":[{"type":"integer","minimum":1},{"type":"integer","minimum":2}]}`, fine, may, "possibly more than one of 2 alternatives"},
		{"alternatives that overlap", `{"type":"integer"}`, `{"oneOf":[{"type":"integer"},{"type":"number","minimum":5}]}`, may, brk, "possibly more than one of 2 alternatives"},
		{"what stands behind references", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`, `{"type":"string"}`, fine, fine, "with the same meaning"},
		{"a tree", tree(`"v":{"type":"integer"}`), tree(`"v":{"type":"number"}`), fine, brk, ""},
		{"a tree whose leaves change", tree(`"v":{"type":"number"}`), tree(`"v":{"type":"integer"}`), brk, fine, "arguments.kids[].v: was a number, is an integer"},
		{"a reference that is no pointer", `{"$ref":"#a","$defs":{"x":{"$anchor":"a","type":"string"}}}`, `{"$ref":"#a","$defs":{"x":{"$anchor":"a","type":"integer"}}}`, may, may, ""},
		{"the same wrapped", `{"type":"string","minLength":1}`, `{"allOf":[{"type":"string"},{"minLength":1}]}`, fine, fine, "with the same meaning"},
		{"not", `{"type":"string"}`, `{"not":{"type":"integer"}}`, fine, brk, ""},
		{"not, perhaps", `{"type":"string"}`, `{"type":"string","not":{"const":"a"}}`, may, fine, ""},
		{"if", `{"type":"object"}`, `{"type":"object","if":{"required":["a"]},"then":{"required":["b"]}}`, may, fine, ""},
		{"what depends", `{"type":"object","dependentRequired":{"a":["b"]}}`, `{"type":"object","dependentRequired":{"a":["b","c"]}}`, may, may, ""},
		{"names", `{"type":"object"}`, `{"type":"object","propertyNames":{"maxLength":3}}`, may, fine, ""},
		{"names that are known", closed(`"a":{},"bc":{}`, ``), closed(`"a":{},"bc":{}`, `,"propertyNames":{"maxLength":3}`), fine, fine, ""},
		{"unevaluated", `{"type":"object"}`, `{"type":"object","unevaluatedProperties":false}`, may, fine, ""},
		{"a keyword that nobody knows", `{"type":"string"}`, `{"type":"string","color":"red"}`, may, fine, ""},
		{"a keyword of one's own", `{"type":"string"}`, `{"type":"string","x-color":"red"}`, word, word, ""},
		{"a header is wanted", closed(`"a":{"type":"string"}`, ``), closed(`"a":{"type":"string","x-mcp-header":"A"}`, ``), may, fine, ""},
		{"a description", `{"type":"string","description":"x"}`, `{"type":"string","description":"y"}`, word, word, `was description "x", is description "y"`},
		{"a property is called description", closed(`"description":{"type":"string"}`, ``), closed(`"description":{"type":"integer"}`, ``), brk, brk, "arguments.description"},
		{"a default", closed(`"a":{"type":"integer","default":1}`, ``), closed(`"a":{"type":"integer","default":2}`, ``), may, word, "was default 1, is default 2"},
		{"a default is told", closed(`"a":{"type":"integer"}`, ``), closed(`"a":{"type":"integer","default":2}`, ``), fine, word, ""},
		{"another dialect", `{"type":"array","prefixItems":[{"type":"string"}]}`, `{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"type":"string"}]}`, fine, fine, ""},
		{
			"what stands beside a reference of draft-07 does not count", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"$ref":"#/definitions/s","maxLength":3}},"definitions":{"s":{"type":"string"}}}`,
			`{"type":"object","properties":{"a":{"type":"string","maxLength":3}}}`, brk, fine, "any number of characters, is at most 3",
		},
		{"alternatives that multiply", multiplied(4, 30), multiplied(4, 31), may, may, ""},
		{"no schema", `{"type":7}`, `{"type":"string"}`, may, may, "an invalid schema"},
	} {
		callers, readers := classes(test.was, test.is)
		if got := compat.Worst(callers); got != test.callers {
			t.Errorf("%s: callers: class %d, want %d:\n%s", test.reason, got, test.callers, compat.Report(callers, word))
		}
		if got := compat.Worst(readers); got != test.readers {
			t.Errorf("%s: readers: class %d, want %d:\n%s", test.reason, got, test.readers, compat.Report(readers, word))
		}
		if text := compat.Report(callers, word); !strings.Contains(text, test.text) {
			t.Errorf("%s: callers are told\n%swant %q in it", test.reason, text, test.text)
		}
	}
}

func union(names ...string) string {
	var parts []string
	for _, name := range names {
		parts = append(parts, `{"type":"object","properties":{"kind":{"const":`+name+`},"x":{"type":"integer"}},"required":["kind"],"additionalProperties":false}`)
	}
	return `{"oneOf":[` + strings.Join(parts, ",") + `]}`
}

// anyOf returns a schema with anyOf instead of oneOf.
func anyOf(schema string) string { return strings.ReplaceAll(schema, `"oneOf"`, `"anyOf"`) }

func nullable(schema string) string { return `{"anyOf":[` + schema + `,{"type":"null"}]}` }

// recursiveUnion is a schema of a union with n members, each with a list of the union.
func recursiveUnion(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`{"type":"object","properties":{"kind":{"type":"string","const":"k%d"},"of":{"type":"array","items":{"$ref":"#/$defs/u"}}},"required":["kind"],"additionalProperties":false}`, i)
	}
	return `{"$ref":"#/$defs/u","$defs":{"u":{"oneOf":[` + strings.Join(members, ",") + `]}}}`
}

// multiplied is a schema whose lists of alternatives multiply.
func multiplied(lists, length int) string {
	all := make([]string, lists)
	for i := range all {
		alternatives := make([]string, length)
		for j := range alternatives {
			alternatives[j] = fmt.Sprintf(`{"type":"string","pattern":"%d.*%d"}`, i, j)
		}
		all[i] = `{"anyOf":[` + strings.Join(alternatives, ",") + `]}`
	}
	return `{"allOf":[` + strings.Join(all, ",") + `]}`
}

func tree(members string) string {
	return `{"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","properties":{` + members + `,"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"additionalProperties":false}}}`
}

// TestSound checks that the class compatible is correct: for random pairs of schemas of that class, every sample valid
// under one schema is valid under the other according to the validator.
func TestSound(t *testing.T) {
	t.Parallel()
	pairs := testscale.Count(1500)
	if testing.Short() {
		pairs = 300
	}
	compatible := map[compat.Party]int{}
	for i := range uint64(pairs) {
		dice := schemaDice{rand.New(rand.NewPCG(7, i))}
		was := dice.schema(2)
		is := dice.changed(was, 2)
		sound(t, was, is, compatible)
	}
	if compatible[compat.Callers] < pairs/10 || compatible[compat.Readers] < pairs/10 {
		t.Errorf("of %d pairs %v are compatible, which is too few to say anything", pairs, compatible)
	}
}

// sound checks the comparison of two schemas with samples of both.
func sound(t *testing.T, was, is any, compatible map[compat.Party]int) {
	t.Helper()
	a, b := text(t, was), text(t, is)
	old, err := reflectschema.ParseSchema([]byte(a))
	if err != nil {
		return
	}
	now, err := reflectschema.ParseSchema([]byte(b))
	if err != nil {
		return
	}
	callers, readers := classes(a, b)
	samples := append(samples.Of(old), samples.Of(now)...)
	for _, test := range []struct {
		party   compat.Party
		changes []compat.Change
		from    *reflectschema.Schema
		to      *reflectschema.Schema
	}{{compat.Callers, callers, old, now}, {compat.Readers, readers, now, old}} {
		if compat.Worst(test.changes) > compat.Compatible {
			continue
		}
		compatible[test.party]++
		for _, s := range samples {
			if schemas.Judge(test.from, s.JSON) == nil && schemas.Judge(test.to, s.JSON) != nil {
				t.Errorf("was %s\nis  %s\nis said to be compatible (for %d), but for %s:\n%s", a, b, test.party, s.JSON, compat.Report(test.changes, word))
				break
			}
		}
	}
}

func text(t *testing.T, schema any) string {
	t.Helper()
	raw, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestTools(t *testing.T) {
	t.Parallel()
	const empty = `{"type":"object"}`
	tool := func(members string) string {
		return `{"tools":[{"name":"a","inputSchema":` + empty + members + `}]}`
	}
	argument := func(schema, required string) string {
		return `{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"x":` + schema + `},"required":[` + required + `]}}]}`
	}
	for _, test := range []struct {
		reason, was, is string
		want            string
	}{
		{"nothing", tool(``), tool(``), ""},
		{"a tool is added", `{"tools":[]}`, tool(``), "compatible:\n    a: was absent, is present\n"},
		{"a tool is removed", tool(``), `{"tools":[]}`, "breaks callers:\n    a: was present, is absent\n"},
		{"a tool is renamed", tool(``), `{"tools":[{"name":"b","inputSchema":{ "type" : "object"}}]}`, "breaks callers:\n    a: was present, is called b\n"},
		{"a tool is removed, and one added", tool(``), `{"tools":[{"name":"b","inputSchema":{"type":"object","properties":{}}}]}`, "breaks callers:\n    a: was present, is absent\ncompatible:\n    b: was absent, is present\n"},
		{"texts", tool(`,"title":"A","description":"x"`), tool(`,"description":"y"`), "wording only:\n    a: was title \"A\", is without title\n    a: was description \"x\", is description \"y\"\n"},
		{"no longer read-only", tool(`,"annotations":{"readOnlyHint":true}`), tool(`,"annotations":{"destructiveHint":false,"idempotentHint":true}`), "breaks callers:\n    a: was read-only, is not read-only\n"},
		{
			"from read-only to destructive", tool(`,"annotations":{"readOnlyHint":true}`), tool(`,"annotations":{"destructiveHint":true}`),
			"breaks callers:\n    a: was read-only, is not read-only\nmay break callers:\n    a: was not destructive, is possibly destructive\n    a: was idempotent, is not idempotent\n",
		},
		{"read-only now", tool(``), tool(`,"annotations":{"readOnlyHint":true}`), "compatible:\n    a: was not read-only, is read-only\n"},
		{"a hint that says what is assumed anyway", tool(``), tool(`,"annotations":{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":true}`), ""},
		{"destructive now", tool(`,"annotations":{"destructiveHint":false}`), tool(``), "may break callers:\n    a: was not destructive, is possibly destructive\n"},
		{"open to the world", tool(`,"annotations":{"openWorldHint":false}`), tool(`,"annotations":{}`), "may break callers:\n    a: was closed-world, is open-world\n"},
		{"the title of the annotations", tool(`,"annotations":{"title":"x"}`), tool(``), "wording only:\n    a: was annotations.title \"x\", is without annotations.title\n"},
		{"a title moves", tool(`,"annotations":{"title":"x"}`), tool(`,"title":"x"`), "wording only:\n    a: was titled by annotations.title, is titled by title\n"},
		{"a title is repeated", tool(`,"title":"x"`), tool(`,"title":"x","annotations":{"title":"x"}`), "wording only:\n    a: was titled by title, is titled by title and annotations.title\n"},
		{"a title moves and changes", tool(`,"annotations":{"title":"x"}`), tool(`,"title":"y"`), "wording only:\n    a: was without title, is title \"y\"\n    a: was annotations.title \"x\", is without annotations.title\n"},
		{"a hidden title changes", tool(`,"title":"x","annotations":{"title":"x"}`), tool(`,"title":"x","annotations":{"title":"y"}`), "wording only:\n    a: was annotations.title \"x\", is annotations.title \"y\"\n"},
		{"null of an optional argument", argument(`{"type":["string","null"]}`, ``), argument(`{"type":"string"}`, ``), "may break callers:\n    a: arguments.x: was a string or null, is a string (null may mean absent)\n"},
		{"null of an enum", argument(`{"enum":["v","w",null]}`, ``), argument(`{"enum":["v","w"]}`, ``), "may break callers:\n    a: arguments.x: was \"v\", \"w\" or null, is \"v\" or \"w\" (null may mean absent)\n"},
		{"null of a union", argument(`{"anyOf":[{"type":"string"},{"type":"null"}]}`, ``), argument(`{"type":"string"}`, ``), "may break callers:\n    a: arguments.x: was null, is a string (null may mean absent)\n"},
		{"null of a required argument", argument(`{"type":["string","null"]}`, `"x"`), argument(`{"type":"string"}`, `"x"`), "breaks callers:\n    a: arguments.x: was a string or null, is a string\n"},
		{"null and another type", argument(`{"type":["string","null","boolean"]}`, ``), argument(`{"type":"string"}`, ``), "breaks callers:\n    a: arguments.x: was a string or a boolean or null, is a string\n"},
		{"null of an element", argument(`{"items":{"type":["string","null"]}}`, ``), argument(`{"items":{"type":"string"}}`, ``), "breaks callers:\n    a: arguments.x[]: was a string or null, is a string\n"},
		{"null of a result", tool(`,"outputSchema":{"type":"object","properties":{"x":{"type":"string"}}}`), tool(`,"outputSchema":{"type":"object","properties":{"x":{"type":["string","null"]}}}`), "breaks readers of results:\n    a: result.x: was a string, is a string or null\n"},
		{"a result is described", tool(``), tool(`,"outputSchema":{"type":"object"}`), "compatible:\n    a: result: was not described, is described\n"},
		{"and no longer is", tool(`,"outputSchema":{"type":"object"}`), tool(``), "breaks readers of results:\n    a: result: was described, is not described\n"},
		{"always a task", tool(``), tool(`,"execution":{"taskSupport":"required"}`), "breaks callers:\n    a: was a task: forbidden, is required\n"},
		{"a task at will", tool(``), tool(`,"execution":{"taskSupport":"optional"}`), "compatible:\n    a: was a task: forbidden, is optional\n"},
		{"never a task", tool(`,"execution":{"taskSupport":"optional"}`), tool(``), "may break callers:\n    a: was a task: optional, is forbidden\n"},
	} {
		was, err := compat.Parse([]byte(test.was))
		if err != nil {
			t.Fatal(err)
		}
		is, err := compat.Parse([]byte(test.is))
		if err != nil {
			t.Fatal(err)
		}
		if got := compat.Report(compat.Compare(was, is), word); got != test.want {
			t.Errorf("%s: got\n%swant\n%s", test.reason, got, test.want)
		}
	}
}

// TestReportCounts checks that the same change of the wording of several tools is one line, and that every other change
// names its tool.
func TestReportCounts(t *testing.T) {
	t.Parallel()
	list := func(n int, members string) *compat.Snapshot {
		var tools []string
		for i := range n {
			tools = append(tools, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"}%s}`, i, strings.ReplaceAll(members, "N", fmt.Sprint(i))))
		}
		s, err := compat.Parse([]byte(`{"tools":[` + strings.Join(tools, ",") + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, test := range []struct {
		tools         int
		was, is, want string
	}{
		{171, `,"annotations":{"title":"Tool N"}`, `,"title":"Tool N"`, "wording only:\n    171 tools: was titled by annotations.title, is titled by title\n"},
		{3, `,"annotations":{"title":"Tool N"}`, `,"title":"Tool N"`, "wording only:\n    t0, t1, t2: was titled by annotations.title, is titled by title\n"},
		{2, `,"description":"a"`, `,"description":"b N"`, "wording only:\n    t0: was description \"a\", is description \"b 0\"\n    t1: was description \"a\", is description \"b 1\"\n"},
		{4, ``, `,"annotations":{"readOnlyHint":true}`, "compatible:\n    t0: was not read-only, is read-only\n    t1: was not read-only, is read-only\n    t2: was not read-only, is read-only\n    t3: was not read-only, is read-only\n"},
	} {
		changes := compat.Compare(list(test.tools, test.was), list(test.tools, test.is))
		if got := compat.Report(changes, word); got != test.want {
			t.Errorf("%d tools: got\n%swant\n%s", test.tools, got, test.want)
		}
	}
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	tools, err := compat.Parse([]byte(`{"tools":[{"name":"b","inputSchema":{"z":1,"a":"<"},"icons":[]},{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":true}}],"nextCursor":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := compat.Format(tools)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
  "tools": [
    {
      "name": "a",
      "inputSchema": {},
      "annotations": {
        "readOnlyHint": true
      }
    },
    {
      "name": "b",
      "inputSchema": {
        "z": 1,
        "a": "<"
      }
    }
  ]
}
`
	if string(raw) != want {
		t.Errorf("got %s, want %s", raw, want)
	}
	again, err := compat.Parse(raw)
	if err != nil || fmt.Sprint(compat.Compare(tools, again)) != "[]" {
		t.Errorf("what was written is read as something else: %v, %v", compat.Compare(tools, again), err)
	}
	for _, bad := range []string{`{`, `[]`, `{}`, `{"tools":[{"name":""}]}`, `{"tools":[{"name":"a"},{"name":"a"}]}`} {
		if _, err := compat.Parse([]byte(bad)); err == nil || !strings.Contains(err.Error(), "not a snapshot of tools") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
