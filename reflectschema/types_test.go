package reflectschema_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/testing/golden"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// typeCount is the number of kinds of Go types for which a schema and encoding/json can differ. Each is a case of the
// table.
const typeCount = 89

// A typeCase is a Go type with values. testdata/schemas.golden has the results for both directions.
type typeCase struct {
	name   string
	reason string
	values []any // the first one determines the type
}

// TestTypes checks the result for every type: a schema, or the reason for none.
func TestTypes(t *testing.T) {
	t.Parallel()
	if len(typeCases) != typeCount {
		t.Errorf("%d types, want %d", len(typeCases), typeCount)
	}
	file := golden.Open(t, "testdata/schemas.golden")
	names := map[string]bool{}
	for _, tt := range typeCases {
		if tt.reason == "" || names[tt.name] {
			t.Errorf("case %q has no reason or a duplicate name", tt.name)
		}
		names[tt.name] = true
		goType := reflect.TypeOf(tt.values[0])
		file.Check(t, tt.name, tt.reason+answers(goType, "in ", reflectschema.DirectionInput)+answers(goType, "out", reflectschema.DirectionOutput))
	}
}

// answers returns the result for a type, and the result for the author's own type if it differs.
func answers(t reflect.Type, name string, d reflectschema.Direction) string {
	_, err := compileOwn(t, d)
	text := "\n" + name + " " + answer(t, d)
	if err != nil && answer(t, d) != lines(err) {
		text += "\nown " + lines(err)
	}
	return text
}

// answer returns the document for a type, or the errors, one per line.
func answer(t reflect.Type, d reflectschema.Direction) string {
	compiled, err := reflectschema.Compile(t, d)
	if err == nil {
		return string(compiled.Schema().JSON())
	}
	return lines(err)
}

func lines(err error) string { return strings.ReplaceAll(err.Error(), "\n", "\n    ") }

// TestTypesLegal checks that every document is valid for all clients.
func TestTypesLegal(t *testing.T) {
	t.Parallel()
	for _, tt := range typeCases {
		for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
			compiled, err := reflectschema.Compile(reflect.TypeOf(tt.values[0]), d)
			if err != nil {
				continue
			}
			doc := compiled.Schema()
			text := string(doc.JSON())
			if _, err := reflectschema.ParseSchema(doc.JSON()); err != nil {
				t.Errorf("%s: ParseSchema refuses the document: %v", tt.name, err)
			}
			if string(doc.Legacy()) != text {
				t.Errorf("%s: Legacy differs from JSON: %s", tt.name, doc.Legacy())
			}
			for _, never := range []string{":true,", `"$schema"`, `"$id"`, "u003c"} {
				if strings.Contains(text, never) {
					t.Errorf("%s: %s in %s", tt.name, never, text)
				}
			}
			if d == reflectschema.DirectionInput && strings.Contains(text, `"type":[`) && !strings.Contains(tt.name, "nullable") {
				t.Errorf("%s: list of types in an input: %s", tt.name, text)
			}
			if strings.Contains(text, "$ref") && !strings.Contains(tt.name, "recursive") {
				t.Errorf("%s: $ref without recursion: %s", tt.name, text)
			}
			if strings.Count(text, `"type":"object"`)+strings.Count(text, `"type":["object"`) != strings.Count(text, `"properties":`) {
				t.Errorf("%s: object without properties: %s", tt.name, text)
			}
		}
	}
}

// TestTypeErrors checks the fields of an error.
func TestTypeErrors(t *testing.T) {
	t.Parallel()
	type item struct {
		Chan chan int `json:"c"`
		Bad  int      `json:"b" jsonschema:"minimun=3"`
	}
	type list struct {
		Items []item `json:"items"`
	}
	_, err := reflectschema.Compile(reflect.TypeFor[list](), reflectschema.DirectionInput)
	all := reflectschema.TypeMistakes(err)
	if len(all) != 2 {
		t.Fatalf("got error %v, want two mistakes", err)
	}
	want := private.TypeMistake{
		Type: "reflectschema_test.item", Path: "items[].b", Field: "Bad", Tag: "minimun=3",
		Reason: `unknown keyword "minimun"`, Fix: "write minimum",
	}
	if all[1] != want {
		t.Errorf("second mistake = %+v, want %+v", all[1], want)
	}
	if all[0].Path != "items[].c" {
		t.Errorf("first mistake = %+v, want the one at items[].c", all[0])
	}
	each, _ := errors.AsType[reflectschema.TypeErrors](fmt.Errorf("wrapped: %w", err))
	const line = `reflectschema_test.item.Bad (items[].b): ` + "`minimun=3`" + `: unknown keyword "minimun"; write minimum`
	if len(each) != 2 || each[1].Error() != line || !errors.Is(err, each[1]) {
		t.Errorf("errors = %q, want the second to be %s", each, line)
	}
	own := reflectschema.TypeErrors{errors.New("of a program")}
	if got := reflectschema.TypeMistakes(own); len(got) != 1 || got[0] != (private.TypeMistake{Reason: "of a program"}) {
		t.Errorf("mistakes of another program = %+v", got)
	}
}

