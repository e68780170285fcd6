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

// TestAgreesWithItself checks that every type agrees with its own schema.
func TestAgreesWithItself(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, tt := range append(typeCases, typeCase{"all kinds", "every kind of field", []any{allKinds{}}}) {
		for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
			typ, err := reflectschema.Compile(reflect.TypeOf(tt.values[0]), d)
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
		t.Errorf("only %d schemas tested", tried)
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

// TestAgreesInput tests schemas of arguments. Each disagreement, and some differences that are not compared, have a
// witness: a value that fits the schema and that the type refuses.
func TestAgreesInput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason string
		properties   string // in addition to city
		want         string // "" for agreement
		witness      string // in addition to city; accepted only by the schema
	}{
		{"less", "the schema may omit members of the type", ``, ``, ``},
		{"narrower", "a schema may be stricter", `"days":{"type":"integer","minimum":3,"maximum":7},"tags":{"type":"array","items":{"type":"string","minLength":1},"maxItems":1}`, ``, ``},
		{"other type", "no value fits both", `"days":{"type":"string"}`, `days: the type is string in the schema, but the Go type reads integer; write "type":"integer"`, `"days":"x"`},
		{"wider type", "the type refuses one of them", `"days":{"type":["integer","string"],"minimum":1,"maximum":2}`, `days: the schema allows string, but the Go type reads integer; write "type":"integer"`, `"days":"x"`},
		{"number for integer", "1.5 is refused", `"days":{"type":"number","minimum":1,"maximum":14}`, `days: the schema allows a fraction, but the Go type reads integer; write "type":"integer"`, `"days":1.5`},
		{"no type", "the schema accepts everything", `"days":{"description":"How many"}`, `days: the schema allows any value, but the Go type reads integer; write "type":"integer"`, `"days":[]`},
		{"true", "a boolean schema", `"days":true`, `days: the schema allows any value, but the Go type reads integer; write "type":"integer"`, `"days":[]`},
		{"false", "the member is never present", `"days":false`, ``, ``},
		{"null", "refused without nullable in the tag", `"days":{"type":["integer","null"],"minimum":1,"maximum":2}`, `days: the schema allows null, but the Go type rejects it; drop it, or write jsonschema:"nullable" on a pointer, slice or map`, `"days":null`},
		{"null where it is legal", "nullable in the tag", `"null":{"type":["string","null"]}`, ``, ``},
		{"alternatives for null", "equivalent form", `"null":{"anyOf":[{"type":"string"},{"type":"null"}]}`, ``, ``},
		{"member that the type lacks", "the type would refuse it", `"verbose":{"type":"boolean"}`, `verbose: the schema has it, but the Go type has no such field; drop the property, or add the field`, `"verbose":true`},
		{"false for a member that the type lacks", "the member is never present", `"verbose":false`, ``, ``},
		{"misspelt member", "a similar name is suggested", `"day":{"type":"integer"}`, `day: the schema has it, but the Go type has no such field; write "days", or add the field`, `"day":1`},
		{"equivalent bounds", "exclusiveMinimum 0 is minimum 1 for integers", `"days":{"type":"integer","exclusiveMinimum":0,"maximum":14}`, ``, ``},
		{"multiple of a number", "2 is a multiple of 0.5", `"ratio":{"type":"number","multipleOf":2}`, ``, ``},
		{"listed values", "a subset", `"unit":{"enum":["c"]}`, ``, ``},
		{"pattern for values", "patterns and lists of values are not compared", `"unit":{"type":"string","pattern":"^c$"}`, ``, ``},
		{"other default", "the default of the tag is filled in", `"unit":{"enum":["c","f"],"default":"f"}`, `unit: the default is "f" in the schema, but "c" in the Go type; write the same one`, ``},
		{"same default", "the same in both", `"unit":{"enum":["c","f"],"default":"c"}`, ``, ``},
		{"pattern for a format", "assumed to be as strict", `"when":{"type":"string","pattern":"^2026-.*Z$"}`, ``, ``},
		{"elements", "compared like members", `"tags":{"type":"array","maxItems":3,"uniqueItems":true,"items":{"type":"integer"}}`, `tags[]: the type is integer in the schema, but the Go type reads string; write "type":"string"`, `"tags":[1]`},
		{"elements of no type", "undescribed parts are not compared", `"tags":{"type":"array","maxItems":3,"uniqueItems":true}`, ``, `"tags":[1]`},
		{"tuple", "of the length of the array", `"pair":{"type":"array","prefixItems":[{"type":"integer"},{"type":"integer"}],"items":false,"minItems":2}`, ``, ``},
		{"tuple of other types", "prefixItems are not compared", `"pair":{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"maxItems":2,"minItems":2}`, ``, `"pair":[1,"a"]`},
		{"listed arrays and objects", "their content is not compared", `"pair":{"enum":[[1,2],[3,4]]},"tree":{"const":{"name":"a"}}`, ``, ``},
		{"listed null", "its type is compared", `"pair":{"enum":[[1,2],null]}`, `pair: the schema allows null, but the Go type rejects it; drop it, or write jsonschema:"nullable" on a pointer, slice or map`, `"pair":null`},
		{"map", "keys and values", `"byKey":{"type":"object","additionalProperties":{"type":"string"},"propertyNames":{"pattern":"^[0-9]$"}}`, ``, ``},
		{"map with names", "named members are compared", `"byKey":{"type":"object","properties":{"1":{"type":"string"}},"additionalProperties":false}`, ``, ``},
		{"any", "the type accepts everything", `"any":{"type":"object","properties":{"x":{"type":"integer"}}}`, ``, ``},
		{"open struct", "its other members are dropped", `"open":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"]}`, ``, ``},
		{"open struct, known member undescribed", "undescribed parts are not compared", `"open":{"type":"object","required":["a"]}`, ``, `"open":{"a":"x"}`},
		{"required in a nested struct", "each level is compared", `"tree":{"type":"object","properties":{"name":{"type":"string"}},"additionalProperties":false}`, `tree.name: the Go type requires it, but the schema does not; add it to "required", or make the field a pointer`, `"tree":{}`},
		{"nested struct left open", "members could be added", `"tree":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`, `tree: the schema allows additional members, but the Go type rejects them; write "additionalProperties":false, or _ struct{} with jsonschema:"additionalProperties=true" in the type`, `"tree":{"name":"a","x":1}`},
		{"recursive", "the comparison terminates", `"tree":{"$ref":"#/$defs/t"}`, ``, ``},
		{"recursive, with a difference", "found at any level", `"tree":{"$ref":"#/$defs/wrong"}`, `tree.kids[].name: the type is integer in the schema, but the Go type reads string; write "type":"string"`, `"tree":{"name":"a","kids":[{"name":1}]}`},
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
				t.Errorf("%s: the type refuses the example %s: %v", tt.name, example, err)
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
			t.Errorf("%s: the type accepts %s as %+v", tt.name, data, v)
		}
	}
}

