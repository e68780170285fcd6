package reflectschema_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/golden"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// typeCount is how many kinds of Go types there are on which a schema and
// encoding/json can part ways. Each is a case of the table.
const typeCount = 89

// A typeCase is a Go type with values of it. What we answer, for both
// directions, is in testdata/schemas.golden.
type typeCase struct {
	name   string
	reason string
	values []any // the first one gives the type
}

// TestTypes holds our answer to every type: a schema, or why there is none.
func TestTypes(t *testing.T) {
	t.Parallel()
	if len(typeCases) != typeCount {
		t.Errorf("%d types, want %d", len(typeCases), typeCount)
	}
	file := golden.Open(t, "testdata/schemas.golden")
	names := map[string]bool{}
	for _, tt := range typeCases {
		if tt.reason == "" || names[tt.name] {
			t.Errorf("case %q has no reason, or its name is taken", tt.name)
		}
		names[tt.name] = true
		goType := reflect.TypeOf(tt.values[0])
		file.Check(t, tt.name, tt.reason+answers(goType, "in ", reflectschema.DirectionInput)+answers(goType, "out", reflectschema.DirectionOutput))
	}
}

// answers has the answer for a type, and the one for a type of the author's own if that differs.
func answers(t reflect.Type, name string, d reflectschema.Direction) string {
	_, err := compileOwn(t, reflectschema.Options{Direction: d})
	text := "\n" + name + " " + answer(t, d)
	if err != nil && answer(t, d) != lines(err) {
		text += "\nown " + lines(err)
	}
	return text
}

// answer is the document for a type, or the errors, one per line.
func answer(t reflect.Type, d reflectschema.Direction) string {
	compiled, err := reflectschema.Compile(t, reflectschema.Options{Direction: d})
	if err == nil {
		return string(compiled.Schema().JSON())
	}
	return lines(err)
}

func lines(err error) string { return strings.ReplaceAll(err.Error(), "\n", "\n    ") }

// TestTypesLegal holds that no document says what some client cannot read.
func TestTypesLegal(t *testing.T) {
	t.Parallel()
	for _, tt := range typeCases {
		for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
			compiled, err := reflectschema.Compile(reflect.TypeOf(tt.values[0]), reflectschema.Options{Direction: d})
			if err != nil {
				continue
			}
			doc := compiled.Schema()
			text := string(doc.JSON())
			if _, err := reflectschema.ParseSchema(doc.JSON()); err != nil {
				t.Errorf("%s: ParseSchema refuses the document: %v", tt.name, err)
			}
			if string(doc.Legacy()) != text {
				t.Errorf("%s: older clients need another document: %s", tt.name, doc.Legacy())
			}
			for _, never := range []string{":true,", `"$schema"`, `"$id"`, "u003c"} {
				if strings.Contains(text, never) {
					t.Errorf("%s: %s in %s", tt.name, never, text)
				}
			}
			if d == reflectschema.DirectionInput && strings.Contains(text, `"type":[`) && !strings.Contains(tt.name, "nullable") {
				t.Errorf("%s: an input has a list of types: %s", tt.name, text)
			}
			if strings.Contains(text, "$ref") && !strings.Contains(tt.name, "recursive") {
				t.Errorf("%s: a $ref where nothing is recursive: %s", tt.name, text)
			}
			if strings.Count(text, `"type":"object"`)+strings.Count(text, `"type":["object"`) != strings.Count(text, `"properties":`) {
				t.Errorf("%s: an object without properties: %s", tt.name, text)
			}
		}
	}
}

// TestTypeErrors holds that an error can be taken apart.
func TestTypeErrors(t *testing.T) {
	t.Parallel()
	type item struct {
		Chan chan int `json:"c"`
		Bad  int      `json:"b" jsonschema:"minimun=3"`
	}
	type list struct {
		Items []item `json:"items"`
	}
	_, err := reflectschema.Compile(reflect.TypeFor[list](), reflectschema.Options{})
	var all reflectschema.TypeErrors
	if !errors.As(err, &all) || len(all) != 2 {
		t.Fatalf("error is %v, want two mistakes", err)
	}
	want := reflectschema.TypeError{
		Type: "reflectschema_test.item", Path: "items[].b", Field: "Bad", Tag: "minimun=3",
		Reason: `unknown keyword "minimun"`, Fix: "write minimum",
	}
	if *all[1] != want {
		t.Errorf("second mistake is %+v, want %+v", *all[1], want)
	}
	var one *reflectschema.TypeError
	if !errors.As(err, &one) || one.Path != "items[].c" {
		t.Errorf("first mistake is %v, want the one at items[].c", one)
	}
}

// TestDeterministic holds that the bytes of a document depend on nothing but the
// type. The cache would hide a difference, so each document is of a new type.
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

// Types whose parts double with each level: d14 written out has 2^14 leaves.
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

// TestUnfolding tests that such a type has definitions if its document would be larger than 40 kB, and is refused,
// instead of taking the memory of the machine, if there is nothing to refer to. With d6 the document has 26 kB.
func TestUnfolding(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		goType reflect.Type
		refs   bool
	}{{reflect.TypeFor[d6](), false}, {reflect.TypeFor[d7](), true}, {reflect.TypeFor[d9](), true}, {reflect.TypeFor[d14](), true}} {
		typ, err := reflectschema.Compile(tt.goType, reflectschema.Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.goType, err)
		} else if refs := strings.Contains(string(typ.Schema().JSON()), "$ref"); refs != tt.refs {
			t.Errorf("%s: has references: %v, want %v", tt.goType, refs, tt.refs)
		}
	}
	nameless := reflect.TypeFor[int]()
	for range 14 {
		list := reflect.SliceOf(nameless)
		nameless = reflect.StructOf([]reflect.StructField{{Name: "A", Type: list}, {Name: "B", Type: list}})
	}
	_, err := reflectschema.Compile(nameless, reflectschema.Options{})
	if err == nil || !strings.Contains(err.Error(), "more than 10000 parts") {
		t.Errorf("error is %.300v, want one about the number of parts", err)
	}
}

// TestHookErrors holds that what goes wrong in an author's method is told as a
// mistake of the type.
func TestHookErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason string
		value        any
		want         string
	}{
		{"panic", "a panic names the method", struct{ P Panics }{}, "Panics: its JSONSchema method panicked: not now"},
		{"nil", "no schema is no answer", struct{ R ReturnsNil }{}, "ReturnsNil: its JSONSchema method returned nil"},
		{"not a schema", "the authority must take the document", struct{ N Nonsense }{}, "the schema is not valid"},
		{"broken reference", "nothing outside the document", struct{ U Unlinked }{}, "the schema is not valid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := reflectschema.Compile(reflect.TypeOf(tt.value), reflectschema.Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: error is %v, want %q in it", tt.reason, err, tt.want)
			}
		})
	}
}
