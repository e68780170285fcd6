package reflectschema_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/golden"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// givenForms are schemas with the forms that they describe.
var givenForms = []struct{ name, schema, reason string }{
	{"no fields", `{"type":"object","properties":{}}`, "a form may be empty"},
	{"every kind", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","title":"T","description":"D","additionalProperties":false,"properties":{
		"name":{"type":"string","title":"Name","description":"Your name","minLength":1,"maxLength":9,"examples":["Ada"],"x-hint":"h"},
		"mail":{"type":"string","format":"email"},"day":{"type":"string","format":"date","default":"2026-01-02"},
		"age":{"type":"integer","minimum":18,"maximum":99,"default":20},"share":{"type":"number","minimum":0.5},"yes":{"type":"boolean","default":true}},
		"required":["name","yes"]}`, "the order of the properties is kept"},
	{"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"string"}}}`, "both dialects have these keywords"},
	{"choices of one", `{"type":"object","properties":{"plain":{"type":"string","enum":["a","b"],"default":"b"},"titled":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]},
		"any":{"type":"string","anyOf":[{"const":"a","title":"A"}]},"names":{"type":"string","enum":["a","b"],"enumNames":["A","B"]},"only":{"type":"string","const":"x"}}}`, "each revision has its own keyword for titles"},
	{"choices of several", `{"type":"object","properties":{"plain":{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":2,"uniqueItems":true,"default":["a"]},
		"titled":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}}}}`, "the specification shows titled items without a type"},
	{"exclusive bounds", `{"type":"object","properties":{"whole":{"type":"integer","exclusiveMinimum":2,"exclusiveMaximum":9},"between":{"type":"integer","exclusiveMinimum":-2.5,"exclusiveMaximum":9.5}}}`, "the adjacent whole number is inclusive, also of a fraction"},
	{"not an object", `{"type":"string"}`, "a form has fields"},
	{"no properties", `{"type":"object"}`, "nothing can be shown"},
	{"not a schema", `{"type":"objekt","properties":{}}`, "the mistake of the document comes first"},
	{"not JSON", `{`, "the schema may come from elsewhere"},
	{"root", `{"type":"object","properties":{"a":{"type":"string"}},"required":["b"],"minProperties":1,"additionalProperties":{"type":"string"},"allOf":[{}],"$defs":{"x":{}}}`, "no client shows these"},
	{"types", `{"type":"object","properties":{"object":{"type":"object","properties":{}},"null":{"type":["string","null"]},"none":{},"true":true,"ref":{"$ref":"#/properties/none"},"untyped":{"enum":["a"]}}}`, "fields have one primitive type"},
	{"keywords", `{"type":"object","properties":{"match":{"type":"string","pattern":"^a"},"id":{"type":"string","format":"uuid"},"even":{"type":"integer","multipleOf":2},"over":{"type":"number","exclusiveMinimum":0},"not":{"type":"boolean","not":{}}}}`, "a user would not see why an answer is refused"},
	{"lists", `{"type":"object","properties":{"free":{"type":"array","items":{"type":"string"}},"none":{"type":"array"},"ints":{"type":"array","items":{"type":"integer","enum":[1]}},"match":{"type":"array","items":{"type":"string","enum":["a"],"pattern":"b"}},"tuple":{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"string","enum":["a"]}}}}`, "a list is a multiple choice"},
	{"odd choices", `{"type":"object","properties":{"numbers":{"type":"integer","enum":[1,2]},"two":{"type":"string","enum":["a","b"],"oneOf":[{"const":"b","title":"B"}]},"branch":{"type":"string","oneOf":[{"const":"a","minLength":3}]},"open":{"type":"string","oneOf":[{"minLength":3}]},"names":{"type":"string","enum":["a","b"],"enumNames":["A"]}}}`, "every choice can be shown and is accepted"},
	{"numbers", `{"type":"object","properties":{"a":{"type":"number","minimum":1e400},"b":{"type":"integer","maximum":1e400},"c":{"type":"number","default":-1e400},"d":{"type":"number","maximum":1e308}}}`, "clients read a float64"},
	{"choices twice", `{"type":"object","properties":{"a":{"type":"string","enum":["x","x"]},"b":{"type":"string","oneOf":[{"const":"x","title":"A"},{"const":"x","title":"B"}]},"c":{"type":"array","items":{"type":"string","enum":["x","y","x"]}}}}`, "a user cannot tell them apart"},
	{"no choices", `{"type":"object","properties":{"a":{"type":"string","enum":[]}}}`, "enum is supported, but empty"},
	{"hidden characters", `{"type":"object","properties":{"a\u0007":{"type":"string"},"b":{"type":"string","enum":["x\u202ey"]},"c":{"type":"string","oneOf":[{"const":"\u001b[2J","title":"T"}]}}}`, "the answer has the same name and value, so they cannot be cleaned"},
	{"misspelt", `{"type":"object","requierd":["a"],"properties":{"a":{"type":"string","descriptn":"D"},"b":{"type":"string","minLenght":1},"c":{"type":"boolean","titel":"T"}}}`, "the nearest keyword is named"},
	{"many mistakes", `{"type":"object","properties":{` + manyBad() + `}}`, "the error is logged"},
	{"mistakes", `{"type":"object","properties":{"a":{"type":"string","default":1},"b":{"type":"string","minLength":5,"maxLength":2}},"required":["c"]}`, "JSON Schema allows these"},
}