// TestAgreesNames: only names, types and required members must agree. Other differences do not prevent publishing the
// schema. A value that fits only one of the two is an error when it is decoded.
func TestAgreesNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, reason, properties, data string }{
		{"no lower bound", "the tag has a lower bound", `"days":{"type":"integer","maximum":14}`, `"days":0`},
		{"one more", "15 is excluded", `"days":{"type":"integer","minimum":1,"maximum":15}`, `"days":15`},
		{"small integer", "the type limits the range", `"small":{"type":"integer","minimum":0}`, `"small":256`},
		{"no unit", "0.3 is refused", `"ratio":{"type":"number"}`, `"ratio":0.3`},
		{"listed value the tag lacks", "the tag lists c and f", `"unit":{"enum":["c","k"]}`, `"unit":"k"`},
		{"const", "one value", `"unit":{"const":"K"}`, `"unit":"K"`},
		{"value that UnmarshalText refuses", "its UnmarshalText decides", `"level":{"enum":["low","middle"]}`, `"level":"middle"`},
		{"value of a hook", "a method lists the values", `"kind":{"enum":["Monday","Sunday"]}`, `"kind":"Sunday"`},
		{"values not listed", "the tag lists them", `"unit":{"type":"string"}`, `"unit":"k"`},
		{"no format", "any text is not a time.Time", `"when":{"type":"string"}`, `"when":"today"`},
		{"another format", "a date is not a time.Time", `"when":{"type":"string","format":"date"}`, `"when":"2026-11-20"`},
		{"more elements", "the tag allows three", `"tags":{"type":"array","items":{"type":"string"},"maxItems":4}`, `"tags":["a","b","c","d"]`},
		{"map with any names", "the name a is not an int", `"byKey":{"type":"object","additionalProperties":{"type":"string"}}`, `"byKey":{"a":"x"}`},
		{"map with a wrong name", "the name one is not an int", `"byKey":{"type":"object","properties":{"one":{"type":"string"}},"additionalProperties":false}`, `"byKey":{"one":"x"}`},
		{"map of other values", "the elements are compared", `"byKey":{"type":"object","patternProperties":{"^[0-9]$":{"type":"integer"}},"additionalProperties":false}`, `"byKey":{"1":1}`},
		{"unknown member of a union", "the type lists the names", `"to":{"type":"object","properties":{"kind":{"const":"tape"},"path":{"type":"string"}},"required":["kind","path"],"additionalProperties":false}`, `"to":{"kind":"tape","path":"a"}`},
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
			t.Errorf("%s: %s is accepted: %v", tt.name, data, err)
		}
	}
}

