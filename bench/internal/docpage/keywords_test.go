package docpage_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/tagcase"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestKeywordsAreSaid checks that every keyword of the tag affects the rows of a field, or has a reason not to.
func TestKeywordsAreSaid(t *testing.T) {
	t.Parallel()
	fields := reflect.TypeFor[tagcase.Fields]()
	for i, c := range tagcase.Cases {
		f := fields.Field(i)
		with := factsOf(t, f)
		f.Tag = reflect.StructTag(fmt.Sprintf("json:%q", f.Tag.Get("json")))
		if f.Type.Kind() == reflect.Struct { // its own blank field has the tag
			f.Type = reflect.StructOf([]reflect.StructField{f.Type.Field(1)})
		}
		without := factsOf(t, f)
		if hasFact := with != without; hasFact != (c.NoFact == "") {
			t.Errorf("%s: the page says %s, and without it %s; no fact: %q (bench/docpage/facts.go)", c.Keyword, with, without, c.NoFact)
		}
	}
}

// factsOf returns all text of a page about a field of an argument.
func factsOf(t *testing.T, f reflect.StructField) string {
	t.Helper()
	compiled, err := reflectschema.Compile(reflect.StructOf([]reflect.StructField{f}), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(inputOf(t, fmt.Sprintf(`{"name":"t","inputSchema":%s}`, compiled.Schema().JSON())))
}
