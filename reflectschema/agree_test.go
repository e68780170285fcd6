package reflectschema_test

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestAgreesWithItself holds that no type disagrees with its own schema, which is
// where the rules begin.
func TestAgreesWithItself(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, tt := range append(typeCases, typeCase{"all kinds", "every kind of field", []any{allKinds{}}}) {
		for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
			typ, err := reflectschema.Compile(reflect.TypeOf(tt.values[0]), reflectschema.Options{Direction: d})
			if err != nil {
				continue
			}
			tried++
			if err := typ.Agrees(parse(t, string(typ.Schema().JSON()))); err != nil {
				t.Errorf("%s: direction %d: %v", tt.name, d, err)
			}
			draft7 := `{"$schema":"http://json-schema.org/draft-07/schema#",` + strings.TrimPrefix(string(typ.Schema().JSON()), "{")
			draft7 = strings.Replace(draft7, ",}", "}", 1)
			if err := typ.Agrees(parse(t, draft7)); err != nil {
				t.Errorf("%s: direction %d: in draft-07: %v", tt.name, d, err)
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d schemas were tried", tried)
	}
}

type (
	agreeIn struct {
		City  string         `json:"city" jsonschema:"minLength=1"`
		Unit  string         `json:"unit,omitempty" jsonschema:"enum=c,enum=f,default=c"`
		Days  *int           `json:"days" jsonschema:"minimum=1,exclusiveMaximum=15"`
		Small uint8          `json:"small,omitempty"`
		Ratio float64        `json:"ratio,omitempty" jsonschema:"multipleOf=0.5"`
		When  time.Time      `json:"when,omitzero"`
		Tags  []string       `json:"tags,omitempty" jsonschema:"maxItems=3,uniqueItems"`
		Pair  [2]int         `json:"pair,omitempty"`
		ByKey map[int]string `json:"byKey,omitempty"`
		Level Level          `json:"level,omitempty"`
		Kind  Weekday        `json:"kind,omitempty"`
		Any   any            `json:"any,omitempty"`
		Null  *string        `json:"null,omitempty" jsonschema:"nullable"`
		Tree  *tree          `json:"tree,omitempty"`
		To    Target         `json:"to,omitempty"`
		Open  opened         `json:"open,omitzero"`
	}
	agreeOut struct {
		Sum   int            `json:"sum"`
		Note  string         `json:"note,omitempty"`
		Ptr   *float64       `json:"ptr"`
		State string         `json:"state" jsonschema:"enum=on,enum=off"`
		List  []int          `json:"list"`
		ByKey map[string]int `json:"byKey"`
		Any   any            `json:"any"`
		To    Target         `json:"to,omitempty"`
	}
)

// TestAgreesInput tries schemas of the arguments. What is refused, and some of what is not compared, comes with a value
// that the schema lets through, and the type does not.
func TestAgreesInput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason string
		properties   string // beside city
		want         string // "" if they agree
		witness      string // beside city, for what disagrees
	}{
		{"less", "members of the type may be left out", ``, ``, ``},
		{"narrower", "a schema may ask for more", `"days":{"type":"integer","minimum":3,"maximum":7},"tags":{"type":"array","items":{"type":"string","minLength":1},"maxItems":1}`, ``, ``},
		{"other type", "nothing fits both", `"days":{"type":"string"}`, `days: the type is string in the schema, but the Go type reads integer; write "type":"integer"`, `"days":"x"`},
		{"wider type", "one of two is refused", `"days":{"type":["integer","string"],"minimum":1,"maximum":2}`, `days: the schema allows string, but the Go type reads integer; write "type":"integer"`, `"days":"x"`},
		{"number for integer", "1.5 is refused", `"days":{"type":"number","minimum":1,"maximum":14}`, `days: the schema allows a fraction, but the Go type reads integer; write "type":"integer"`, `"days":1.5`},
		{"no type", "everything is let through", `"days":{"description":"How many"}`, `days: the schema allows any value, but the Go type reads integer; write "type":"integer"`, `"days":[]`},
		{"true", "a schema, too", `"days":true`, `days: the schema allows any value, but the Go type reads integer; write "type":"integer"`, `"days":[]`},
		{"false", "it is never there", `"days":false`, ``, ``},
		{"null", "refused unless the tag says nullable", `"days":{"type":["integer","null"],"minimum":1,"maximum":2}`, `days: the schema allows null, but the Go type rejects it; drop it, or write jsonschema:"nullable" on a pointer, slice or map`, `"days":null`},
		{"null where it is legal", "the tag says nullable", `"null":{"type":["string","null"]}`, ``, ``},
		{"alternatives for null", "another way to write it", `"null":{"anyOf":[{"type":"string"},{"type":"null"}]}`, ``, ``},
		{"member that the type lacks", "it would be refused", `"verbose":{"type":"boolean"}`, `verbose: the schema has it, but the Go type has no such field; drop the property, or add the field`, `"verbose":true`},
		{"false for a member that the type lacks", "it is never there", `"verbose":false`, ``, ``},
		{"misspelt member", "the near one is told", `"day":{"type":"integer"}`, `day: the schema has it, but the Go type has no such field; write "days", or add the field`, `"day":1`},
		{"bounds said otherwise", "above 0 is from 1 on among integers", `"days":{"type":"integer","exclusiveMinimum":0,"maximum":14}`, ``, ``},
		{"unit of a number", "2 is a multiple of 0.5", `"ratio":{"type":"number","multipleOf":2}`, ``, ``},
		{"listed values", "a part of them", `"unit":{"enum":["c"]}`, ``, ``},
		{"pattern for values", "patterns and lists of values are not compared", `"unit":{"type":"string","pattern":"^c$"}`, ``, ``},
		{"other default", "what is filled in is what the tag says", `"unit":{"enum":["c","f"],"default":"f"}`, `unit: the default is "f" in the schema, but "c" in the Go type; write the same one`, ``},
		{"same default", "said twice", `"unit":{"enum":["c","f"],"default":"c"}`, ``, ``},
		{"pattern for a format", "taken for as strict", `"when":{"type":"string","pattern":"^2026-.*Z$"}`, ``, ``},
		{"elements", "compared like members", `"tags":{"type":"array","maxItems":3,"uniqueItems":true,"items":{"type":"integer"}}`, `tags[]: the type is integer in the schema, but the Go type reads string; write "type":"string"`, `"tags":[1]`},
		{"elements of no type", "what is not described is not compared", `"tags":{"type":"array","maxItems":3,"uniqueItems":true}`, ``, `"tags":[1]`},
		{"tuple", "as long as the array", `"pair":{"type":"array","prefixItems":[{"type":"integer"},{"type":"integer"}],"items":false,"minItems":2}`, ``, ``},
		{"tuple of other types", "prefixItems are not compared", `"pair":{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"maxItems":2,"minItems":2}`, ``, `"pair":[1,"a"]`},
		{"listed arrays and objects", "what they contain is not compared", `"pair":{"enum":[[1,2],[3,4]]},"tree":{"const":{"name":"a"}}`, ``, ``},
		{"listed null", "its type is compared", `"pair":{"enum":[[1,2],null]}`, `pair: the schema allows null, but the Go type rejects it; drop it, or write jsonschema:"nullable" on a pointer, slice or map`, `"pair":null`},
		{"map", "keys and values", `"byKey":{"type":"object","additionalProperties":{"type":"string"},"propertyNames":{"pattern":"^[0-9]$"}}`, ``, ``},
		{"map with names", "named members are members", `"byKey":{"type":"object","properties":{"1":{"type":"string"}},"additionalProperties":false}`, ``, ``},
		{"any", "the type takes everything", `"any":{"type":"object","properties":{"x":{"type":"integer"}}}`, ``, ``},
		{"open struct", "its other members are dropped", `"open":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"]}`, ``, ``},
		{"open struct, known member undescribed", "what is not described is not compared", `"open":{"type":"object","required":["a"]}`, ``, `"open":{"a":"x"}`},
		{"required in a nested struct", "each level is compared", `"tree":{"type":"object","properties":{"name":{"type":"string"}},"additionalProperties":false}`, `tree.name: the Go type requires it, but the schema does not; add it to "required", or make the field a pointer`, `"tree":{}`},
		{"nested struct left open", "members could be added", `"tree":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`, `tree: the schema allows additional members, but the Go type rejects them; write "additionalProperties":false, or _ struct{} with jsonschema:"additionalProperties=true" in the type`, `"tree":{"name":"a","x":1}`},
		{"recursive", "the comparison ends", `"tree":{"$ref":"#/$defs/t"}`, ``, ``},
		{"recursive and wrong", "found at any level", `"tree":{"$ref":"#/$defs/wrong"}`, `tree.kids[].name: the type is integer in the schema, but the Go type reads string; write "type":"string"`, `"tree":{"name":"a","kids":[{"name":1}]}`},
		{"parts", "they are not compared", `"days":{"allOf":[{"type":"integer"},{"$ref":"#/$defs/positive"},{"maximum":14}]}`, ``, ``},
		{"alternatives", "they are not compared", `"days":{"anyOf":[{"type":"integer","minimum":1,"maximum":7},{"const":14}]}`, ``, ``},
		{"wrong alternative", "alternatives are not compared", `"days":{"oneOf":[{"type":"integer","minimum":1,"maximum":7},{"const":"all"}]}`, ``, `"days":"all"`},
		{"impossible alternative", "it is not compared", `"days":{"anyOf":[{"type":"integer","minimum":1,"maximum":7},false]}`, ``, ``},
		{"union", "it is an alternative", `"to":{"type":"object","properties":{"kind":{"const":"disk"},"path":{"type":"string"}},"required":["kind","path"],"additionalProperties":false}`, ``, ``},
		{"reference by anchor", "it is not followed", `"days":{"$ref":"#days"}`, ``, ``},
	} {
		schema := `{"type":"object","properties":{"city":{"type":"string","minLength":1}` + strings.TrimSuffix(","+tt.properties, ",") + `},"required":["city"],"additionalProperties":false,"$defs":{
			"positive":{"exclusiveMinimum":0},"named":{"$anchor":"days","type":"integer","minimum":1,"maximum":14},
			"t":{"type":"object","properties":{"name":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/t"}}},"required":["name"],"additionalProperties":false},
			"wrong":{"type":"object","properties":{"name":{"type":"string"},"kids":{"type":"array","items":{"type":"object","properties":{"name":{"type":"integer"}},"required":["name"],"additionalProperties":false}}},"required":["name"],"additionalProperties":false}}}`
		disagrees(t, compile[agreeIn](t, reflectschema.DirectionInput), tt.name, tt.reason, schema, tt.want)
		if tt.want == "" {
			_, example, ok := strings.Cut(parse(t, schema).Check([]byte(`{}`)).Error(), "Example: ")
			if _, err := decode[agreeIn](t, example); !ok || err != nil {
				t.Errorf("%s: the type does not read what the schema asks for, %s: %v", tt.name, example, err)
			}
		}
		if tt.witness == "" {
			continue
		}
		data := []byte(`{"city":"a",` + tt.witness + `}`)
		if err := parse(t, schema).Check(data); err != nil {
			t.Errorf("%s: the schema refuses %s: %v", tt.name, data, err)
		}
		if v, err := decode[agreeIn](t, string(data)); err == nil {
			t.Errorf("%s: the type reads %s as %+v", tt.name, data, v)
		}
	}
}