// TestAgreesRoots tests complete schemas, in both dialects.
func TestAgreesRoots(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, reason, schema, want string }{
		{"missing required", "a call without the member would be refused", `{"type":"object","properties":{"city":{"type":"string","minLength":1}},"additionalProperties":false}`, `city: the Go type requires it, but the schema does not; add it to "required", or make the field a pointer`},
		{"missing property", "no call would be valid", `{"type":"object","additionalProperties":false}`, `city: the Go type requires it, but the schema does not; describe it and add it to "required", or make the field a pointer`},
		{"open", "unknown members would be refused", `{"type":"object","properties":{"city":{"type":"string","minLength":1}},"required":["city"]}`, `the schema allows additional members, but the Go type rejects them; write "additionalProperties":false, or _ struct{} with jsonschema:"additionalProperties=true" in the type`},
		{"closed by unevaluatedProperties", "another keyword of 2020-12", `{"type":"object","properties":{"city":{"type":"string","minLength":1}},"required":["city"],"unevaluatedProperties":false}`, ``},
		{"draft-07", "other keywords for closed tuples", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"city":{"type":"string","minLength":1},"pair":{"type":"array","items":[{"type":"integer"},{"type":"integer"}],"additionalItems":false,"minItems":2},"days":{"$ref":"#/definitions/d","type":"string"}},"required":["city"],"additionalProperties":false,"definitions":{"d":{"type":"integer","minimum":1,"maximum":2}}}`, ``},
		{"draft-07, rest of a tuple", "tuples are not compared", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"city":{"type":"string","minLength":1},"tags":{"type":"array","items":[{"type":"string"}],"additionalItems":{"type":"integer"},"maxItems":3,"uniqueItems":true}},"required":["city"],"additionalProperties":false}`, ``},
		{"all at once", "all differences are reported", `{"type":"object","properties":{"days":{"type":"string"},"verbose":{}},"required":["days"]}`, "days: the type is string in the schema, but the Go type reads integer; write \"type\":\"integer\"\nverbose: the schema has it, but the Go type has no such field; drop the property, or add the field\ncity: the Go type requires it, but the schema does not; describe it and add it to \"required\", or make the field a pointer\nthe schema allows additional members, but the Go type rejects them; write \"additionalProperties\":false, or _ struct{} with jsonschema:\"additionalProperties=true\" in the type"},
		{"many alternatives", "they are not compared", `{"type":"object","allOf":[` + strings.Repeat(`{"anyOf":[{},{"minProperties":1}]},`, 12) + `{}]}`, ``},
	} {
		disagrees(t, compile[agreeIn](t, reflectschema.DirectionInput), tt.name, tt.reason, tt.schema, tt.want)
	}
}

// TestAgreesBounded: a schema whose alternatives or parts multiply on each level is not compared.
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
				continue // an endless self-reference
			}
			start := time.Now()
			_ = compile[tree](t, reflectschema.DirectionInput).Agrees(s)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%s, %s: the comparison took %v", form, last, took)
			}
		}
	}
}

