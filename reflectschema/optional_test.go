package reflectschema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/reflectschema"
)

type optionals struct {
	Name   reflectschema.Optional[string]   `json:"name,omitzero" jsonschema:"minLength=2,example=ana" doc:"Name"`
	Level  reflectschema.Optional[int]      `json:"level,omitzero" jsonschema:"enum=1,enum=2"`
	Tags   reflectschema.Optional[[]string] `json:"tags,omitzero" jsonschema:"maxItems=2,pattern=^[a-z]+$"`
	Target reflectschema.Optional[Target]   `json:"target,omitzero"`
	Base   reflectschema.Optional[Base]     `json:"base,omitzero"`
	Any    reflectschema.Optional[any]      `json:"any,omitzero"`
}

// TestOptionalSchema compares the schema of an Optional with the schema of a nullable pointer.
func TestOptionalSchema(t *testing.T) {
	t.Parallel()
	type pointers struct {
		Name   *string   `json:"name" jsonschema:"optional,nullable,minLength=2,example=ana" doc:"Name"`
		Level  *int      `json:"level" jsonschema:"optional,nullable,enum=1,enum=2"`
		Tags   *[]string `json:"tags" jsonschema:"optional,nullable,maxItems=2,pattern=^[a-z]+$"`
		Target *Target   `json:"target" jsonschema:"optional,nullable"`
		Base   *Base     `json:"base" jsonschema:"optional,nullable"`
		Any    *any      `json:"any" jsonschema:"optional"`
	}
	for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput, reflectschema.DirectionStored} {
		want := compile[pointers](t, d).Schema().JSON()
		if got := compile[optionals](t, d).Schema().JSON(); string(got) != string(want) {
			t.Errorf("direction %d: schema of Optional:\n%s\nwant, as for nullable pointers:\n%s", d, got, want)
		}
	}
}

// TestOptionalValues decodes and encodes the three states in every direction, and compares the results with
// encoding/json.
func TestOptionalValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, data string
		want       optionals
		ours       bool // not supported by encoding/json
	}{
		{"absent", `{}`, optionals{}, false},
		{"null", `{"name":null,"level":null,"tags":null,"target":null,"base":null,"any":null}`, optionals{
			Name: reflectschema.Optional[string]{Null: true}, Level: reflectschema.Optional[int]{Null: true}, Tags: reflectschema.Optional[[]string]{Null: true},
			Target: reflectschema.Optional[Target]{Null: true}, Base: reflectschema.Optional[Base]{Null: true}, Any: reflectschema.Optional[any]{Null: true},
		}, false},
		{"values", `{"name":"ana","level":2,"tags":[],"base":{"ID":"1","Name":""},"any":[null]}`, optionals{
			Name: reflectschema.Optional[string]{Value: new("ana")}, Level: reflectschema.Optional[int]{Value: new(2)}, Tags: reflectschema.Optional[[]string]{Value: new([]string{})},
			Base: reflectschema.Optional[Base]{Value: &Base{ID: "1"}}, Any: reflectschema.Optional[any]{Value: new(any([]any{nil}))},
		}, false},
		{"union", `{"target":{"kind":"disk","path":"a"}}`, optionals{Target: reflectschema.Optional[Target]{Value: new(Target(Disk{Path: "a"}))}}, true},
	} {
		for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput, reflectschema.DirectionStored} {
			typ := compile[optionals](t, d)
			var got optionals
			if err := typ.Decode([]byte(tt.data), reflect.ValueOf(&got).Elem()); err != nil {
				t.Errorf("%s, direction %d: %v", tt.name, d, err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s, direction %d: (-want +got):\n%s", tt.name, d, diff)
			}
			if data, err := typ.AppendEncode(nil, reflect.ValueOf(tt.want)); err != nil || string(data) != tt.data {
				t.Errorf("%s, direction %d: encoded as %s (%v), want %s", tt.name, d, data, err, tt.data)
			}
		}
		if tt.ours {
			continue
		}
		var got optionals
		if err := json.Unmarshal([]byte(tt.data), &got); err != nil || !cmp.Equal(got, tt.want) {
			t.Errorf("%s: json.Unmarshal returns %v and\n%s", tt.name, err, cmp.Diff(tt.want, got))
		}
		if data, err := json.Marshal(tt.want); err != nil || string(data) != tt.data {
			t.Errorf("%s: json.Marshal returns %s (%v), want %s", tt.name, data, err, tt.data)
		}
	}
}