// TestAgreesNames: differences in other keywords than those for names, types and required members do not prevent that a
// schema is published. A value that fits only one of the schemas is an error when it is decoded.
func TestAgreesNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, reason, properties, data string }{
		{"no lower bound", "the tag has one", `"days":{"type":"integer","maximum":14}`, `"days":0`},
		{"one too many", "15 is excluded", `"days":{"type":"integer","minimum":1,"maximum":15}`, `"days":15`},
		{"small integer", "the range is the type's", `"small":{"type":"integer","minimum":0}`, `"small":256`},
		{"no unit", "0.3 is refused", `"ratio":{"type":"number"}`, `"ratio":0.3`},
		{"listed value the tag lacks", "the tag lists c and f", `"unit":{"enum":["c","k"]}`, `"unit":"k"`},
		{"const", "a list of one", `"unit":{"const":"K"}`, `"unit":"K"`},
		{"value that is no text of the type", "its UnmarshalText decides", `"level":{"enum":["low","middle"]}`, `"level":"middle"`},
		{"value of a hook", "the hook is the type's word", `"kind":{"enum":["Monday","Sunday"]}`, `"kind":"Sunday"`},
		{"values not listed", "the tag lists them", `"unit":{"type":"string"}`, `"unit":"k"`},
		{"no format", "a date alone is no time.Time", `"when":{"type":"string"}`, `"when":"today"`},
		{"another format", "a date alone is no time.Time", `"when":{"type":"string","format":"date"}`, `"when":"2026-11-20"`},
		{"more elements", "the tag allows three", `"tags":{"type":"array","items":{"type":"string"},"maxItems":4}`, `"tags":["a","b","c","d"]`},
		{"map with any names", "a is no int", `"byKey":{"type":"object","additionalProperties":{"type":"string"}}`, `"byKey":{"a":"x"}`},
		{"map with a wrong name", "the key is none", `"byKey":{"type":"object","properties":{"one":{"type":"string"}},"additionalProperties":false}`, `"byKey":{"one":"x"}`},
		{"map of other values", "the elements are compared", `"byKey":{"type":"object","patternProperties":{"^[0-9]$":{"type":"integer"}},"additionalProperties":false}`, `"byKey":{"1":1}`},
		{"unknown member of a union", "the names are the type's", `"to":{"type":"object","properties":{"kind":{"const":"tape"},"path":{"type":"string"}},"required":["kind","path"],"additionalProperties":false}`, `"to":{"kind":"tape","path":"a"}`},
	} {
		schema := parse(t, `{"type":"object","properties":{"city":{"type":"string","minLength":1},`+tt.properties+`},"required":["city"],"additionalProperties":false}`)
		data := []byte(`{"city":"a",` + tt.data + `}`)
		if err := schema.Check(data); err != nil {
			t.Errorf("%s: the schema refuses %s: %v", tt.name, data, err)
		}
		typ, err := compile[agreeIn](t, reflectschema.DirectionInput).WithSchema(schema)
		if err != nil {
			t.Errorf("%s: %s: %v", tt.name, tt.reason, err)
			continue
		}
		var invalid *reflectschema.InvalidError
		if err := typ.Decode(data, reflect.New(reflect.TypeFor[agreeIn]()).Elem()); !errors.As(err, &invalid) {
			t.Errorf("%s: %s is decoded: %v", tt.name, data, err)
		}
	}
}

