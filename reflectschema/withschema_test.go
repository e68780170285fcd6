package reflectschema_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestWithSchema checks that a type with a handwritten schema publishes it, and enforces both, with the plan and
// without.
func TestWithSchema(t *testing.T) {
	t.Parallel()
	type shelf struct {
		Name string `json:"name"`
		Size int    `json:"size,omitempty" jsonschema:"maximum=9,default=5"`
		Code string `json:"code,omitempty" jsonschema:"pattern=^[a-z]+$"`
	}
	own := compile[shelf](t, reflectschema.DirectionInput)
	for _, tt := range []struct{ name, reason, more string }{
		{"known keywords", "validated by the plan", ``},
		{"other keywords", "validated by the authority", `,"not":{"required":["never"]}`},
	} {
		given := `{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"integer","minimum":2,"maximum":9},"code":{"type":"string","pattern":"b"}},"required":["name"],"additionalProperties":false` + tt.more + `}`
		typ, err := own.WithSchema(parse(t, given))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := string(typ.Schema().JSON()); got != given || string(own.Schema().JSON()) == given {
			t.Errorf("%s: schema = %s; %s", tt.name, got, tt.reason)
		}
		for _, values := range []struct {
			data   string
			want   shelf
			refuse string
		}{
			{`{"name":"a","size":3,"code":"ab"}`, shelf{"a", 3, "ab"}, ""},
			{`{"name":"a"}`, shelf{Name: "a", Size: 5}, ""},
			{`{"name":"a","size":1}`, shelf{}, "size: must be at least 2, got 1\nExample: "},
			{`{"name":"a","size":1,"code":"B"}`, shelf{}, "code: must match the pattern b, got \"B\"\nsize: must be at least 2, got 1\nExample: "},
			{`{"name":"a","code":"b1"}`, shelf{}, "code: must match the pattern ^[a-z]+$, got \"b1\"\nExample: "},
		} {
			var got shelf
			err := typ.Decode([]byte(values.data), reflect.ValueOf(&got).Elem())
			if got != values.want || (err == nil) != (values.refuse == "") || err != nil && !strings.HasPrefix(err.Error(), values.refuse) {
				t.Errorf("%s: %s: got %+v, %v", tt.name, values.data, got, err)
			}
		}
		for _, v := range []struct {
			value shelf
			fits  bool
		}{{shelf{"a", 2, "b"}, true}, {shelf{"a", 1, "b"}, false}, {shelf{"a", 2, "c"}, false}, {shelf{"a", 2, "B"}, false}} {
			out, err := typ.AppendEncode([]byte("kept"), reflect.ValueOf(v.value))
			if (err == nil) != v.fits || !strings.HasPrefix(string(out), "kept") || !v.fits && string(out) != "kept" {
				t.Errorf("%s: %+v: encoded as %s, %v", tt.name, v.value, out, err)
			}
		}
	}
	if typ, err := own.WithSchema(parse(t, `{"type":"string"}`)); err == nil || typ != nil {
		t.Errorf("a schema that disagrees: got %v, %v", typ, err)
	}
}