// TestAgreesOutput tests schemas of results.
func TestAgreesOutput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, reason, properties, more, want string }{
		{"nothing", "the schema has no requirements", ``, ``, ``},
		{"narrower", "results are validated", `"sum":{"type":"integer","minimum":0},"ptr":{"type":"integer"},"state":{"enum":["on"]}`, `,"required":["sum","list"]`, ``},
		{"wider", "all results fit", `"sum":{"type":["number","string"]},"ptr":{"type":["number","null"]}`, ``, ``},
		{"other type", "no result would fit", `"sum":{"type":"string"}`, ``, `sum: the type is string in the schema, but the Go type writes integer; write "type":"integer"`},
		{"only null", "a pointer is more than nil", `"ptr":{"type":"null"}`, ``, `ptr: the type is null in the schema, but the Go type writes number; write "type":"number"`},
		{"other values", "listed values are not compared", `"state":{"enum":["on","broken"]}`, ``, ``},
		{"member that the type lacks", "it is never written", `"total":{"type":"integer"}`, ``, `total: the schema has it, but the Go type never writes it; drop the property, or add the field`},
		{"required member that the type lacks", "no result would fit", ``, `,"required":["summ"]`, `summ: the schema has it, but the Go type never writes it; write "sum", or add the field`},
		{"required, but omitted if empty", "some results would not fit", `"note":{"type":"string"}`, `,"required":["note"]`, `note: the schema requires it, but the Go type may omit it; drop it from "required", or drop omitempty or omitzero from the field`},
		{"closed", "other members are written as well", `"sum":{"type":"integer"},"note":{"type":"string"},"ptr":{},"state":{},"list":{},"byKey":{},"to":{}`, `,"additionalProperties":false`, `any: the Go type writes it, but the schema does not allow it; describe it, or leave the field out with json:"-"`},
		{"rest of another type", "it applies to other members", `"sum":{"type":"integer"},"list":{},"byKey":{},"any":{},"to":{},"ptr":{}`, `,"additionalProperties":{"type":"string"}`, ``},
		{"refused member", "the type writes it", `"sum":false`, ``, `sum: the Go type writes it, but the schema does not allow it; describe it, or leave the field out with json:"-"`},
		{"elements", "compared like members", `"list":{"items":{"type":"string"}},"byKey":{"additionalProperties":{"type":"boolean"}}`, ``, "list[]: the type is string in the schema, but the Go type writes integer; write \"type\":\"integer\"\nbyKey{}: the type is boolean in the schema, but the Go type writes integer; write \"type\":\"integer\""},
		{"any", "values are validated", `"any":{"type":"string"}`, ``, ``},
		{"named members of a map", "a map may have them", `"byKey":{"properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}`, ``, ``},
		{"union", "alternatives are not compared", `"to":{"anyOf":[{"properties":{"kind":{"const":"disk"},"path":{}},"required":["kind"]},{"properties":{"kind":{"const":"bucket"},"name":{}},"required":["kind"]}]}`, ``, ``},
		{"union without a member", "listed values are not compared", `"to":{"properties":{"kind":{"const":"disk"},"path":{}},"required":["kind"]}`, ``, ``},
		{"alternatives", "they are not compared", `"sum":{"oneOf":[{"type":"string"},{"type":"integer"}]}`, ``, ``},
	} {
		schema := `{"type":"object","properties":{` + tt.properties + `}` + tt.more + `}`
		disagrees(t, compile[agreeOut](t, reflectschema.DirectionOutput), tt.name, tt.reason, schema, tt.want)
	}
}

// FuzzAgrees tests schemas and values: if a schema agrees with the type, a value that fits the schema is not refused by
// the type because of its type, an unknown or a missing member. Alternatives, keywords that are not compared and
// undescribed parts are excluded.
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
	typ, err := reflectschema.Compile(reflect.TypeFor[agreeIn](), reflectschema.DirectionInput)
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
				t.Errorf("%s agrees, but accepts %s: %s: %v", raw, data, v.Keyword, invalid)
			}
		}
	})
}

// disagrees compares the differences between a type and a schema with lines of path, reason and fix.
func disagrees(t *testing.T, typ *reflectschema.Type, name, reason, schema, want string) {
	t.Helper()
	err := typ.Agrees(parse(t, schema))
	found := reflectschema.TypeMistakes(err)
	if err != nil && found == nil {
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
			t.Errorf("%s: %+v is incomplete", name, e)
		}
	}
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("%s: %s:\n got %s\nwant %s", name, reason, got, want)
	}
}

// TestAgreesTellsTheField checks that a difference names the Go field.
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
	found := reflectschema.TypeMistakes(err)
	if len(found) != 2 || !strings.HasSuffix(found[0].Type, ".outer") || found[0].Field != "inner.N" ||
		!strings.HasSuffix(found[1].Type, ".inner") || found[1].Field != "N" || found[1].Path != "list[].n" {
		t.Errorf("errors = %+v", err)
	}
}