// TestAgreesRoots tries whole schemas: what is said of the root, in both dialects.
func TestAgreesRoots(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, reason, schema, want string }{
		{"nothing is required", "every call without it would be refused", `{"type":"object","properties":{"city":{"type":"string","minLength":1}},"additionalProperties":false}`, `city: the Go type requires it, but the schema does not; add it to "required", or make the field a pointer`},
		{"nothing is described", "there is no way to call it", `{"type":"object","additionalProperties":false}`, `city: the Go type requires it, but the schema does not; describe it and add it to "required", or make the field a pointer`},
		{"open", "unknown members would be refused", `{"type":"object","properties":{"city":{"type":"string","minLength":1}},"required":["city"]}`, `the schema allows additional members, but the Go type rejects them; write "additionalProperties":false, or _ struct{} with jsonschema:"additionalProperties=true" in the type`},
		{"closed otherwise", "2020-12 has another word", `{"type":"object","properties":{"city":{"type":"string","minLength":1}},"required":["city"],"unevaluatedProperties":false}`, ``},
		{"draft-07", "closed tuples have other words there", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"city":{"type":"string","minLength":1},"pair":{"type":"array","items":[{"type":"integer"},{"type":"integer"}],"additionalItems":false,"minItems":2},"days":{"$ref":"#/definitions/d","type":"string"}},"required":["city"],"additionalProperties":false,"definitions":{"d":{"type":"integer","minimum":1,"maximum":2}}}`, ``},
		{"draft-07, rest of a tuple", "tuples are not compared", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"city":{"type":"string","minLength":1},"tags":{"type":"array","items":[{"type":"string"}],"additionalItems":{"type":"integer"},"maxItems":3,"uniqueItems":true}},"required":["city"],"additionalProperties":false}`, ``},
		{"all at once", "every mistake is told", `{"type":"object","properties":{"days":{"type":"string"},"verbose":{}},"required":["days"]}`, "days: the type is string in the schema, but the Go type reads integer; write \"type\":\"integer\"\nverbose: the schema has it, but the Go type has no such field; drop the property, or add the field\ncity: the Go type requires it, but the schema does not; describe it and add it to \"required\", or make the field a pointer\nthe schema allows additional members, but the Go type rejects them; write \"additionalProperties\":false, or _ struct{} with jsonschema:\"additionalProperties=true\" in the type"},
		{"many alternatives", "they are not compared", `{"type":"object","allOf":[` + strings.Repeat(`{"anyOf":[{},{"minProperties":1}]},`, 12) + `{}]}`, ``},
	} {
		disagrees(t, compile[agreeIn](t, reflectschema.DirectionInput), tt.name, tt.reason, tt.schema, tt.want)
	}
}

