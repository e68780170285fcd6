package reflectschema

import (
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// TestExampleCache: examples are cached by the violations, in limited number, and not for long keys.
func TestExampleCache(t *testing.T) {
	t.Parallel()
	schema := jsondoc.Parse([]byte(`{"type":"object"}`))
	var c exampleCache
	made := 0
	ask := func(name string) string {
		about := []Violation{{Keyword: "type", Pointer: "/" + name + "/17"}}
		return c.example(schema, about, []string{"/oneOf/1"}, func([]byte) bool {
			made++
			return true
		})
	}
	for i := range 100 {
		name := fmt.Sprintf("m%d", i)
		for range 2 {
			if got := ask(name); got != "{}" {
				t.Errorf("example for %s = %s", name, got)
			}
		}
	}
	if made != 100 || len(c.kept) != maxExamplesKept {
		t.Errorf("%d examples generated, %d kept", made, len(c.kept))
	}
	long := string(make([]byte, maxExampleKey))
	ask(long)
	ask(long)
	if made != 102 {
		t.Errorf("%d examples generated, want 102: long keys are not cached", made)
	}
	if got := mentioned([]Violation{{Keyword: "type", Pointer: "/m/17"}}); !got["/m"] || !got["/m/0"] || len(got) != 2 {
		t.Errorf("members of the example = %v", got)
	}
	// The key does not depend on input of clients: the unknown member, or the index of the item.
	key := func(v Violation) string { return string(appendExampleKey(nil, []Violation{v}, nil)) }
	one := key(Violation{Keyword: "additionalProperties", Pointer: "/items/1/qtty", Suggest: "qty"})
	if other := key(Violation{Keyword: "additionalProperties", Pointer: "/items/9/kwty", Suggest: "qty"}); one != other {
		t.Errorf("keys %q and %q, want equal keys", one, other)
	}
	if other := key(Violation{Keyword: "additionalProperties", Pointer: "/items/1/qtty"}); one == other {
		t.Errorf("the key lacks the suggested member: %q", one)
	}
	// Names may contain any character, and a branch is not a location.
	for _, name := range []string{"\x00", "\x01", "\x02/b", "/b"} {
		two := string(appendExampleKey(nil, []Violation{{Pointer: "/a"}, {Pointer: "/b"}}, nil))
		if other := key(Violation{Pointer: "/a" + name}); two == other || other == string(appendExampleKey(nil, []Violation{{Pointer: "/a"}}, []string{name})) {
			t.Errorf("%q: the keys of different examples are equal", name)
		}
	}
}

// TestExamplesOfMany: errors whose texts are built concurrently have the same example.
func TestExamplesOfMany(t *testing.T) {
	t.Parallel()
	typ, err := Compile(reflect.TypeFor[corpusIn](), DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 50 {
				var v corpusIn
				data := fmt.Sprintf(`{"location":"Lisbon","days":3,"%s":%d}`, []string{"units", "x", "days2"}[i%3], i)
				err := typ.Decode([]byte(data), reflect.ValueOf(&v).Elem())
				if _, again := typ.decodeSlow([]byte(data), reflect.ValueOf(&v).Elem(), nil); err == nil || err.Error() != again.Error() {
					t.Errorf("%s: %v, then %v", data, err, again)
				}
			}
		})
	}
	group.Wait()
}