// TestDeterministic checks that a document depends only on the type. The cache would conceal differences, so each
// document is of a new type.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	var first string
	for i := range 20 {
		goType := reflect.ArrayOf(1, reflect.StructOf([]reflect.StructField{
			{Name: "A", Type: reflect.TypeFor[tree](), Tag: reflect.StructTag(fmt.Sprintf(`foreign:"%d"`, i))},
			{Name: "B", Type: reflect.TypeFor[map[string]Pair[int, tree]](), Tag: `jsonschema:"x-b=1,x-a={\"z\":1\\,\"a\":2}"`},
			{Name: "C", Type: reflect.TypeFor[order]()},
		}))
		got := answer(goType, reflectschema.DirectionOutput)
		if first == "" {
			first = got
		}
		if got != first {
			t.Fatalf("document %d is\n%s\nthe first\n%s", i, got, first)
		}
	}
}

// Types whose size doubles with each level: without definitions, d14 has 2^14 leaves.
type (
	d0  struct{ A, B []int }
	d1  struct{ A, B []d0 }
	d2  struct{ A, B []d1 }
	d3  struct{ A, B []d2 }
	d4  struct{ A, B []d3 }
	d5  struct{ A, B []d4 }
	d6  struct{ A, B []d5 }
	d7  struct{ A, B []d6 }
	d8  struct{ A, B []d7 }
	d9  struct{ A, B []d8 }
	d10 struct{ A, B []d9 }
	d11 struct{ A, B []d10 }
	d12 struct{ A, B []d11 }
	d13 struct{ A, B []d12 }
	d14 struct{ A, B []d13 }
)

// TestUnfolding checks that such a type has definitions if its document would be larger than 40 kB, and is refused if
// nothing can be shared, instead of exhausting memory. The document of d6 has 26 kB.
func TestUnfolding(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		goType reflect.Type
		refs   bool
	}{{reflect.TypeFor[d6](), false}, {reflect.TypeFor[d7](), true}, {reflect.TypeFor[d9](), true}, {reflect.TypeFor[d14](), true}} {
		typ, err := reflectschema.Compile(tt.goType, reflectschema.DirectionInput)
		if err != nil {
			t.Errorf("%s: %v", tt.goType, err)
		} else if refs := strings.Contains(string(typ.Schema().JSON()), "$ref"); refs != tt.refs {
			t.Errorf("%s: references: %v, want %v", tt.goType, refs, tt.refs)
		}
	}
	nameless := reflect.TypeFor[int]()
	for range 14 {
		list := reflect.SliceOf(nameless)
		nameless = reflect.StructOf([]reflect.StructField{{Name: "A", Type: list}, {Name: "B", Type: list}})
	}
	_, err := reflectschema.Compile(nameless, reflectschema.DirectionInput)
	if err == nil || !strings.Contains(err.Error(), "more than 10000 parts") {
		t.Errorf("got error %.300v, want one about the number of parts", err)
	}
}

// TestHookErrors checks that errors of the author's schema methods are reported as mistakes of the type.
func TestHookErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason string
		value        any
		want         string
	}{
		{"panic", "a panic names the method", struct{ P Panics }{}, "Panics: its JSONSchema method panicked: not now"},
		{"nil", "nil is not a schema", struct{ R ReturnsNil }{}, "ReturnsNil: its JSONSchema method returned nil"},
		{"not a schema", "the authority must accept the document", struct{ N Nonsense }{}, "the schema is not valid"},
		{"broken reference", "nothing outside the document", struct{ U Unlinked }{}, "the schema is not valid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := reflectschema.Compile(reflect.TypeOf(tt.value), reflectschema.DirectionInput)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: got error %v, want %q", tt.reason, err, tt.want)
			}
		})
	}
}
