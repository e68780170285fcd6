package reflectschema_test

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// unionSeeds are valid and invalid JSON for the unions of the tests.
var unionSeeds = []string{
	`{"shape":{"type":"circle","radius":1}}`,
	`{"shape":{"radius":1,"fill":"blue","type":"circle"}}`,
	`{"shape":{"type":"group","shapes":[{"shapes":[{"side":1,"type":"square","tilt":3}],"type":"group"},{"type":"span","to":2}]}}`,
	`{"shape":{"t\u0079pe":"circle","radius":1}}`,
	`{"shape":{"type":"span","type":"span"}}`,
	`{"shape":{"type":["circle"],"radius":1}}`,
	`{"shape":null}`,
	`{"value":{"op":"and","args":[{"args":[{"op":"num","value":1}],"op":"or"},{"op":"not","args":[]}],"note":{"args":[]}}}`,
	`{"value":{"op":"num","value":1e2}}`,
	`{"value":{"op":"num","op2":"and","value":"1"}}`,
	`{"a":{"a kind":"beep","hertz":440},"b":{"value":7,"a kind":"box of \"ints\""},"c":{"a kind":"ring","radius":2}}`,
}

// FuzzUnion is FuzzDecode for types with unions.
func FuzzUnion(f *testing.F) {
	for _, seed := range unionSeeds {
		f.Add([]byte(seed))
	}
	watch, schemas := hang.Watch(f), unionKeywords(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		defer watch()()
		decodeAgrees[drawing](t, data)
		decodeAgrees[Box[Expr]](t, data)
		decodeAgrees[map[string]Sound](t, data)
		for _, both := range schemas {
			keywordsAgree(t, both, data)
		}
	})
}

// unionKeywords returns the schemas of types with unions, with anyOf and with oneOf.
func unionKeywords(tb testing.TB) (list [][2]*reflectschema.Schema) {
	tb.Helper()
	type either struct {
		Sound Sound `json:"sound" jsonschema:"nullable"`
	}
	for _, goType := range []reflect.Type{
		reflect.TypeFor[drawing](), reflect.TypeFor[Box[Expr]](), reflect.TypeFor[map[string]Sound](), reflect.TypeFor[either](),
	} {
		anyOf := compiled(tb, goType, reflectschema.DirectionInput).Schema()
		oneOf, err := reflectschema.ParseSchema(bytes.ReplaceAll(anyOf.JSON(), []byte(`"anyOf":`), []byte(`"oneOf":`)))
		if err != nil || bytes.Equal(anyOf.JSON(), oneOf.JSON()) {
			tb.Fatalf("parsing the schema with oneOf: %v\n%s", err, anyOf.JSON())
		}
		list = append(list, [2]*reflectschema.Schema{anyOf, oneOf})
	}
	return list
}

// keywordsAgree checks that a value has the same result and error with both schemas.
func keywordsAgree(t *testing.T, both [2]*reflectschema.Schema, data []byte) {
	t.Helper()
	text := func(err error) string {
		if err == nil {
			return "valid"
		}
		return err.Error()
	}
	if with, without := text(both[0].Check(data)), text(both[1].Check(data)); with != without {
		t.Errorf("%s:\nwith anyOf %s\nwith oneOf %s", data, with, without)
	}
}

// TestUnionKeywords checks that a union has the same results and errors with anyOf and oneOf, for valid and invalid
// samples.
func TestUnionKeywords(t *testing.T) {
	t.Parallel()
	for _, both := range unionKeywords(t) {
		var valid, invalid int
		for _, sample := range slices.Concat(samples.Of(both[0]), samples.Of(both[1])) {
			keywordsAgree(t, both, sample.JSON)
			if both[0].Check(sample.JSON) == nil {
				valid++
			} else {
				invalid++
			}
		}
		if valid < 3 || invalid < 3 {
			t.Errorf("%d valid and %d invalid samples of %s", valid, invalid, both[0].JSON())
		}
	}
}
