package verdict

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/crosscheck/pool"
)

// everything is a type with each keyword that the tests alter.
type everything struct {
	A int8              `json:"a" jsonschema:"minimum=3"`
	B string            `json:"b" jsonschema:"maxLength=4,pattern=^[a-z]*$"`
	C []string          `json:"c,omitempty" jsonschema:"maxItems=2,uniqueItems"`
	D map[string]uint16 `json:"d,omitempty"`
	E *float64          `json:"e"`
	F string            `json:"f,omitempty" jsonschema:"enum=x,enum=y"`
}

// TestNoticesDisagreement validates with a schema other than the published one: every change, in either direction, must
// be reported as a wrong verdict.
func TestNoticesDisagreement(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, old, changed string }{
		{"a higher minimum", `"minimum":3`, `"minimum":4`},
		{"a lower minimum", `"minimum":3`, `"minimum":2`},
		{"a length", `"maxLength":4`, `"maxLength":3`},
		{"a pattern", `^[a-z]*$`, `^[a-c]*$`},
		{"no pattern", `,"pattern":"^[a-z]*$"`, ``},
		{"a required member", `"required":["a","b"]`, `"required":["a"]`},
		{"another required member", `"required":["a","b"]`, `"required":["a","b","e"]`},
		{"other members", `"additionalProperties":false`, `"additionalProperties":true`},
		{"a count", `"maxItems":2`, `"maxItems":1`},
		{"repeated elements", `,"uniqueItems":true`, ``},
		{"a range", `"maximum":65535`, `"maximum":65534`},
		{"a type", `"e":{"type":"number"`, `"e":{"type":"string"`},
		{"null", `"e":{"type":"number"`, `"e":{"type":["number","null"]`},
		{"an enum", `["x","y"]`, `["x","z"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			trial, err := prepare(Type[everything]("everything", ""))
			if err == nil {
				schema := string(trial.in.Schema().JSON())
				if strings.Count(schema, tt.old) != 1 {
					t.Fatalf("%q is not in the schema once: %s", tt.old, schema)
				}
				trial.in.judge, err = newJudge([]byte(strings.Replace(schema, tt.old, tt.changed, 1)))
			}
			if err != nil {
				t.Fatal(err)
			}
			trial.in.samples = trial.in.fitting()
			r := &run{trial: trial, Rand: rand.New(rand.NewPCG(1, 2)), report: &Report{}}
			for range 20 {
				if r.inputs(t.Context(), 300); r.report.WrongTotal > 0 {
					return
				}
			}
			t.Errorf("no difference was reported:\n%+v", r.report)
		})
	}
}

// excused is a type for the documented differences.
type excused struct {
	Any   any              `json:"any,omitempty"`
	Int   int64            `json:"int,omitempty"`
	Even  float64          `json:"even,omitempty" jsonschema:"multipleOf=0.1"`
	Bytes []byte           `json:"bytes,omitempty"`
	Time  time.Time        `json:"time,omitzero"`
	Big   *big.Int         `json:"big,omitempty"`
	Keys  map[int8]bool    `json:"keys,omitempty"`
	Turns time.Duration    `json:"turns,omitempty"`
	List  []float32        `json:"list,omitempty" jsonschema:"uniqueItems"`
	Text  map[string]uint8 `json:"text,omitempty"`
	Addr  netip.Addr       `json:"addr,omitzero"`
	Far   int64            `json:"far,omitempty" jsonschema:"minimum=9007199254740993"`
	Third int64            `json:"third,omitempty" jsonschema:"multipleOf=3"`

	Codes map[pool.Code]int `json:"codes,omitempty"`
}

// TestDifferences has an input for each documented difference, and similar inputs that are none.
func TestDifferences(t *testing.T) {
	t.Parallel()
	trial, err := prepare(Type[excused]("excused", ""))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, tt := range []struct{ data, class string }{
		{`{"any":{"a":1,"a":2}}`, "name given twice"},
		{"{\"any\":\"\xff\"}", "invalid UTF-8"},
		{`{"any":"\ud800"}`, "lone surrogate"},
		{`{"any":"\ud83d\ude00"}`, ""},
		{`{"any":1e1000}`, "limit of depth or digits"},
		{`{"any":1e999}`, ""},
		{`{"any":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, "limit of depth or digits"},
		{`{"bytes":"a"}`, "base64"},
		{`{"bytes":"aGk="}`, ""},
		{`{"time":"noon"}`, "format"},
		{`{"int":9223372036854775808}`, "range of a number"},
		{`{"int":9223372036854775807}`, ""},
		{`{"keys":{"300":true}}`, "range of a number"},
		{`{"int":3.00000000000000000001}`, "rounded number"},
		{`{"even":0.3}`, "multipleOf, accepted"},
		{`{"even":0.2}`, ""},
		{`{"list":[0.1,0.1000000000000000000001]}`, "rounded number, accepted"},
		{`{"addr":"nowhere"}`, "text of a Go type"},
		{`{"far":9007199254740992}`, "rounded bound"},
		{`{"far":9007199254740993}`, ""},
		{`{"third":36028797018963968}`, "multipleOf"},
		{`{"third":36028797018963969}`, ""},
		{`{"any":{},"codes":{"ABC":1}}`, ""},
		{`{"time":"2026-01-31t09:30:00z"}`, ""},
	} {
		f := trial.input([]byte(tt.data))
		if f.wrong != "" || f.class != tt.class {
			t.Errorf("%.60s is of the class %q, want %q; %s", tt.data, f.class, tt.class, f.wrong)
		}
		seen[f.class] = true
	}
	f := trial.in.output(reflect.ValueOf(excused{Codes: map[pool.Code]int{"longer than a code": 1}}))
	if want := "cannot be read back"; f.wrong != "" || f.class != want {
		t.Errorf("the output is of the class %q, want %q; %s", f.class, want, f.wrong)
	}
	seen[f.class] = true
	f = trial.call(t.Context(), []byte(`{"int":null}`), reflect.ValueOf(excused{}))
	if f.wrong != "" || f.class != nullArgument {
		t.Errorf("the call is of the class %q, want %q; %s", f.class, nullArgument, f.wrong)
	}
	seen[f.class] = true
	for _, d := range differences {
		if !seen[d.name] {
			t.Errorf("no case is of the class %q", d.name)
		}
	}
	for _, a := range acceptances {
		if !seen[a.name] {
			t.Errorf("no case is of the class %q", a.name)
		}
	}
}

