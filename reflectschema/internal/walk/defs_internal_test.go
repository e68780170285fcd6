package walk

import (
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

type (
	box[T any]     struct{ V T }
	two[A, B any]  struct{ A, B *box[A] }
	Größe[T any]   struct{ V T }
	taggedArgument = box[struct {
		A int `json:"a/b"`
	}]
)

// TestDefName checks that the name of a definition is readable, and valid in a reference.
func TestDefName(t *testing.T) {
	t.Parallel()
	type local struct{}
	for _, tt := range []struct {
		goType reflect.Type
		want   string
	}{
		{reflect.TypeFor[hook](), "hook"},
		{reflect.TypeFor[local](), "local"},
		{reflect.TypeFor[box[int]](), "box_int"},
		{reflect.TypeFor[box[local]](), "box_local"},
		{reflect.TypeFor[two[string, box[reflect.Value]]](), "two_string_box_Value"},
		{reflect.TypeFor[box[map[string][]*hook]](), "box_map_string_hook"},
		{reflect.TypeFor[Größe[int]](), "Gr__e_int"},
		{reflect.TypeFor[taggedArgument](), "box_struct_A_int_b___"},
	} {
		if got := defName(tt.goType); got != tt.want {
			t.Errorf("name of %s = %q, want %q", tt.goType.Name(), got, tt.want)
		}
	}
}

// TestNameDefs checks that equal names are made distinct, deterministically.
func TestNameDefs(t *testing.T) {
	t.Parallel()
	first, second := localList1(), localList2()
	r := NewResolver(codec.Output)
	r.Run(reflect.StructOf([]reflect.StructField{
		{Name: "A", Type: first},
		{Name: "B", Type: second},
		{Name: "C", Type: reflect.TypeFor[recursiveAlone]()},
	}))
	got := map[string]bool{}
	for _, name := range nameDefs(recursiveOf(r)) {
		got[name] = true
	}
	want := map[string]bool{"walk.list_1": true, "walk.list_2": true, "recursiveAlone": true}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("names = %v, want %v", got, want)
	}
}

type recursiveAlone struct{ Next *recursiveAlone }

func localList1() reflect.Type {
	type list struct{ Next *list }
	return reflect.TypeFor[list]()
}

func localList2() reflect.Type {
	type list struct{ Next []list }
	return reflect.TypeFor[list]()
}