// TestAgreesBounded: a schema whose alternatives or parts multiply with each level is not compared.
func TestAgreesBounded(t *testing.T) {
	t.Parallel()
	const levels = 60
	for _, form := range []string{`"anyOf":[%s,%[1]s,%[1]s,%[1]s]`, `"allOf":[%s,%[1]s]`, `"allOf":[%s,%[1]s],"not":{}`, `"properties":{"parent":{"anyOf":[%s,%[1]s,%[1]s,%[1]s]}}`} {
		var defs strings.Builder
		for i := range levels {
			fmt.Fprintf(&defs, `"n%d":{%s},`, i, fmt.Sprintf(form, fmt.Sprintf(`{"$ref":"#/$defs/n%d"}`, i+1)))
		}
		for _, last := range []string{`{"type":"string"}`, `{"not":{}}`, `{"$ref":"#/$defs/n0"}`} {
			schema := `{"type":"object","properties":{"parent":{"$ref":"#/$defs/n0"},"name":{"type":"string"}},"required":["name"],"additionalProperties":false,"$defs":{` +
				defs.String() + `"n60":` + last + `}}`
			s, err := reflectschema.ParseSchema([]byte(schema))
			if err != nil {
				continue // a schema that refers to itself without a value between
			}
			start := time.Now()
			_ = compile[tree](t, reflectschema.DirectionInput).Agrees(s)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%s, %s: the comparison takes %v", form, last, took)
			}
		}
	}
}

