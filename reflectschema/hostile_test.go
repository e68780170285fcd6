package reflectschema_test

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestHostile validates about a megabyte of hostile input with common schemas, and limits the cost: mainly in memory,
// which does not depend on the machine. The time limit catches endless work.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a few seconds")
	}
	const megabyte = 1 << 20
	fill := func(size int, item string) string {
		return "[" + strings.Repeat(item+",", size/(len(item)+1)) + item + "]"
	}
	list := func(item string) string { return fill(megabyte, item) }
	for _, tt := range []struct {
		name, schema, data string
		valid              bool
		reason             string
	}{
		{"wrong items", `{"type":"array","items":{"type":"string"}}`, list("1"), false, "half a million mistakes"},
		{"wrong members of items", `{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}}`, list(`{"b":1}`), false, "two mistakes each"},
		{"wrong items below a $ref", `{"$ref":"#/$defs/l","$defs":{"l":{"type":"array","items":{"$ref":"#/$defs/i"}},"i":{"allOf":[{"type":"string"},{"maxLength":0}]}}}`, list("1"), false, "references do not hide them"},
		{"wrong items or null", `{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}`, list("1"), false, "every nullable list"},
		{"wrong items under oneOf", `{"oneOf":[{"items":{"type":"string"}},{"items":{"type":"boolean"}}]}`, list("1"), false, "a tree of mistakes for each alternative"},
		{"wrong items under not", `{"not":{"items":{"type":"string"}}}`, list("1"), true, "mistakes that are not reported"},
		{"wrong items under if", `{"if":{"items":{"type":"string"}},"else":false}`, list("1"), false, "as under not"},
		{"wrong items under contains", `{"contains":{"type":"string"}}`, list("1"), false, "as under not"},
		{"unevaluated items", `{"unevaluatedItems":{"type":"string"}}`, list("1"), false, "as items"},
		{"wrong items under $dynamicRef", `{"$dynamicRef":"#l","$defs":{"l":{"$dynamicAnchor":"l","items":{"type":"string"}}}}`, list("1"), false, "as $ref, where there is one target"},
		{"repeated alternatives", doubling("anyOf", 30), `"s"`, false, "two references to the next, thirty times"},
		{"repeated allOf", doubling("allOf", 30), `1`, true, "the same without alternatives"},
		{"too long for its pattern", `{"type":"string","maxLength":80,"pattern":"^(([a-z])+.)+[A-Z]([a-z])+$"}`, `"` + strings.Repeat("a", megabyte) + `"`, false, "refused by its length"},
		{"too many for their format", `{"type":"array","maxItems":5,"items":{"type":"string","format":"regex"}}`, list(`"(a|b)"`), false, "refused by their number"},
		{"long regular expression", `{"format":"regex"}`, `"` + strings.Repeat("(a|b)*", megabyte/6) + `"`, false, "too long to be handwritten"},
		{"unknown members", `{"type":"object","properties":{"a":true},"additionalProperties":false}`, members(80_000), false, "each name is a mistake"},
		{"wrong names", `{"type":"object","propertyNames":{"maxLength":1}}`, members(80_000), false, "one error per name, in one piece"},
		{"right items", `{"type":"array","items":{"type":"integer","minimum":0}}`, fill(megabyte/4, "1"), true, "valid input is cheap"},
		{"large exponents", `{"type":"array","items":{"type":"number","minimum":0,"multipleOf":1}}`, fill(megabyte/4, "1e999"), true, "exact arithmetic on three-digit exponents"},
		{"colliding items", `{"type":"array","uniqueItems":true}`, collisions(16_384), true, "crafted to share one hash in the library"},
		{"unique numbers", `{"type":"array","uniqueItems":true}`, "[" + numbers(150_000) + "]", true, "unique by value"},
		{"unique large exponents", `{"type":"array","uniqueItems":true}`, exponents(90_000), true, "compared without writing them out"},
		{"deep and wide", `{"$ref":"#/$defs/n","$defs":{"n":{"type":["array","integer"],"items":{"$ref":"#/$defs/n"}}}}`, strings.Repeat("[", 500) + fill(megabyte/4, "1")[1:] + strings.Repeat("]", 499), true, "a hundred thousand paths of 500 steps"},
		{"deep and wrong", `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"},"v":{"type":"string"}}}}}`, strings.Repeat(`{"v":1,"n":`, 500) + "1" + strings.Repeat("}", 500), false, "errors carry their path"},
		{"alternatives", `{"type":"object","oneOf":[{"properties":{"op":{"const":"and"},"of":{"$ref":"#"}}},{"properties":{"op":{"const":"or"},"of":{"$ref":"#"}}}]}`, strings.Repeat(`{"op":"or","of":`, 60) + `{"op":"or"}` + strings.Repeat("}", 60), true, "2^60 combinations"},
		{"few alternatives", `{"type":"object","oneOf":[{"properties":{"op":{"const":"and"},"of":{"$ref":"#"}}},{"properties":{"op":{"const":"or"},"of":{"$ref":"#"}}}]}`, strings.Repeat(`{"op":"or","of":`, 12) + `{"op":"or"}` + strings.Repeat("}", 12), true, "a few thousand combinations"},
		{"overlapping patterns", `{"patternProperties":{"a":{"$ref":"#"},"^a":{"$ref":"#"}}}`, strings.Repeat(`{"a":`, 60) + `1` + strings.Repeat("}", 60), true, "two patterns for one name"},
		{"tree", `{"type":"object","properties":{"l":{"$ref":"#"},"r":{"$ref":"#"},"v":{"anyOf":[{"type":"null"},{"type":"string"}]}}}`, strings.Repeat(`{"v":"x","r":{},"l":`, 500) + `{}` + strings.Repeat("}", 500), true, "recursion without alternatives is not counted"},
		{"long string", `{"type":"string","maxLength":10}`, `"` + strings.Repeat("x", megabyte) + `"`, false, "shortened in the error"},
		{"long name", `{"type":"object","additionalProperties":false}`, `{"` + strings.Repeat("x", megabyte) + `":1}`, false, "shortened in the error"},
		{"long enum value", `{"enum":["a","b"]}`, `"` + strings.Repeat("x", megabyte) + `"`, false, "not compared letter by letter"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parse(t, tt.schema)
			if err := s.Check([]byte(`7`)); err != nil { // compile before the clock runs
				_ = err.Error()
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			err := s.Check([]byte(tt.data))
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if (err == nil) != tt.valid {
				t.Errorf("Check = %.200s; %s", text, tt.reason)
			}
			if len(text) > 2048 {
				t.Errorf("error text of %d bytes, want at most 2048", len(text))
			}
			allocated := int(after.TotalAlloc-before.TotalAlloc) / max(len(tt.data), 64<<10)
			t.Logf("%v, %d bytes allocated per byte of input", took, allocated)
			if took > time.Minute {
				t.Errorf("Check took %v: %s", took, tt.reason)
			}
			limit := 400
			if strings.Contains(tt.data, "1e999") {
				limit = 1500 // each number temporarily takes 3000 bits
			}
			if allocated > limit && !underRace {
				t.Errorf("allocated %d times the input: %s", allocated, tt.reason)
			}
		})
	}
}

