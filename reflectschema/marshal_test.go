package reflectschema_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcptool-go/mcptool/reflectschema"
)

type (
	storedInner struct {
		Unit string `json:"unit" jsonschema:"default=celsius"`
		N    int    `json:"n" jsonschema:"minimum=1"`
	}
	storedAll struct {
		Target   Target            `json:"target"`
		Targets  []Target          `json:"targets"`
		Maybe    Target            `json:"maybe" jsonschema:"optional"`
		Pointer  *storedInner      `json:"pointer"`
		Pointers []*int            `json:"pointers"`
		Left     string            `json:"left,omitempty" jsonschema:"default=full"`
		Kept     string            `json:"kept" jsonschema:"default=full"`
		Inner    storedInner       `json:"inner,omitzero"`
		Struct   storedInner       `json:"struct,omitempty"`
		Optional storedInner       `json:"optional" jsonschema:"optional"`
		Must     int               `json:"must,omitempty" jsonschema:"required"`
		Rat      *big.Rat          `json:"rat"`
		Int      big.Int           `json:"int"`
		ByNumber map[int]Target    `json:"by_number"`
		Took     time.Duration     `json:"took"`
		Number   json.Number       `json:"number"`
		Raw      json.RawMessage   `json:"raw"`
		Texts    map[string]string `json:"texts,omitempty"`
		*StoredPart
	}
	StoredPart struct {
		Part string `json:"part,omitempty"`
	}
	writeOnly struct{ N int }
)

func (writeOnly) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

// likeStored compares values except for differences that are not stored.
var likeStored = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b big.Int) bool { return a.Cmp(&b) == 0 }),
	cmp.Comparer(func(a, b *big.Rat) bool { return a == b || a != nil && b != nil && a.Cmp(b) == 0 }),
}

func TestStored(t *testing.T) {
	t.Parallel()
	zero := storedAll{Target: Disk{Path: "/"}, Number: "0", Raw: json.RawMessage("null")}
	full := storedAll{
		Target: Bucket{Name: "b", Region: ""}, Targets: []Target{Disk{}, Bucket{}}, Maybe: Disk{Path: "x"},
		Pointer: &storedInner{Unit: "", N: 1}, Pointers: []*int{nil, new(7)}, Left: "ab", Inner: storedInner{N: 2}, Struct: storedInner{N: 3}, Optional: storedInner{N: 4},
		Must: 1, Rat: big.NewRat(1, 3), Int: *new(big.Int).Lsh(big.NewInt(1), 90), ByNumber: map[int]Target{-2: Disk{Path: "y"}}, Took: time.Second,
		Number: "1.50", Raw: json.RawMessage(`{"a":[1]}`), Texts: map[string]string{"<": ">"}, StoredPart: &StoredPart{Part: "p"},
	}
	for name, v := range map[string]storedAll{"zero": zero, "full": full} {
		data, err := reflectschema.Marshal(v)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := reflectschema.Unmarshal[storedAll](data)
		if err != nil {
			t.Fatalf("%s: %s: %v", name, data, err)
		}
		if diff := cmp.Diff(v, got, likeStored); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", name, data, diff)
		}
	}
}

// TestStoredRoot: the root may be of a type that is not allowed as a root otherwise.
func TestStoredRoot(t *testing.T) {
	t.Parallel()
	rootAgrees(t, Target(Disk{Path: "/"}), `{"kind":"disk","path":"/"}`)
	rootAgrees(t, Target(nil), `null`)
	rootAgrees(t, (*Disk)(nil), `null`)
	rootAgrees(t, &Disk{Path: "/"}, `{"path":"/"}`)
	rootAgrees(t, []Target{Disk{}}, `[{"kind":"disk","path":""}]`)
	rootAgrees(t, map[int8][]byte{-1: {1}}, `{"-1":"AQ=="}`)
	rootAgrees(t, any(nil), `null`)
	rootAgrees(t, any(1.5), `1.5`)
	rootAgrees(t, json.RawMessage(`null`), `null`)
	rootAgrees(t, 7*time.Second, `7000000000`)
	rootAgrees(t, "", `""`)
	rootAgrees(t, struct{}{}, `{}`)
}

func rootAgrees[T any](t *testing.T, v T, want string) {
	t.Helper()
	data, err := reflectschema.Marshal(v)
	if err != nil || string(data) != want {
		t.Errorf("Marshal(%T %+v) = %s, %v; want %s", v, v, data, err, want)
		return
	}
	back, err := reflectschema.Unmarshal[T](data)
	if diff := cmp.Diff(v, back, likeStored); err != nil || diff != "" {
		t.Errorf("%s, %v (-want +got):\n%s", data, err, diff)
	}
}

