package reflectschema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema/internal/sample"
)

// TestPlanViolations holds the violations that plans find against those of the authority, for samples of each type of the
// corpus that do not fit, and shows that most can be found by the plan.
func TestPlanViolations(t *testing.T) {
	t.Parallel()
	found, wrong := map[string]int{}, map[string]int{}
	for _, typ := range slices.Concat(corpus(t), corpusKeywords(t), generated(t, 100)) {
		name := typ.goType.String()
		if typ.goType.PkgPath() == "" {
			name = "generated"
		}
		for _, s := range typ.Schema().Samples() {
			if s.Fits {
				if violationsAgree(t, typ, s.JSON) {
					t.Errorf("%v: %s fits, and the plan finds a violation", typ.goType, s.JSON)
				}
				continue
			}
			wrong[name]++
			if violationsAgree(t, typ, s.JSON) {
				found[name]++
			}
		}
	}
	for name, n := range wrong {
		t.Logf("%s: %d of %d", name, found[name], n)
	}
	for _, name := range []string{"reflectschema.corpusIn", "reflectschema.corpusNumbers", "reflectschema.corpusTexts", "generated"} {
		if found[name] == 0 || found[name] < wrong[name]/2 {
			t.Errorf("%s: the plan finds the violations of %d of %d samples", name, found[name], wrong[name])
		}
	}
}

// TestPlanViolationsOf are cases that no sample is.
func TestPlanViolationsOf(t *testing.T) {
	t.Parallel()
	type pair struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	deep := reflect.TypeFor[[]pair]()
	for range 140 {
		deep = reflect.SliceOf(deep)
	}
	long := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"a"`}, {Name: "R", Type: deep, Tag: `json:"r"`}})
	exponents, wrong := make([]string, 9000), make([]string, 31)
	for i := range exponents {
		exponents[i] = fmt.Sprintf("enum=%d.5e-300", i)
	}
	for i := range wrong {
		wrong[i] = fmt.Sprintf("%d.25e999", i)
	}
	costly := reflect.StructOf([]reflect.StructField{{
		Name: "N", Type: reflect.TypeFor[[]json.Number](), Tag: reflect.StructTag(fmt.Sprintf("json:\"n\" jsonschema:%q", strings.Join(exponents, ","))),
	}})
	for _, test := range []struct {
		goType reflect.Type
		data   string
		found  bool // by the plan
	}{
		{reflect.TypeFor[corpusExtra](), `{"a":"1","extra":3}`, false},
		{reflect.TypeFor[corpusExtra](), `{"a":1,"extra":2}`, false},
		{reflect.TypeFor[corpusExtra](), `{"a":1,"inner":[{"b":"","extra":2}]}`, false},
		{reflect.TypeFor[corpusExtra](), `{"a":"1","other":3}`, true},
		{long, `{"a":"x","r":` + strings.Repeat("[", 141) + `{"a":1,"b":1,"` + strings.Repeat("n", 3730) + `":1}` + strings.Repeat("]", 141) + `}`, false},
		{costly, `{"n":[` + strings.Join(wrong, ",") + `]}`, false},
		{reflect.TypeFor[corpusTexts](), `{"short":"` + strings.Repeat("x", 1000) + `"}`, false},
		{reflect.TypeFor[corpusTexts](), `{"short":"x","regex":"("}`, false},
		{reflect.TypeFor[[]int](), `[` + strings.Repeat(`"",`, maxPlanViolations) + `""]`, false},
		{reflect.TypeFor[[]int](), `[` + strings.Repeat(`"",`, maxPlanViolations-1) + `""]`, true},
		{reflect.TypeFor[[]int](), strings.Repeat(" ", maxPlanWrong) + `[""]`, false},
	} {
		typ, err := Compile(test.goType, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if found := violationsAgree(t, typ, []byte(test.data)); found != test.found {
			t.Errorf("%s: the plan finds the violations: %t", test.data[:min(len(test.data), 100)], found)
		}
	}
}

// TestPlanViolationsMemory: what is decoded to find violations counts as much as what is decoded to return it.
func TestPlanViolationsMemory(t *testing.T) {
	type padded struct {
		Pad [4 << 20]byte `json:"-"`
		Z   int           `json:"z"`
		A   *padded       `json:"a,omitempty"`
	}
	typ, err := Compile(reflect.TypeFor[padded](), Options{})
	if err != nil {
		t.Fatal(err)
	}
	const levels = 200
	data := strings.Repeat(`{"z":1,"a":`, levels) + `{"z":"x"}` + strings.Repeat("}", levels)
	dst := reflect.New(typ.goType).Elem()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = typ.Decode([]byte(data), dst)
	runtime.ReadMemStats(&after)
	if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; err == nil || mib > 300 {
		t.Errorf("decoding %d bytes allocates %d MiB; %v", len(data), mib, err)
	}
}

// TestExampleCache: examples are kept by what they show, not many of them, and none that takes a long key.
func TestExampleCache(t *testing.T) {
	t.Parallel()
	var c exampleCache
	made := 0
	ask := func(name string) string {
		about := []Violation{{Keyword: "type", Pointer: "/" + name + "/17"}}
		return c.example(about, []string{"/oneOf/1"}, func(w sample.Wanted) []byte {
			made++
			if !w.Members["/"+name] || !w.Members["/"+name+"/0"] || len(w.Members) != 2 || !slices.Equal(w.Branches, []string{"/oneOf/1"}) {
				t.Errorf("%s: an example is wanted with %v", name, w)
			}
			return []byte(name)
		})
	}
	for i := range 100 {
		name := fmt.Sprintf("m%d", i)
		for range 2 {
			if got := ask(name); got != name {
				t.Errorf("the example for %s is %s", name, got)
			}
		}
	}
	if made != 100 || len(c.kept) != maxExamplesKept {
		t.Errorf("%d examples were made and %d are kept", made, len(c.kept))
	}
	long := string(make([]byte, maxExampleKey))
	ask(long)
	ask(long)
	if made != 102 {
		t.Errorf("%d examples were made, of which two have a long key", made)
	}
	// What clients make up does not count: the member that is not allowed, the number of the item.
	key := func(v Violation) string { return string(appendExampleKey(nil, []Violation{v}, nil)) }
	one := key(Violation{Keyword: "additionalProperties", Pointer: "/items/1/qtty", Suggest: "qty"})
	if other := key(Violation{Keyword: "additionalProperties", Pointer: "/items/9/kwty", Suggest: "qty"}); one != other {
		t.Errorf("the keys are %q and %q", one, other)
	}
	if other := key(Violation{Keyword: "additionalProperties", Pointer: "/items/1/qtty"}); one == other {
		t.Errorf("the key does not tell which member was meant: %q", one)
	}
	// Names may hold any character, and a branch is no place.
	for _, name := range []string{"\x00", "\x01", "\x02/b", "/b"} {
		two := string(appendExampleKey(nil, []Violation{{Pointer: "/a"}, {Pointer: "/b"}}, nil))
		if other := key(Violation{Pointer: "/a" + name}); two == other || other == string(appendExampleKey(nil, []Violation{{Pointer: "/a"}}, []string{name})) {
			t.Errorf("%q: the keys of different examples are equal", name)
		}
	}
}

// TestExamplesOfMany: errors that are read at the same time show the same example.
func TestExamplesOfMany(t *testing.T) {
	t.Parallel()
	typ, err := Compile(reflect.TypeFor[corpusIn](), Options{})
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