// doubling returns a schema of n levels, each of which refers to the next one twice.
func doubling(keyword string, n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/a0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"a%d":{"%s":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, keyword, i+1, i+1)
	}
	fmt.Fprintf(&b, `"a%d":{"type":"integer"}}}`, n)
	return b.String()
}

func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"k%07d":1`, i)
	}
	return "{" + b.String()[1:] + "}"
}

// collisions returns different arrays of two strings that have the same bytes for a hash that marks the start of a
// string with \x04, but not its end.
func collisions(n int) string {
	bits := strings.Repeat("x", 14)
	var b strings.Builder
	for i := range n {
		// 14 times \x04: at each, a string starts or the text contains it
		b.WriteString(`,["`)
		for j := range len(bits) {
			b.WriteByte('x')
			if i>>j&1 == 1 {
				b.WriteString(`","`)
			} else {
				b.WriteString(`\u0004`)
			}
		}
		b.WriteString(`"]`)
	}
	return "[" + b.String()[1:] + "]"
}

func exponents(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("," + strconv.Itoa(10*i+1) + "e" + strconv.Itoa(900+i%100))
	}
	return "[" + b.String()[1:] + "]"
}

// TestUniqueItems compares uniqueItems with the equality of JSON Schema.
func TestUniqueItems(t *testing.T) {
	t.Parallel()
	s := parse(t, `{"uniqueItems":true}`)
	pad := `,"p1","p2","p3","p4","p5","p6","p7","p8","p9","p10","p11","p12","p13","p14","p15","p16","p17","p18","p19","p20"`
	for _, tt := range []struct {
		items  string
		equal  bool
		reason string
	}{
		{`1,2`, false, "different"},
		{`1,1.0`, true, "numbers by value"},
		{`100,1e2`, true, "numbers by value"},
		{`0,-0.0`, true, "no minus nothing"},
		{`0.1,1e-1`, true, "numbers by value"},
		{`-1,1`, false, "sign"},
		{`10,1`, false, "zeros at the end count"},
		{`0.01,0.1`, false, "and those after the point"},
		{`9007199254740993,9007199254740992`, false, "exact"},
		{`1e999,10e998`, true, "large ones, too"},
		{`1,"1"`, false, "types differ"},
		{`0,false`, false, "types differ"},
		{`1,true`, false, "types differ"},
		{`null,""`, false, "types differ"},
		{`"null",null`, false, "types differ"},
		{`"a","\u0061"`, true, "escapes do not matter"},
		{`{"a":1,"b":2},{"b":2.0,"a":1}`, true, "order does not matter"},
		{`{"a":1},{"a":1,"b":null}`, false, "a member more"},
		{`["a","b"],["a\",\"b"]`, false, "strings end where they end"},
		{`[[1],2],[1,[2]]`, false, "arrays, too"},
		{`[],{}`, false, "empty differs"},
		{`{"a":[]},{"a":{}}`, false, "inside, too"},
		{`1`, false, "one alone"},
	} {
		for _, data := range []string{"[" + tt.items + "]", "[" + tt.items + pad + "]"} {
			if got := s.Check([]byte(data)) != nil; got != tt.equal {
				t.Errorf("%s: equal = %t: %s", data, got, tt.reason)
			}
		}
	}
}

