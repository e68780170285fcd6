package reflectschema

import (
	"reflect"
	"slices"
	"testing"

	"github.com/invopop/jsonschema"
)

// TestIsUsual: a schema with one field set is usual if that is one of usualFields, and only then, so that render passes over
// no keyword.
func TestIsUsual(t *testing.T) {
	t.Parallel()
	if !isUsual(new(jsonschema.Schema)) {
		t.Error("an empty schema is not usual")
	}
	for _, f := range schemaFields {
		s := new(jsonschema.Schema)
		field := reflect.ValueOf(s).Elem().Field(f.index)
		switch field.Kind() {
		case reflect.Pointer:
			field.Set(reflect.New(field.Type().Elem()))
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
		case reflect.Map:
			field.Set(reflect.MakeMap(field.Type()))
		case reflect.String:
			field.SetString("x")
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Interface:
			field.Set(reflect.ValueOf("x"))
		default:
			t.Fatalf("%s: a field of kind %v", f.keyword, field.Kind())
		}
		if got, want := isUsual(s), slices.Contains(usualFields, f); got != want {
			t.Errorf("a schema with %s: isUsual is %t, want %t", f.keyword, got, want)
		}
	}
}
