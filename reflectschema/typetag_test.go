package reflectschema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

type (
	open struct {
		_ struct{} `jsonschema:"additionalProperties=true,x-team=tables"`
		A int      `json:"a"`
	}
	shut struct {
		_ struct{} `jsonschema:"additionalProperties=false"`
	}
	Marked struct {
		_ struct{} `doc:"Marked" jsonschema:"title=M,deprecated,example={}"`
	}
	overOpen struct {
		_ struct{} `jsonschema:"additionalProperties=false,x-team=rows"`
		open
	}
	malformed struct {
		_ struct{} `jsonschema:"titel=M"`
	}
)

// TestInheritedTypeTags tests the tags of the blank field of an embedded struct.
func TestInheritedTypeTags(t *testing.T) {
	t.Parallel()
	type marking struct {
		_ struct{} `doc:"Own" jsonschema:"title=Own,deprecated,example={}"`
		Marked
	}
	const (
		opened = `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":{},"x-team":"tables"}`
		alone  = " describes reflectschema_test.Marked alone, and not struct{…}, which embeds it; write "
		too    = " on a blank field of struct{…} too, or drop it here"
	)
	for _, tt := range []struct {
		reason string
		value  any
		want   string
	}{
		{"keywords of the flattened object", struct{ open }{}, opened},
		{"two structs with the same value", struct {
			open
			alike
		}{}, opened},
		{"overridden by the outer struct", overOpen{}, `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false,"x-team":"rows"}`},
		{"overridden by the middle struct", struct{ overOpen }{}, `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false,"x-team":"rows"}`},
		{"two structs with different values", struct {
			open
			shut
		}{}, "struct{…}.shut._: `additionalProperties=false`: reflectschema_test.open, also embedded, sets additionalProperties=true; write additionalProperties=… on a blank field of struct{…}, which takes precedence"},
		{"annotations of one struct", struct{ Marked }{}, strings.Join([]string{
			"struct{…}.Marked._: `doc:\"Marked\"`: description" + alone + "description" + too, "struct{…}.Marked._: `title=M`: title" + alone + "title" + too,
			"struct{…}.Marked._: `deprecated`: deprecated" + alone + "deprecated" + too, "struct{…}.Marked._: `example={}`: example" + alone + "example" + too,
		}, "\n    ")},
		{"annotations of the outer struct", marking{}, `{"title":"Own","description":"Own","type":"object","properties":{},"additionalProperties":false,"examples":[{}],"deprecated":true}`},
		{"embedded with a name", struct {
			Marked `json:"m"`
		}{}, `{"type":"object","properties":{"m":{"title":"M","description":"Marked","type":"object","properties":{},"additionalProperties":false,"examples":[{}],"deprecated":true}},"required":["m"],"additionalProperties":false}`},
		{"a mistake", struct{ malformed }{}, "struct{…}.malformed._: `titel=M`: unknown keyword \"titel\"; write title"},
	} {
		for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
			if got := answer(reflect.TypeOf(tt.value), d); got != tt.want {
				t.Errorf("%s:\ngot  %s\nwant %s", tt.reason, got, tt.want)
			}
		}
	}
}

type (
	alike struct {
		_ struct{} `jsonschema:"x-team=tables"`
	}
)

// TestInheritedOpenness: the codec accepts the unknown members that the schema allows.
func TestInheritedOpenness(t *testing.T) {
	t.Parallel()
	compiled, err := reflectschema.Compile(reflect.TypeFor[struct{ open }](), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	var v struct{ open }
	if err := compiled.Decode(json.RawMessage(`{"a":1,"b":2}`), reflect.ValueOf(&v).Elem()); err != nil || v.A != 1 {
		t.Errorf("decoded %+v, %v; want the unknown member accepted", v, err)
	}
}

// TestTagDescription tests each tag with a description.
func TestTagDescription(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tag       reflect.StructTag
		text, key string
	}{
		{`doc:"D, d"`, "D, d", "doc"},
		{`jsonschema_description:"D"`, "D", "jsonschema_description"},
		{`jsonschema:"title=T,description=D"`, "D", "jsonschema"},
		{`json:"x" jsonschema:"Some prose"`, "Some prose", "jsonschema"},
		{`mcp:"description=D" jsonschema:"title=T"`, "", ""},
		{`doc:""`, "", ""},
		{``, "", ""},
	} {
		if text, key := reflectschema.TagDescription(tt.tag); text != tt.text || key != tt.key {
			t.Errorf("`%s`: %q by %q, want %q by %q", tt.tag, text, key, tt.text, tt.key)
		}
	}
}

// TestFormWithToolTag: an mcp tag is a mistake in a form.
func TestFormWithToolTag(t *testing.T) {
	t.Parallel()
	type tool struct {
		_ struct{} `mcp:"scopes=admin"`
	}
	for field, value := range map[string]any{
		"_": struct {
			_ struct{} `mcp:"title=T"`
		}{},
		"tool._": struct{ tool }{},
		"A": struct {
			A []string `jsonschema:"enum=a" mcp:"title=T"`
		}{},
	} {
		compiled, err := reflectschema.Compile(reflect.TypeOf(value), reflectschema.DirectionInput)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := compiled.Form(); err == nil || !strings.Contains(err.Error(), "}."+field+": `mcp:") && !strings.Contains(err.Error(), "."+field+": `mcp:") {
			t.Errorf("form with an mcp tag on %s: %v", field, err)
		}
	}
}

type (
	blankDoc struct {
		_ struct{} `doc:"lost"`
	}
	blankField struct {
		Level int `jsonschema:"minimum=3"`
	}
	madeByMethod struct{ Held blankTool }
	blankTool    struct {
		_ struct{} `mcp:"scopes=admin"`
	}
)

func (madeByMethod) MarshalJSON() ([]byte, error) { return []byte("1"), nil }
func (*madeByMethod) UnmarshalJSON([]byte) error  { return nil }

// TestBlankFieldOfStruct checks that the tags of a struct are refused if a blank field has its type, where they have no
// effect.
func TestBlankFieldOfStruct(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value any
		want  string
	}{
		{struct{ _ blankDoc }{}, "`doc:\"lost\"`: a blank field of type reflectschema_test.blankDoc is not in the JSON, so the tag on its field _ has no effect; embed reflectschema_test.blankDoc instead, or drop the blank field"},
		{struct{ _ *blankField }{}, "`jsonschema:\"minimum=3\"`: a blank field of type reflectschema_test.blankField is not in the JSON, so the tag on its field Level has no effect"},
		{struct{ _ struct{ blankField } }{}, "the tag on its field blankField.Level has no effect"},
		{struct{ _ [0]func() }{}, ""},
		{struct{ _ sync.Mutex }{}, ""},
	} {
		_, err := reflectschema.Compile(reflect.TypeOf(tt.value), reflectschema.DirectionInput)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%T: %v\nwant %q", tt.value, err, tt.want)
		}
	}
	compiled, err := reflectschema.Compile(reflect.TypeFor[struct{ A madeByMethod }](), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	if err = compiled.CheckToolTags(); err == nil || !strings.Contains(err.Error(), "reflectschema_test.blankTool is only a part of one") {
		t.Errorf("part of a type with JSON methods: %v", err)
	}
}