// TestLargeAgrees checks that a large value, which is validated in parts, gets the same result and first errors as a
// small one.
func TestLargeAgrees(t *testing.T) {
	t.Parallel()
	const padding = 3000 // array items, valid under every schema below
	for _, tt := range []struct{ item, data string }{
		{`{"type":"integer","maximum":5}`, `6`},
		{`{"type":["integer","array"],"items":{"type":"string"}}`, `["a",1]`},
		{`{"type":["integer","object"],"properties":{"a":{"type":"null"}},"patternProperties":{"^x":{"type":"string"}},"additionalProperties":{"type":"boolean"}}`, `{"a":1,"x1":2,"b":3}`},
		{`{"type":["integer","object"],"properties":{"a":{}},"additionalProperties":false,"required":["a"],"maxProperties":1}`, `{"b":1,"c":2}`},
		{`{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":{"type":"null"},"contains":{"const":9},"uniqueItems":true}`, `[1,"x",null,2,2]`},
		{`{"allOf":[{"$ref":"#/$defs/a"},{"minimum":3}],"$defs":{"x":1}}`, `-1`},
		{`{"anyOf":[{"type":"integer"},{"type":"array","minItems":2}]}`, `[1]`},
		{`{"unevaluatedProperties":false,"properties":{"a":true},"allOf":[{"properties":{"b":true}}]}`, `{"a":1,"b":1,"c":1}`},
		{`{"propertyNames":{"maxLength":1},"dependentRequired":{"aa":["z"]}}`, `{"aa":1}`},
		{`{"$dynamicRef":"#d"}`, `"x"`},
		{`false`, `1`},
	} {
		schema := `{"type":"array","items":` + strings.Replace(tt.item, `,"$defs":{"x":1}`, "", 1) +
			`,"$defs":{"a":{"type":"integer","minimum":0},"d":{"$dynamicAnchor":"d","type":"integer"}}}`
		s := parse(t, schema)
		pad := strings.Repeat(",4", padding)
		if tt.item == `false` {
			pad = "" // nothing is valid: pad inside the item
			tt.data = "[" + tt.data + strings.Repeat(",4", padding) + "]"
		}
		if tt.item != `false` {
			if err := s.Check([]byte("[4" + pad + "]")); err != nil {
				t.Errorf("%s: the padding does not fit: %v", tt.item, err)
			}
		}
		small, large := s.Check([]byte("["+tt.data+"]")), s.Check([]byte("["+tt.data+pad+"]"))
		if small == nil || large == nil || small.Error() != large.Error() {
			t.Errorf("%s:\nsmall %v\nlarge %v", tt.item, small, large)
		}
	}
}

// TestLargeDraft7 is TestLargeAgrees for keywords that only draft-07 has.
func TestLargeDraft7(t *testing.T) {
	t.Parallel()
	s := parse(t, `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{
		"list":{"items":{"type":"integer"}},"tuple":{"items":[{"type":"integer"}],"additionalItems":{"type":"integer"}},"closed":{"items":[{},{}],"additionalItems":false},
		"ref":{"$ref":"#/definitions/s","minItems":2,"propertyNames":false,"contains":false}},"definitions":{"s":{"type":["array","object"],"items":{"type":"string"}}}}`)
	ones := "[1" + strings.Repeat(",1", 3000) + `,"x"]`
	err := s.Check([]byte(`{"list":` + ones + `,"tuple":` + ones + `,"closed":[1,2,3],"ref":["long"]}`))
	want := "closed: has too many items: 1 more than allowed\nlist[3001]: must be an integer, got the string \"x\"\ntuple[3001]: must be an integer, got the string \"x\""
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("Check:\n got %v\nwant %s", err, want)
	}
}

func TestCountingStops(t *testing.T) {
	t.Parallel()
	s := parse(t, `{"items":{"type":"string"}}`)
	text := s.Check([]byte("[" + strings.Repeat("1,", 5000) + "1]")).Error()
	if want := "\nand at least 990 more\n"; !strings.Contains(text, want) {
		t.Errorf("text %q lacks %q", text, want)
	}
	if text := s.Check([]byte("[" + strings.Repeat("1,", 500) + "1]")).Error(); !strings.Contains(text, "\nand 491 more\n") {
		t.Errorf("text %q: want all violations of a small value counted", text)
	}
}