// TestStoredEarlier: data stored before a field was added can be decoded if the field is optional or has a default.
func TestStoredEarlier(t *testing.T) {
	t.Parallel()
	type later struct {
		A int    `json:"a"`
		B string `json:"b" jsonschema:"default=x"`
		C string `json:"c,omitempty"`
		D *int   `json:"d,omitzero"`
		E []int  `json:"e" jsonschema:"optional"`
	}
	got, err := reflectschema.Unmarshal[later]([]byte(`{"a":1}`))
	if diff := cmp.Diff(later{A: 1, B: "x"}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for data, want := range map[string]string{
		`{}`:            "a: is required but missing",
		`{"a":1,"z":2}`: "z: is not a known property",
		`{"a":null}`:    "a: must be an integer, got null",
		`null`:          "must be an object, got null",
		``:              "",
	} {
		got, err := reflectschema.Unmarshal[later]([]byte(data))
		if _, ok := errors.AsType[*reflectschema.InvalidError](err); !ok || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Example") {
			t.Errorf("%s: got %v, want %q and no example", data, err, want)
		}
		if diff := cmp.Diff(later{}, got); diff != "" {
			t.Errorf("%s: the value is not zero after an error:\n%s", data, diff)
		}
	}
}

// TestStoredMistakes: a type that would lose data is refused, in both directions, and so is a value that violates its
// constraints.
func TestStoredMistakes(t *testing.T) {
	t.Parallel()
	refuses[writeOnly](t, "has MarshalJSON but no UnmarshalJSON, which a stored value needs")
	refuses[struct{ W []writeOnly }](t, "add UnmarshalJSON")
	refuses[struct{ F *big.Float }](t, "big.Float does not read its own text back to an equal value")
	refuses[struct{ a int }](t, "has no exported field")
	refuses[func()](t, "has no form in JSON")
	refuses[interface{ unknown() }](t, "register its members")
	for name, err := range map[string]error{
		"minimum: must be at least 1": errorOf(reflectschema.Marshal(storedInner{Unit: "x"})),
		"null":                        errorOf(reflectschema.Marshal(struct{ T Target }{})),
	} {
		_, text, _ := strings.Cut(name, ": ")
		if _, ok := errors.AsType[*reflectschema.InvalidError](err); !ok || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func refuses[T any](t *testing.T, want string) {
	t.Helper()
	var v T
	_, read := reflectschema.Unmarshal[T]([]byte("{}"))
	for _, err := range []error{errorOf(reflectschema.Marshal(v)), read} {
		if _, ok := errors.AsType[reflectschema.TypeErrors](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: got %v, want %s", v, err, want)
		}
	}
}

func errorOf(_ []byte, err error) error { return err }

// TestAppendValue: a value is encoded by its dynamic type.
func TestAppendValue(t *testing.T) {
	t.Parallel()
	var none *Disk
	target := Target(Disk{Path: "/"})
	for name, test := range map[string]struct {
		value any
		want  string
	}{
		"nothing":                  {nil, `null`},
		"a nil pointer":            {none, `null`},
		"a pointer to one":         {&none, `null`},
		"a pointer to nil":         {new(Target), `null`},
		"a pointer to a pointer":   {new(&Disk{Path: "/"}), `{"path":"/"}`},
		"a struct":                 {Disk{Path: "/"}, `{"path":"/"}`},
		"a union by its type":      {&target, `{"kind":"disk","path":"/"}`},
		"a union in something":     {map[int]Target{7: target}, `{"7":{"kind":"disk","path":"/"}}`},
		"a nil slice":              {[]int(nil), `[]`},
		"a method on the pointer":  {*big.NewRat(1, 3), `"1/3"`},
		"a pointer with a method":  {big.NewRat(1, 3), `"1/3"`},
		"encoded":                  {json.RawMessage(` {"a" : 1 }`), `{"a":1}`},
		"encoded, and damaged":     {json.RawMessage("\"a\xff\""), "\"a\ufffd\""},
		"a number as it was":       {json.Number("1.50"), `1.50`},
		"anything in anything":     {map[string]any{"a": []any{1, nil, target}}, `{"a":[1,null,{"path":"/"}]}`},
		"a type that only encodes": {writeOnly{}, `1`},
	} {
		got, err := reflectschema.AppendValue([]byte("x"), test.value)
		if err != nil || string(got) != "x"+test.want {
			t.Errorf("%s: got %s, %v; want x%s", name, got, err, test.want)
		}
	}
	for name, value := range map[string]any{"no JSON": make(chan int), "a broken rule": storedInner{}, "no JSON inside": map[string]any{"a": func() {}}, "not JSON": json.RawMessage("{")} {
		if got, err := reflectschema.AppendValue([]byte("x"), value); err == nil || string(got) != "x" {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
}