// TestOptionalAbsent tests absent fields whose json tag has no omitzero, and an Optional with both Null and a value.
func TestOptionalAbsent(t *testing.T) {
	t.Parallel()
	type bare struct {
		N reflectschema.Optional[int]
	}
	typ := compile[bare](t, reflectschema.DirectionOutput)
	for _, tt := range []struct {
		name  string
		value reflectschema.Optional[int]
		want  string
		isSet bool
	}{
		{"absent", reflectschema.Optional[int]{}, `{}`, false},
		{"null", reflectschema.Optional[int]{Null: true}, `{"N":null}`, true},
		{"zero", reflectschema.Optional[int]{Value: new(0)}, `{"N":0}`, true},
		{"value and null", reflectschema.Optional[int]{Value: new(3), Null: true}, `{"N":3}`, true},
	} {
		got, err := typ.AppendEncode(nil, reflect.ValueOf(bare{tt.value}))
		if err != nil || string(got) != tt.want || tt.value.IsSet() != tt.isSet {
			t.Errorf("%s: encoded as %s (%v), IsSet %t; want %s, %t", tt.name, got, err, tt.value.IsSet(), tt.want, tt.isSet)
		}
	}
	value := map[string]any{"set": reflectschema.Optional[int]{Value: new(1)}, "unset": reflectschema.Optional[int]{}}
	if got, err := reflectschema.AppendValue(nil, value); err != nil || string(got) != `{"set":1,"unset":null}` {
		t.Errorf("in an any: encoded as %s (%v)", got, err)
	}
	again := reflectschema.Optional[int]{Value: new(3)}
	if err := json.Unmarshal([]byte("null"), &again); err != nil || again.Value != nil || !again.Null {
		t.Errorf("null after a value: json.Unmarshal returns %+v (%v)", again, err)
	}
	if err := json.Unmarshal([]byte(`"x"`), &again); err == nil || again.IsSet() {
		t.Errorf("a value of another type: json.Unmarshal returns %+v (%v)", again, err)
	}
}

// TestOptionalViolations checks the error texts for invalid values.
func TestOptionalViolations(t *testing.T) {
	t.Parallel()
	typ := compile[optionals](t, reflectschema.DirectionInput)
	for data, want := range map[string]string{
		`{"name":"a"}`:      "name: must have at least 2 characters",
		`{"name":1}`:        "name: must be a string or null",
		`{"level":3}`:       "level: must be one of 1, 2, null",
		`{"tags":["A"]}`:    "tags[0]: must match the pattern",
		`{"base":{"ID":1}}`: "base",
	} {
		var got optionals
		if err := typ.Decode([]byte(data), reflect.ValueOf(&got).Elem()); err == nil || !strings.HasPrefix(err.Error(), want) || !cmp.Equal(got, optionals{}) {
			t.Errorf("%s: got error %v and value %+v, want %q", data, err, got, want)
		}
	}
}