// manyBad returns 2000 properties that no form has.
func manyBad() string {
	properties := make([]string, 2000)
	for i := range properties {
		properties[i] = fmt.Sprintf(`"f%d":{"type":"null"}`, i)
	}
	return strings.Join(properties, ",")
}

// TestSchemaForm compares the forms of schemas with testdata/givenforms.golden and with the official schemas of the protocol.
func TestSchemaForm(t *testing.T) {
	t.Parallel()
	file := golden.Open(t, "testdata/givenforms.golden")
	for _, test := range givenForms {
		form, err := reflectschema.SchemaForm(test.schema)
		if err != nil {
			file.Check(t, test.name, "refused: "+err.Error())
			continue
		}
		var lines []string
		for _, d := range []struct {
			name, revision string
			rich           bool
		}{{"plain", "2025-06-18", false}, {"rich", "2025-11-25", true}, {"rich", "2026-07-28", true}} {
			schema, err := form.Schema(d.rich)
			if err != nil {
				lines = append(lines, d.name+" refused: "+err.Error())
				continue
			}
			if line := d.name + ": " + string(schema); len(lines) == 0 || lines[len(lines)-1] != line {
				lines = append(lines, line)
			}
			holdAgainstOfficial(t, d.revision, schema)
		}
		file.Check(t, test.name, strings.Join(lines, "\n"))
	}
}

// TestSchemaFormDecode checks answers against the schema that a form was made from.
func TestSchemaFormDecode(t *testing.T) {
	t.Parallel()
	form, err := reflectschema.SchemaForm(`{"type":"object","properties":{"name":{"type":"string","minLength":2},"day":{"type":"string","format":"date"},
		"size":{"type":"string","oneOf":[{"const":"s","title":"S"},{"const":"l","title":"L"}],"default":"s"},"must":{"type":"boolean","default":true},
		"extras":{"type":"array","items":{"type":"string","enum":["a","b"]},"maxItems":1}},"required":["name","must"],"additionalProperties":false}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, answer, want string }{
		{"complete", `{"extras":["b"],"must":false,"size":"l","day":"2026-01-02","name":"Ann"}`, `{"name":"Ann","day":"2026-01-02","size":"l","must":false,"extras":["b"]}`},
		{"an optional field has its default", `{"name":"Ann","must":true}`, `{"name":"Ann","size":"s","must":true}`},
		{"null is absent", `{"name":"Ann","must":true,"size":null,"day":null}`, `{"name":"Ann","size":"s","must":true}`},
		{"fields that were not asked for are dropped", `{"name":"Ann","must":true,"more":1}`, `{"name":"Ann","size":"s","must":true}`},
		{"a required field has no default", `{"name":"Ann"}`, "must: is required"},
		{"several mistakes", `{"name":"A","must":1,"day":"today","size":"x","extras":["a","b"]}`, "name: must have at least 2 characters"},
		{"the last of them", `{"name":"A","must":1,"day":"today","size":"x","extras":["a","c"]}`, `extras[1]: must be one of "a", "b"`},
		{"not an object", `[]`, "must be an object"},
		{"empty", ``, "name: is required"},
	} {
		var got json.RawMessage
		err := form.Decode([]byte(test.answer), reflect.ValueOf(&got).Elem())
		if text := string(got); err == nil && text != test.want || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %s, %v; want %s", test.name, got, err, test.want)
		}
	}
	for _, choices := range [][]string{{"z", "z"}, {"\x1b[2J"}} {
		if _, err := form.WithChoices("extras", choices, nil); err == nil {
			t.Errorf("accepted the choices %q", choices)
		}
	}
	narrow, err := form.WithChoices("extras", []string{"z"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got json.RawMessage
	if err := narrow.Decode([]byte(`{"name":"Ann","must":true,"extras":["z"]}`), reflect.ValueOf(&got).Elem()); err != nil {
		t.Error(err)
	}
	if err := narrow.Decode([]byte(`{"name":"Ann","must":true,"extras":["a"]}`), reflect.ValueOf(&got).Elem()); err == nil {
		t.Errorf("accepted a choice that was replaced: %s", got)
	}
}