// TestAgreesOutput tries schemas of results.
func TestAgreesOutput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, reason, properties, more, want string }{
		{"nothing", "nothing is promised", ``, ``, ``},
		{"narrower", "results are held against it", `"sum":{"type":"integer","minimum":0},"ptr":{"type":"integer"},"state":{"enum":["on"]}`, `,"required":["sum","list"]`, ``},
		{"wider", "what is written fits", `"sum":{"type":["number","string"]},"ptr":{"type":["number","null"]}`, ``, ``},
		{"other type", "no result would fit", `"sum":{"type":"string"}`, ``, `sum: the type is string in the schema, but the Go type writes integer; write "type":"integer"`},
		{"null alone", "a pointer is more than nil", `"ptr":{"type":"null"}`, ``, `ptr: the type is null in the schema, but the Go type writes number; write "type":"number"`},
		{"other values", "listed values are not compared", `"state":{"enum":["on","broken"]}`, ``, ``},
		{"member that the type lacks", "it never comes", `"total":{"type":"integer"}`, ``, `total: the schema has it, but the Go type never writes it; drop the property, or add the field`},
		{"required member that the type lacks", "no result would fit", ``, `,"required":["summ"]`, `summ: the schema has it, but the Go type never writes it; write "sum", or add the field`},
		{"required and left out when empty", "some results would not fit", `"note":{"type":"string"}`, `,"required":["note"]`, `note: the schema requires it, but the Go type may omit it; drop it from "required", or drop omitempty or omitzero from the field`},
		{"closed", "the others are written, too", `"sum":{"type":"integer"},"note":{"type":"string"},"ptr":{},"state":{},"list":{},"byKey":{},"to":{}`, `,"additionalProperties":false`, `any: the Go type writes it, but the schema does not allow it; describe it, or leave the field out with json:"-"`},
		{"rest of another type", "the others fall under it", `"sum":{"type":"integer"},"list":{},"byKey":{},"any":{},"to":{},"ptr":{}`, `,"additionalProperties":{"type":"string"}`, ``},
		{"refused member", "it is written nevertheless", `"sum":false`, ``, `sum: the Go type writes it, but the schema does not allow it; describe it, or leave the field out with json:"-"`},
		{"elements", "compared like members", `"list":{"items":{"type":"string"}},"byKey":{"additionalProperties":{"type":"boolean"}}`, ``, "list[]: the type is string in the schema, but the Go type writes integer; write \"type\":\"integer\"\nbyKey{}: the type is boolean in the schema, but the Go type writes integer; write \"type\":\"integer\""},
		{"any", "whatever it holds is held against it", `"any":{"type":"string"}`, ``, ``},
		{"named members of a map", "a map may have them", `"byKey":{"properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}`, ``, ``},
		{"union", "alternatives are not compared", `"to":{"anyOf":[{"properties":{"kind":{"const":"disk"},"path":{}},"required":["kind"]},{"properties":{"kind":{"const":"bucket"},"name":{}},"required":["kind"]}]}`, ``, ``},
		{"union without a member", "listed values are not compared", `"to":{"properties":{"kind":{"const":"disk"},"path":{}},"required":["kind"]}`, ``, ``},
		{"alternatives", "they are not compared", `"sum":{"oneOf":[{"type":"string"},{"type":"integer"}]}`, ``, ``},
	} {
		schema := `{"type":"object","properties":{` + tt.properties + `}` + tt.more + `}`
		disagrees(t, compile[agreeOut](t, reflectschema.DirectionOutput), tt.name, tt.reason, schema, tt.want)
	}
}

