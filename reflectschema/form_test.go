package reflectschema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/testing/golden"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/datetime"
)

func formOf(t *testing.T, v any) (*reflectschema.Form, error) {
	t.Helper()
	compiled, err := reflectschema.Compile(reflect.TypeOf(v), reflectschema.DirectionInput)
	if err != nil {
		t.Fatalf("%T: %v", v, err)
	}
	return compiled.Form()
}

// titledByHook has a schema with titled values, as in official examples.
type titledByHook string

func (titledByHook) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", OneOf: []*jsonschema.Schema{{Const: "r", Title: "Red"}, {Const: "g", Title: "Green"}}}
}

// namedByHook has an enum with names, as in revision 2025-06-18.
type namedByHook string

func (namedByHook) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"a", "b"}, Extras: map[string]any{"enumNames": []string{"A", "B"}}}
}

type place struct {
	City string `json:"city"`
}

// formCases has the kinds of form fields.
var formCases = []struct {
	name   string
	value  any
	reason string
}{
	{"empty", struct{}{}, "a question of yes or no needs no fields"},
	{"texts", struct {
		Name  string    `json:"name" jsonschema:"minLength=1,maxLength=80,title=Your name,example=Ada" doc:"As in your passport"`
		Mail  string    `json:"mail" jsonschema:"format=email"`
		Site  string    `json:"site,omitempty" jsonschema:"format=uri"`
		Day   string    `json:"day" jsonschema:"format=date"`
		At    time.Time `json:"at"`
		Greet string    `json:"greet" jsonschema:"default=Hello"`
	}{}, "bounds, formats and notes; examples are for models"},
	{"numbers", struct {
		Age   int      `json:"age" jsonschema:"minimum=18,maximum=120"`
		Small uint8    `json:"small"`
		More  int      `json:"more" jsonschema:"exclusiveMinimum=2,exclusiveMaximum=9"`
		Rate  float64  `json:"rate" jsonschema:"minimum=0.5,default=1.5"`
		Tip   *float64 `json:"tip"`
		Count int      `json:"count" jsonschema:"default=3"`
	}{}, "exclusive bounds of whole numbers have an inclusive neighbour"},
	{"dates and durations", struct {
		Day  datetime.Date     `json:"day" jsonschema:"minimum=2026-01-01" doc:"Arrival"`
		Long datetime.Duration `json:"long" jsonschema:"maximum=8h"`
		Free datetime.Date     `json:"free"`
	}{}, "a pattern is left out: the answer is checked by the type, whose error explains it"},
	{"booleans", struct {
		Yes   bool  `json:"yes"`
		Maybe *bool `json:"maybe" jsonschema:"title=Maybe" doc:"Or not"`
		On    bool  `json:"on" jsonschema:"default=true"`
	}{}, "the one default that plain forms know"},
	{"choices", struct {
		Plain  string       `json:"plain" jsonschema:"enum=a,enum=b,default=a"`
		Titled string       `json:"titled" jsonschema:"enum=a,enum=b,enumTitle=First class,enumTitle=Second\\, and last"`
		Only   string       `json:"only" jsonschema:"const=x"`
		Hook   titledByHook `json:"hook"`
		Named  namedByHook  `json:"named"`
	}{}, "titles are said by the tag, or in either way by a method"},
	{"several", struct {
		Plain  []string       `json:"plain" jsonschema:"enum=a,enum=b,minItems=1,maxItems=2,uniqueItems,default=a"`
		Titled []string       `json:"titled,omitempty" jsonschema:"enum=a,enum=b,enumTitle=A,enumTitle=B" doc:"Pick"`
		Hook   []titledByHook `json:"hook"`
		Pair   [2]string      `json:"pair" jsonschema:"enum=x,enum=y"`
	}{}, "plain forms cannot ask so"},
	{"embedded", struct {
		place
		Zip string `json:"zip" jsonschema:"x-hint=five digits"`
	}{}, "what is flat in JSON is flat"},
	{"nothing fits", struct {
		_      struct{}                       `doc:"All wrong"`
		Nested place                          `json:"nested"`
		List   []place                        `json:"list"`
		Ints   []int                          `json:"ints"`
		Free   []string                       `json:"free"`
		Map    map[string]int                 `json:"map"`
		Any    any                            `json:"any"`
		Raw    json.RawMessage                `json:"raw"`
		Bytes  []byte                         `json:"bytes"`
		Null   *string                        `json:"null" jsonschema:"nullable"`
		Opt    reflectschema.Optional[string] `json:"opt"`
		Number int                            `json:"number" jsonschema:"enum=1,enum=2"`
		Match  string                         `json:"match" jsonschema:"pattern=^a"`
		ID     string                         `json:"id" jsonschema:"format=uuid"`
		Even   int                            `json:"even" jsonschema:"multipleOf=2"`
		Over   float64                        `json:"over" jsonschema:"exclusiveMinimum=0"`
		Bools  []bool                         `json:"bools"`
		Tree   []map[string]any               `json:"tree"`
	}{}, "every reason at once, with its place and what to do"},
}