// embedding is a type whose empty value is encoded and then decoded as a value that cannot be encoded.
type embedding struct {
	*Embedded
}

// Embedded has a default, and a field whose zero value is not valid.
type Embedded struct {
	Size int    `json:"size" jsonschema:"default=3"`
	Unit string `json:"unit" jsonschema:"minLength=1"`
}

// TestDefaultInPointer checks that allocating a nil embedded pointer for a default inside it is not a wrong verdict.
func TestDefaultInPointer(t *testing.T) {
	t.Parallel()
	trial, err := prepare(Type[embedding]("embedding", ""))
	if err != nil {
		t.Fatal(err)
	}
	if f := trial.in.output(reflect.ValueOf(embedding{})); f.wrong != "" || f.class != defaultInPointer {
		t.Errorf("the output is of the class %q, want %q; %s", f.class, defaultInPointer, f.wrong)
	}
	if f := trial.in.output(reflect.ValueOf(embedding{&Embedded{Unit: "m"}})); f.wrong != "" || f.class != "" {
		t.Errorf("the output is of the class %q, want none; %s", f.class, f.wrong)
	}
}

// TestParse parses values that survive a round trip, and invalid JSON.
func TestParse(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		`{"b":1,"a":[1.50,1e400,{"a":null,"a":true}],"":"é\n<"}`, `[]`, `{}`, `-0`, `"x"`,
	} {
		n, err := parse([]byte(data))
		if err != nil {
			t.Errorf("parse(%s): %v", data, err)
			continue
		}
		if got := n.JSON(); string(got) != data {
			t.Errorf("%s became %s", data, got)
		}
	}
	for _, data := range []string{``, `{`, `[1,]`, `1 2`, `{"a":}`, `nul`, `]`} {
		if n, err := parse([]byte(data)); err == nil {
			t.Errorf("%s is read as %s", data, n.JSON())
		}
	}
}

// TestShrink shrinks a large input with a fault in one place.
func TestShrink(t *testing.T) {
	t.Parallel()
	data := []byte(`{"a":[1,2,{"b":"long text","c":{"d":[true,7,"x"]}}],"e":12345}`)
	got := shrinkData(data, func(data []byte) bool { return bytes.Contains(data, []byte("7")) })
	if want := `{"a":[{"c":{"d":[7]}}]}`; string(got) != want {
		t.Errorf("shrunk to %s, want %s", got, want)
	}
}

// TestDeclarationOf checks that the source of a type contains all its component types and nothing else.
func TestDeclarationOf(t *testing.T) {
	t.Parallel()
	const source = `package p

type A struct{ Bs []B }

type B int

func (b *B) M() { _ = values }

var values = []int{1}

type C struct{}

type I interface{ isI() }

func init() {
	RegisterUnion("t", map[string]I{"d": D{}})
}

type D struct{ In I }

func (D) isI() {}
`
	for name, want := range map[string][]string{
		"A": {"type A ", "type B ", "func (b *B)", "var values"},
		"D": {"type D ", "type I ", "RegisterUnion(", "func (D)"},
	} {
		got := declarationOf(source, name)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("the source of %s lacks %q:\n%s", name, w, got)
			}
		}
		if strings.Contains(got, "type C ") {
			t.Errorf("the source of %s has another type:\n%s", name, got)
		}
	}
}