// FuzzAgrees tries schemas and values: if a schema agrees, the type does not refuse a value that fits the schema because of
// its type, an unknown member or a missing one. Alternatives, keywords that are not followed, and parts that need not be
// described are excepted.
func FuzzAgrees(f *testing.F) {
	const city = `{"type":"object","properties":{"city":{"type":"string","minLength":1}%s},"required":["city"],"additionalProperties":false}`
	for _, seed := range [][2]string{
		{``, `{"city":"a"}`},
		{`,"days":{"anyOf":[{"type":"integer","minimum":1,"maximum":7},{"const":14}]}`, `{"city":"a","days":14}`},
		{`,"tags":{"items":{"enum":["a","b"]},"type":"array","maxItems":1}`, `{"city":"a","tags":["b"]}`},
		{`,"pair":{"type":"array","prefixItems":[{"type":"integer"},{"type":"integer"}],"items":false,"minItems":2}`, `{"city":"a","pair":[1,2.0]}`},
		{`,"byKey":{"type":"object","patternProperties":{"^[0-9]$":{"type":"string"}},"additionalProperties":false}`, `{"city":"a","byKey":{"1":"x"}}`},
		{`,"tree":{"$ref":"#"},"null":{"type":["string","null"]}`, `{"city":"a","null":null}`},
		{`,"open":{"type":"object","properties":{"a":{"allOf":[{"type":"integer"},{"minimum":3}]}},"required":["a"]}`, `{"city":"a","open":{"a":3,"b":1}}`},
		{`,"to":{"oneOf":[{"type":"object","properties":{"kind":{"const":"disk"},"path":{"type":"string"}},"required":["kind","path"],"additionalProperties":false}]}`, `{"city":"a","to":{"kind":"disk","path":""}}`},
	} {
		f.Add(fmt.Appendf(nil, city, seed[0]), []byte(seed[1]))
	}
	typ, err := reflectschema.Compile(reflect.TypeFor[agreeIn](), reflectschema.Options{})
	if err != nil {
		f.Fatal(err)
	}
	compared := map[string]bool{"type": true, "required": true, "additionalProperties": true}
	ignored := regexp.MustCompile(`Of"|"(\$|not|if|pattern|prefix|unevaluated|additionalItems|depend|enum|const)|\\\\`)
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, raw, data []byte) {
		defer watch()()
		s, err := reflectschema.ParseSchema(raw)
		if err != nil || typ.Agrees(s) != nil || ignored.Match(raw) || s.Check(data) != nil {
			return
		}
		var v agreeIn
		var invalid *reflectschema.InvalidError
		if err := typ.Decode(data, reflect.ValueOf(&v).Elem()); err == nil {
			return
		} else if !errors.As(err, &invalid) {
			t.Fatalf("%s: %v", data, err)
		}
		for _, v := range invalid.Violations {
			if compared[v.Keyword] && !strings.ContainsAny(v.Path, ".[") {
				t.Errorf("%s agrees, and lets %s through: %s: %v", raw, data, v.Keyword, invalid)
			}
		}
	})
}

