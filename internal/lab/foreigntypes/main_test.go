package main

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// plain has a field of each kind whose nil encoding/json writes.
type plain struct {
	List  []int          `json:"list"`
	Map   map[string]int `json:"map"`
	Zero  []int          `json:"zero,omitzero"`
	Any   any            `json:"any"`
	Point *plain         `json:"point"`
}

func TestSameJSON(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		same       bool
	}{
		{"spaces", `{"a": [1, 2]}`, `{"a":[1,2]}`, true},
		{"escapes", `{"a":"\u003c"}`, `{"a":"<"}`, true},
		{"digits", `1.0`, `1`, false},
		{"large numbers", `9007199254740993`, `9007199254740992`, false},
		{"order", `{"a":1,"b":2}`, `{"b":2,"a":1}`, false},
		{"null", `{"a":null}`, `{}`, false},
		{"a longer list", `[1]`, `[1,2]`, false},
		{"nothing", ``, `null`, false},
	} {
		if got := sameJSON([]byte(tt.a), []byte(tt.b)); got != tt.same {
			t.Errorf("%s: sameJSON(%s, %s) = %v", tt.name, tt.a, tt.b, got)
		}
	}
}

func TestWithEmptyLists(t *testing.T) {
	v := plain{Any: []string(nil), Point: &plain{}}
	got, err := json.Marshal(withEmptyLists(reflect.ValueOf(&v)).Interface())
	want := `{"list":[],"map":{},"any":[],"point":{"list":[],"map":{},"any":null,"point":null}}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	if v.List != nil || v.Point.List != nil || v.Any == nil {
		t.Errorf("the value itself was changed: %+v", v)
	}
}

func TestWithoutNulls(t *testing.T) {
	schema, err := compileSanthosh([]byte(`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"integer"}}},"any":{}},"required":["any"],"additionalProperties":false}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, document, want string }{
		{"an optional member", `{"a":{"b":null},"any":1}`, `{"a":{},"any":1}`},
		{"a member that may be null", `{"any":null}`, `{"any":null}`},
		{"an unknown member", `{"any":1,"unknown":null}`, ``},
		{"a required member", `{"a":null}`, ``},
		{"another mistake", `{"a":{"b":"text"},"any":1}`, ``},
	} {
		got, ok := withoutNulls(schema, []byte(tt.document))
		if string(got) != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: got %s, %v, want %s", tt.name, got, ok, tt.want)
		}
	}
}

func TestValues(t *testing.T) {
	for _, v := range values(reflect.TypeFor[Required[time.Time]](), 0, 1)[1:] {
		if filled, ok := v.Interface().(*Required[time.Time]); !ok || filled.V.IsZero() {
			t.Errorf("a value with every field set has the time %v", v.Elem())
		}
	}
	a, b := values(reflect.TypeFor[plain](), 5, 7), values(reflect.TypeFor[plain](), 5, 7)
	for i := range a {
		if !reflect.DeepEqual(a[i].Interface(), b[i].Interface()) {
			t.Errorf("value %d is different in another run with the same seed", i)
		}
	}
}

func TestMutate(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // documents that can be repeated
	kinds := map[string]bool{}
	for range 200 {
		switch mutant := string(mutate(random, []byte(`{"a":"text"}`))); {
		case mutant == `{}`:
			kinds["removed"] = true
		case mutant == `{"a":null}`:
			kinds["null"] = true
		case strings.Contains(mutant, "unknown"):
			kinds["added"] = true
		}
	}
	if len(kinds) != 3 {
		t.Errorf("got only %v", kinds)
	}
}

// TestWrong checks that each wrong result and verdict is reported.
func TestWrong(t *testing.T) {
	c := &checker{report: newReport(), seed: 1}
	s := of[Required[int]]()
	value := reflect.ValueOf(&Required[int]{V: 7})
	c.checkWritten(s, value, []byte(`{"v":7}`), nil)
	c.checkWritten(s, value, []byte(`{"v":8}`), nil)
	c.checkWritten(of[Required[[]int]](), reflect.ValueOf(&Required[[]int]{}), []byte(`{"v":[]}`), nil)
	c.checkWritten(of[Required[*int]](), reflect.ValueOf(&Required[*int]{}), []byte(`{"v":[]}`), nil)
	tool, err := define(s.argument)
	if err != nil {
		t.Fatal(err)
	}
	documents := [][]byte{[]byte(`{"v":1}`), []byte(`{"v":1}`), []byte(`{"v":"text"}`), []byte(`{}`), []byte(`{"v":1e2}`)}
	schema, err := compileSanthosh([]byte(`{"properties":{"v":{"minimum":2}}}`))
	if err != nil {
		t.Fatal(err)
	}
	refused := []string{"", "wrong", "wrong", "", ""}
	for i := range documents {
		c.checkDecoded(t.Context(), s, tool, documents, i, verdicts{schema: schema, ajv: refused, santhosh: refused})
	}
	c.checkEqual(of[big.Int](), nil, reflect.ValueOf(big.NewInt(1)), reflect.ValueOf(big.NewInt(2)))
	c.report.rows = []row{{name: "Required[int]"}}
	var kinds []string
	for kind, list := range c.report.failures {
		for range list {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	if want := []string{
		"a result differs from encoding/json", "a result differs from encoding/json",
		"arguments are accepted that do not fit the schema", "arguments are decoded to another value than by encoding/json",
		"arguments are refused that fit the schema",
	}; !slices.Equal(kinds, want) {
		t.Errorf("got %q, want %q", kinds, want)
	}
	for what, want := range map[string]int{asEncodingJSON: 1, nilsAreEmpty: 1, decodedAlike: 1, refusedAlike: 1, integerAsFraction: 1} {
		if got := c.report.counts[what]; got != want {
			t.Errorf("%s: got %d, want %d", what, got, want)
		}
	}
	if err := c.report.verdict(2, 1); err == nil || !strings.HasPrefix(err.Error(), "1 types accepted as arguments, of 2 at least\n") {
		t.Errorf("verdict: %v", err)
	}
}