// TestForm records the form of each kind of field in testdata/forms.golden, and validates it with the official schemas
// of the protocol.
func TestForm(t *testing.T) {
	t.Parallel()
	file := golden.Open(t, "testdata/forms.golden")
	for _, test := range formCases {
		if test.reason == "" {
			t.Errorf("case %q has no reason", test.name)
		}
		form, err := formOf(t, test.value)
		if err != nil {
			file.Check(t, test.name, refusalLines("refused: ", err, test.value))
			continue
		}
		var lines []string
		for _, d := range []struct {
			name     string
			rich     bool
			official string
		}{{"plain", false, "2025-06-18"}, {"rich", true, "2025-11-25"}, {"rich", true, "2026-07-28"}} {
			schema, err := form.Schema(d.rich)
			if err != nil {
				lines = append(lines, refusalLines(d.name+" refused: ", err, test.value))
				continue
			}
			if line := d.name + ": " + string(schema); len(lines) == 0 || lines[len(lines)-1] != line {
				lines = append(lines, line)
			}
			holdAgainstOfficial(t, d.official, schema)
		}
		file.Check(t, test.name, strings.Join(lines, "\n"))
	}
}

// refusalLines writes errors one per line, with T for the type of v.
func refusalLines(prefix string, err error, v any) string {
	return prefix + strings.ReplaceAll(strings.ReplaceAll(err.Error(), fmt.Sprintf("%T", v), "T"), "\n", "\n"+prefix)
}

type seat struct {
	Class  string   `json:"class" jsonschema:"enum=1,enum=2,enumTitle=First,enumTitle=Second,default=2"`
	Extras []string `json:"extras,omitempty" jsonschema:"enum=bike,enum=dog"`
	Age    int      `json:"age" jsonschema:"minimum=0"`
	Note   *string  `json:"note"`
}