// TestOptionalMistakes: each use of an Optional that has no effect, or that loses a state, is a mistake with a fix.
func TestOptionalMistakes(t *testing.T) {
	t.Parallel()
	input, output := reflectschema.DirectionInput, reflectschema.DirectionOutput
	for _, tt := range []struct {
		name      string
		value     any
		direction reflectschema.Direction
		want      string
	}{
		{"root", reflectschema.Optional[int]{}, input, "cannot be absent here; use it as the field of a struct, or use *int, which may be null"},
		{"element", struct {
			A []reflectschema.Optional[int]
		}{}, input, "(A[]): reflectschema.Optional[int] cannot be absent here"},
		{"value of a map", struct {
			A map[string]reflectschema.Optional[int]
		}{}, output, "(A{}): reflectschema.Optional[int] cannot be absent here"},
		{"behind a pointer", struct {
			A *reflectschema.Optional[int]
		}{}, input, "(A): reflectschema.Optional[int] cannot be absent here"},
		{"of an optional", struct {
			A reflectschema.Optional[reflectschema.Optional[int]]
		}{}, input, "cannot be absent here"},
		{"of a pointer", struct {
			A reflectschema.Optional[*int]
		}{}, output, "(A): reflectschema.Optional[*int] has two forms of null; use reflectschema.Optional[int]"},
		{"default", struct {
			A reflectschema.Optional[int] `jsonschema:"default=1"`
		}{}, input, "a default would replace an absent field, which reflectschema.Optional[int] tells from null; drop it, or use int"},
		{"default null", struct {
			A reflectschema.Optional[string] `jsonschema:"default=null"`
		}{}, input, "a default would replace an absent field"},
		{"required", struct {
			A reflectschema.Optional[int] `jsonschema:"required"`
		}{}, output, "reflectschema.Optional[int] may be absent; drop it, or use *int with nullable"},
		{"nullable", struct {
			A reflectschema.Optional[int] `jsonschema:"nullable"`
		}{}, input, "reflectschema.Optional[int] may be null anyway; drop it"},
		{"omitempty", struct {
			A reflectschema.Optional[int] `json:"a,omitempty"`
		}{}, output, "encoding/json never omits a struct because of omitempty, and writes its zero value; use omitzero"},
		{"string", struct {
			A reflectschema.Optional[int] `json:"a,string"`
		}{}, input, `json:",string" has no effect on reflectschema.Optional[int]`},
		{"keyword of another type", struct {
			A reflectschema.Optional[int] `jsonschema:"minLength=1"`
		}{}, input, "minLength is for strings, bytes, not for reflectschema.Optional[int]; write minimum"},
		{"enum null", struct {
			A reflectschema.Optional[string] `jsonschema:"enum=null,enum=a"`
		}{}, input, `the enum would be the text "null"; drop it: null is allowed beside every other keyword`},
		{"pointer to a pointer", struct{ A **string }{}, input, "(A): **string cannot tell null from an absent argument; use reflectschema.Optional[string] for a field"},
		{"pointers to a pointer", struct{ A ***string }{}, input, "(A): **string cannot tell null from an absent argument"},
	} {
		_, err := compileOwn(reflect.TypeOf(tt.value), tt.direction)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error\n%v\nwant\n%s", tt.name, err, tt.want)
		}
	}
	if _, err := reflectschema.CompileFor[struct{ A **string }](output); err != nil {
		t.Errorf("pointer to a pointer in a result: %v", err)
	}
}

// TestOptionalStored: a stored value decodes to an equal value.
func TestOptionalStored(t *testing.T) {
	t.Parallel()
	for _, value := range []optionals{{}, {Name: reflectschema.Optional[string]{Null: true}}, {Target: reflectschema.Optional[Target]{Value: new(Target(Disk{Path: "a"}))}}} {
		data, err := reflectschema.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := reflectschema.Unmarshal[optionals](data); err != nil || !cmp.Equal(got, value) {
			t.Errorf("%s decodes to %+v (%v), want %+v", data, got, err, value)
		}
	}
}

type (
	change interface{ isChange() }
	rename struct {
		Name reflectschema.Optional[string] `json:"name"`
	}
)

func (rename) isChange() {}

func init() {
	reflectschema.RegisterUnion("kind", map[string]change{"rename": rename{}})
}

// TestOptionalInUnion: a member of a union preserves the three states.
func TestOptionalInUnion(t *testing.T) {
	t.Parallel()
	type in struct {
		Change change `json:"change"`
	}
	for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput, reflectschema.DirectionStored} {
		typ, err := reflectschema.CompileFor[in](d)
		if err != nil {
			t.Fatal(err)
		}
		for data, want := range map[string]rename{
			`{"change":{"kind":"rename"}}`:              {},
			`{"change":{"kind":"rename","name":null}}`:  {reflectschema.Optional[string]{Null: true}},
			`{"change":{"kind":"rename","name":"ana"}}`: {reflectschema.Optional[string]{Value: new("ana")}},
		} {
			var got in
			if err := typ.Decode([]byte(data), reflect.ValueOf(&got).Elem()); err != nil || !cmp.Equal(got.Change, change(want)) {
				t.Errorf("direction %d: %s decodes to %+v (%v), want %+v", d, data, got.Change, err, want)
			}
			if again, err := typ.AppendEncode(nil, reflect.ValueOf(in{want})); err != nil || string(again) != data {
				t.Errorf("direction %d: %+v encodes to %s (%v), want %s", d, want, again, err, data)
			}
		}
	}
}