// disagrees holds the disagreements between a type and a schema against lines of path,
// reason and fix.
func disagrees(t *testing.T, typ *reflectschema.Type, name, reason, schema, want string) {
	t.Helper()
	err := typ.Agrees(parse(t, schema))
	var found reflectschema.TypeErrors
	if err != nil && !errors.As(err, &found) {
		t.Fatalf("%s: error is %T", name, err)
	}
	var lines []string
	for _, e := range found {
		line := e.Reason + "; " + e.Fix
		if e.Path != "" {
			line = e.Path + ": " + line
		}
		lines = append(lines, line)
		if e.Type == "" || e.Fix == "" {
			t.Errorf("%s: %+v is not complete", name, *e)
		}
	}
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("%s: %s:\n got %s\nwant %s", name, reason, got, want)
	}
}

// TestAgreesTellsTheField holds that a disagreement names the Go field.
func TestAgreesTellsTheField(t *testing.T) {
	t.Parallel()
	type inner struct {
		N int `json:"n"`
	}
	type outer struct {
		inner
		List []inner `json:"list"`
	}
	err := compile[outer](t, reflectschema.DirectionOutput).Agrees(parse(t, `{"properties":{"n":{"type":"string"},"list":{"items":{"properties":{"n":{"type":"null"}}}}}}`))
	var found reflectschema.TypeErrors
	if !errors.As(err, &found) || len(found) != 2 || !strings.HasSuffix(found[0].Type, ".outer") || found[0].Field != "inner.N" ||
		!strings.HasSuffix(found[1].Type, ".inner") || found[1].Field != "N" || found[1].Path != "list[].n" {
		t.Errorf("errors are %+v", err)
	}
}
