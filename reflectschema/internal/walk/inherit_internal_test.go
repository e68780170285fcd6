package walk

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Structs of TestInheritance.
type (
	structR struct{}
	structE struct{}
	structF struct{}
	structD struct{}
	structM struct{}
)

// TestInheritance describes structs as "name: key=value … > embedded …", and effective values as "key=value@from".
func TestInheritance(t *testing.T) {
	t.Parallel()
	types, names := map[string]reflect.Type{}, map[reflect.Type]string{}
	for _, goType := range []reflect.Type{reflect.TypeFor[structR](), reflect.TypeFor[structE](), reflect.TypeFor[structF](), reflect.TypeFor[structD](), reflect.TypeFor[structM]()} {
		name := strings.TrimPrefix(goType.Name(), "struct")
		types[name], names[goType] = goType, name
	}
	for _, test := range []struct {
		reason  string
		structs []string // the first is the root
		want    string
	}{
		{"nothing embedded", []string{"R: k=1"}, "k=1@R"},
		{"inherited", []string{"R: a=1 > E", "E: k=1"}, "a=1@R k=1@E"},
		{"inherited over two structs", []string{"R > E", "E > F", "F: k=1"}, "k=1@F"},
		{"the outer wins", []string{"R: k=1 > E", "E: k=2"}, "k=1@R"},
		{"the outer has the same value", []string{"R: k=1 > E", "E: k=1"}, "k=1@R"},
		{"each outer over its inner", []string{"R: k=1 > E", "E: k=2 > F", "F: k=3"}, "k=1@R"},
		{"side by side, different", []string{"R > E F", "E: k=1", "F: k=2"}, "k=1@E k=2@F"},
		{"side by side, the same", []string{"R > E F", "E: k=1", "F: k=1"}, "k=1@E"},
		{"side by side, set by the outer struct", []string{"R > M", "M: k=3 > E F", "E: k=1", "F: k=2"}, "k=3@M"},
		{"depth does not matter", []string{"R > M F", "M > E", "E: k=1", "F: k=2"}, "k=1@E k=2@F"},
		{"one struct over two others", []string{"R > E F", "E > D", "F > D", "D: k=1"}, "k=1@D"},
		{"overridden over one of two", []string{"R > E F", "E: k=2 > D", "F > D", "D: k=1"}, "k=2@E k=1@D"},
		{"a struct that embeds itself", []string{"R: k=1 > R E", "E: k=2 > R"}, "k=1@R"},
	} {
		own, embeds := map[reflect.Type][]typeItem{}, map[reflect.Type][]reflect.Type{}
		for _, text := range test.structs {
			head, inner, _ := strings.Cut(text, " > ")
			name, keys, _ := strings.Cut(head, ":")
			for _, pair := range strings.Fields(keys) {
				key, value, _ := strings.Cut(pair, "=")
				own[types[name]] = append(own[types[name]], typeItem{key, typeKeyword{prose: value}, types[name]})
			}
			for _, name := range strings.Fields(inner) {
				embeds[types[head[:1]]] = append(embeds[types[head[:1]]], types[name])
			}
		}
		asked := map[string]int{}
		in := inheritance{
			own:    func(s reflect.Type) []typeItem { asked[names[s]]++; return slices.Clip(own[s]) },
			embeds: func(s reflect.Type) []reflect.Type { return embeds[s] },
			known:  map[reflect.Type][]typeItem{},
		}
		items := in.resolve(types[test.structs[0][:1]])
		var got []string
		for _, item := range items {
			got = append(got, item.key+"="+item.value.prose+"@"+names[item.from])
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %q; want %q", test.reason, got, test.want)
		}
		for name, times := range asked {
			if times != 1 {
				t.Errorf("%s: %s was visited %d times", test.reason, name, times)
			}
		}
	}
}