// TestFormDecode: an answer is decoded by the rules of the type, with exceptions for what form clients send.
func TestFormDecode(t *testing.T) {
	t.Parallel()
	form, err := formOf(t, seat{})
	if err != nil {
		t.Fatal(err)
	}
	hi := "hi"
	for _, test := range []struct {
		name, data string
		want       seat
		err        string
	}{
		{"all", `{"class":"1","extras":["dog"],"age":7,"note":"hi"}`, seat{"1", []string{"dog"}, 7, &hi}, ""},
		{"defaults", `{"age":7.0}`, seat{Class: "2", Age: 7}, ""},
		{"null for optional fields", `{"class":null,"age":1,"note":null,"extras":null}`, seat{Class: "2", Age: 1}, ""},
		{"unknown members", `{"age":1,"submit":{"x":[1]}}`, seat{Class: "2", Age: 1}, ""},
		{"empty", ``, seat{}, "age: is required but missing"},
		{"null for a required field", `{"age":null}`, seat{}, "age: is required but missing"},
		{"not a choice", `{"age":-1,"class":"First"}`, seat{}, `class: must be one of "1", "2", got "First"`},
		{"every mistake", `{"age":-1,"class":"First"}`, seat{}, `age: must be at least 0, got -1`},
		{"not an object", `7`, seat{}, `must be an object, got the number 7`},
		{"invalid JSON", `{"age":1`, seat{}, `is not valid JSON`},
		{"duplicate name", `{"age":1,"age":2}`, seat{}, `age`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got seat
			err := form.Decode([]byte(test.data), reflect.ValueOf(&got).Elem())
			if test.err != "" {
				if invalid := (*reflectschema.InvalidError)(nil); !errors.As(err, &invalid) || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got %v, want %s", err, test.err)
				}
				return
			}
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestFormWithChoices: choices can be determined when the question is asked.
func TestFormWithChoices(t *testing.T) {
	t.Parallel()
	type pick struct {
		Flight string   `json:"flight"`
		Meals  []string `json:"meals,omitempty"`
		Class  string   `json:"class" jsonschema:"enum=1,enum=2,default=2"`
		Age    int      `json:"age"`
	}
	form, err := formOf(t, pick{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := form.Schema(true); err == nil || !strings.Contains(err.Error(), "no choices") {
		t.Errorf("a list without choices: %v", err)
	}
	for _, wrong := range []struct{ field, want string }{{"nope", "no field"}, {"age", "not a choice of texts"}, {"class", "has a default"}} {
		if _, err := form.WithChoices(wrong.field, []string{"a"}, nil); err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("choices for %s: %v, want %s", wrong.field, err, wrong.want)
		}
	}
	if _, err := form.WithChoices("flight", nil, nil); err == nil {
		t.Error("WithChoices accepted an empty list")
	}
	if _, err := form.WithChoices("flight", []string{"LH1", "LH2"}, []string{"At noon"}); err == nil || !strings.Contains(err.Error(), "1 titles for 2 choices") {
		t.Errorf("one title for two choices: %v", err)
	}
	form, err = form.WithChoices("flight", []string{"LH1", "LH2"}, []string{"At noon", ""})
	if err == nil {
		form, err = form.WithChoices("meals", []string{"fish"}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	schema, err := form.Schema(true)
	const want = `{"type":"object","properties":{"flight":{"type":"string","oneOf":[{"const":"LH1","title":"At noon"},{"const":"LH2","title":"LH2"}]},` +
		`"meals":{"type":"array","items":{"type":"string","enum":["fish"]}},"class":{"type":"string","enum":["1","2"],"default":"2"},"age":{"type":"integer"}},"required":["flight","age"]}`
	if diff := cmp.Diff(want, string(schema)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	var got pick
	if err := form.Decode([]byte(`{"flight":"LH2","meals":["fish"],"age":1}`), reflect.ValueOf(&got).Elem()); err != nil {
		t.Error(err)
	}
	err = form.Decode([]byte(`{"flight":"LH3","meals":["meat"],"age":1}`), reflect.ValueOf(&got).Elem())
	for _, part := range []string{`flight: must be one of "LH1", "LH2", got "LH3"`, `meals[0]: must be one of "fish", got "meat"`} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want %s", err, part)
		}
	}
}

// TestEnumTitles: titles correspond to values by their order, so their numbers must be equal.
func TestEnumTitles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		value any
		want  string
	}{
		{struct {
			A string `jsonschema:"enum=a,enum=b,enumTitle=A"`
		}{}, "there are 1 titles for 2 values"},
		{struct {
			A []string `jsonschema:"enumTitle=A"`
		}{}, "there are 1 titles for 0 values"},
		{struct {
			A int `jsonschema:"enum=1,enumTitle=One"`
		}{}, "enumTitle is for strings"},
	} {
		_, err := reflectschema.Compile(reflect.TypeOf(test.value), reflectschema.DirectionInput)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%T: got %v, want %s", test.value, err, test.want)
		}
	}
}

// TestFormNeedsStruct: a type without named fields cannot be a form.
func TestFormNeedsStruct(t *testing.T) {
	t.Parallel()
	for _, v := range []any{"", map[string]string{}, []string{}} {
		if _, err := formOf(t, v); err == nil || !strings.Contains(err.Error(), "use a struct") {
			t.Errorf("%T: %v", v, err)
		}
	}
}
