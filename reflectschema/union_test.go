package reflectschema_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/testing/golden"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Shapes: members by value and by pointer, one recursive, one with a schema method.
type (
	Shape  interface{ isShape() }
	Circle struct {
		_      struct{} `doc:"Round" jsonschema:"example={\"radius\":2\\,\"fill\":\"blue\"}"`
		Radius float64  `json:"radius" jsonschema:"exclusiveMinimum=0"`
		Fill   string   `json:"fill" jsonschema:"enum=red,enum=blue,default=red"`
	}
	Square struct {
		Side float64 `json:"side" jsonschema:"exclusiveMinimum=0"`
		Tilt *int    `json:"tilt,omitempty"`
	}
	Group struct {
		Shapes []Shape `json:"shapes"`
	}
	Span struct {
		From int `json:"from,omitempty"`
		To   int `json:"to,omitempty"`
	}
)

func (Circle) isShape()  {}
func (*Square) isShape() {}
func (Group) isShape()   {}
func (Span) isShape()    {}

func (Span) JSONSchemaExtend(s *jsonschema.Schema) {
	s.DependentRequired = map[string][]string{"from": {"to"}}
}

func init() {
	reflectschema.RegisterUnion("type", shapes())
}

func shapes() map[string]Shape {
	return map[string]Shape{"circle": Circle{}, "square": (*Square)(nil), "group": Group{}, "span": Span{}}
}

// Sound shares Circle with Shape under other names, and is not recursive.
type (
	Sound interface{ isSound() }
	Beep  struct {
		Hertz uint16 `json:"hertz"`
	}
	Box[T any] struct {
		Value T `json:"value"`
	}
)

func (Circle) isSound() {}
func (Beep) isSound()   {}
func (Box[T]) isSound() {}

func init() {
	reflectschema.RegisterUnion("a kind", map[string]Sound{"ring": Circle{}, "beep": Beep{}, "box of \"ints\"": Box[int]{}})
}

// Expr is recursive in every branch, with the same name.
type (
	Expr interface{ isExpr() }
	Num  struct {
		Value int64 `json:"value"`
	}
	And struct {
		Args []Expr `json:"args"`
		Note *And   `json:"note,omitempty"`
	}
	Or struct {
		Args []Expr `json:"args"`
	}
	Not struct {
		Args []Expr `json:"args" jsonschema:"maxItems=1"`
	}
)

func (Num) isExpr() {}
func (And) isExpr() {}
func (Or) isExpr()  {}
func (Not) isExpr() {}

func init() {
	reflectschema.RegisterUnion("op", map[string]Expr{"num": Num{}, "and": And{}, "or": Or{}, "not": Not{}})
}

// unionCases are the places where a union can occur, with values of each.
var unionCases = []typeCase{
	{"field", "required like any other", []any{struct {
		S Sound `json:"s" doc:"What to play"`
	}{Beep{440}}, struct {
		S Sound `json:"s" doc:"What to play"`
	}{Box[int]{7}}}},
	{"optional", "absent is nil", []any{struct {
		S Sound `json:"s" jsonschema:"optional"`
	}{Beep{1}}}},
	{"omitempty", "nil is absent", []any{struct {
		S Sound `json:"s,omitempty"`
	}{Beep{1}}, struct {
		S Sound `json:"s,omitempty"`
	}{}}},
	{"nullable", "only the tag lets null in", []any{struct {
		S Sound `json:"s" jsonschema:"nullable"`
	}{}, struct {
		S Sound `json:"s" jsonschema:"nullable"`
	}{Beep{1}}}},
	{"default", "a value like any other", []any{struct {
		S Sound `json:"s" jsonschema:"default={\"a kind\":\"beep\"\\,\"hertz\":440}"`
	}{Beep{1}}}},
	{"slice", "an element", []any{struct {
		S []Sound `json:"s"`
	}{[]Sound{Beep{1}, Circle{Radius: 1, Fill: "red"}, Box[int]{}}}}},
	{"array and map", "an element", []any{struct {
		S [1]map[string]Sound `json:"s"`
	}{[1]map[string]Sound{{"a": Beep{1}, "b": Box[int]{}}}}}},
	{"pointer", "null as for every pointer", []any{struct {
		S *Sound `json:"s"`
	}{ptr(Sound(Beep{1}))}}},
	{"embedded", "a member like its type", []any{struct{ Sound }{Beep{1}}}},
	{"root", "a result may be one", []any{Box[Sound]{Beep{1}}}},
	{"recursive", "a definition for the union, its members in it", []any{struct {
		S Shape `json:"s"`
	}{Group{[]Shape{Circle{Radius: 1, Fill: "blue"}, &Square{Side: 2, Tilt: ptr(5)}, Group{[]Shape{}}, Span{1, 2}}}}}},
	{"two recursive", "a member that is recursive without its union has its own definition", []any{struct {
		E Expr `json:"e"`
		A And  `json:"a"`
	}{And{[]Expr{Num{1}, Not{[]Expr{Or{[]Expr{}}}}}, &And{Args: []Expr{}}}, And{Args: []Expr{Num{2}}}}}},
}

func ptr[T any](v T) *T { return &v }

// TestUnionTypes compares the schemas of unions with the golden file, and their values with the schemas.
func TestUnionTypes(t *testing.T) {
	t.Parallel()
	file := golden.Open(t, "testdata/unions.golden")
	for _, tt := range unionCases {
		goType := reflect.TypeOf(tt.values[0])
		file.Check(t, tt.name, fmt.Sprintf("%s\nin  %s\nout %s", tt.reason, answer(goType, reflectschema.DirectionInput), answer(goType, reflectschema.DirectionOutput)))
		for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
			compiled, err := reflectschema.Compile(goType, d)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if _, err := reflectschema.ParseSchema(compiled.Schema().JSON()); err != nil {
				t.Errorf("%s: ParseSchema refuses the document: %v", tt.name, err)
			}
			for _, value := range tt.values {
				sameBack(t, tt.name, compiled, value)
			}
		}
	}
}

// sameBack encodes a value, decodes it and compares the two.
func sameBack(t *testing.T, name string, compiled *reflectschema.Type, value any) {
	t.Helper()
	v := reflect.New(reflect.TypeOf(value)).Elem()
	v.Set(reflect.ValueOf(value))
	data, err := compiled.AppendEncode(nil, v)
	if err != nil {
		t.Errorf("%s: %+v cannot be encoded: %v\nschema %s", name, value, err, compiled.Schema().JSON())
		return
	}
	back := reflect.New(v.Type()).Elem()
	if err := compiled.Decode(data, back); err != nil {
		t.Errorf("%s: %s cannot be decoded: %v", name, data, err)
	}
	if diff := cmp.Diff(value, back.Interface()); diff != "" {
		t.Errorf("%s: %s decodes to something else:\n%s", name, data, diff)
	}
}

type drawing struct {
	Shape Shape `json:"shape"`
}

// TestUnionWire checks the encoding of values and the decoded results.
func TestUnionWire(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason string
		value        Shape
		wire         string
		back         Shape
	}{
		{"value", "the discriminator comes first", Circle{Radius: 1, Fill: "red"}, `{"type":"circle","radius":1,"fill":"red"}`, Circle{Radius: 1, Fill: "red"}},
		{"pointer", "decoded as registered", &Square{Side: 2}, `{"type":"square","side":2}`, &Square{Side: 2}},
		{"pointer to a value", "encoded alike, decoded as registered", &Circle{Radius: 1, Fill: "blue"}, `{"type":"circle","radius":1,"fill":"blue"}`, Circle{Radius: 1, Fill: "blue"}},
		{"no fields", "the discriminator alone", Span{}, `{"type":"span"}`, Span{}},
		{"nested", "the same at every level", Group{[]Shape{Group{nil}}}, `{"type":"group","shapes":[{"type":"group","shapes":[]}]}`, Group{[]Shape{Group{[]Shape{}}}}},
	} {
		for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
			got, err := compile[drawing](t, d).AppendEncode(nil, reflect.ValueOf(drawing{tt.value}))
			if want := `{"shape":` + tt.wire + `}`; err != nil || string(got) != want {
				t.Errorf("%s: encoded %s, %v, want %s; %s", tt.name, got, err, want, tt.reason)
			}
		}
		back, err := decode[drawing](t, `{"shape":`+tt.wire+`}`)
		if diff := cmp.Diff(drawing{tt.back}, back); err != nil || diff != "" {
			t.Errorf("%s: decoded with error %v; %s\n%s", tt.name, err, tt.reason, diff)
		}
	}
}

// TestUnionDecode tests other accepted JSON.
func TestUnionDecode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason, data string
		want               Shape
	}{
		{"discriminator last", "order does not matter", `{"radius":1,"fill":"blue","type":"circle"}`, Circle{Radius: 1, Fill: "blue"}},
		{"discriminator escaped", "escapes do not matter", ` { "radius" : 1 , "t\u0079pe" : "c\u0069rcle" } `, Circle{Radius: 1, Fill: "red"}},
		{"default of a member", "filled in", `{"type":"circle","radius":1}`, Circle{Radius: 1, Fill: "red"}},
		{
			"last at every level", "each object has its own", `{"shapes":[{"shapes":[{"side":1,"type":"square"}],"type":"group"},{"type":"span"}],"type":"group"}`,
			Group{[]Shape{Group{[]Shape{&Square{Side: 1}}}, Span{}}},
		},
	} {
		got, err := decode[drawing](t, `{"shape":`+tt.data+`}`)
		if diff := cmp.Diff(drawing{tt.want}, got); err != nil || diff != "" {
			t.Errorf("%s: got error %v; %s\n%s", tt.name, err, tt.reason, diff)
		}
	}
	type beeping struct {
		Sound Sound `json:"sound" jsonschema:"default={\"hertz\":440\\,\"a kind\":\"beep\"}"`
		Other Sound `json:"other" jsonschema:"nullable,optional"`
	}
	got, err := decode[beeping](t, `{"other":null}`)
	if diff := cmp.Diff(beeping{Sound: Beep{440}}, got); err != nil || diff != "" {
		t.Errorf("default and null: got error %v\n%s", err, diff)
	}
}

// TestUnionAnswers checks the error texts for all mistakes of models. They refer only to the member that the
// discriminator selects.
func TestUnionAnswers(t *testing.T) {
	t.Parallel()
	want := golden.Open(t, "testdata/union_answers.golden")
	type input struct {
		Shape  Shape   `json:"shape"`
		More   []Shape `json:"more,omitempty"`
		Expr   Expr    `json:"expr,omitempty"`
		Sound  Sound   `json:"sound,omitempty"`
		Silent Sound   `json:"silent" jsonschema:"nullable,optional"`
	}
	const fine = `"shape":{"type":"span"}`
	for _, tt := range []struct{ name, data string }{
		{"wrong discriminator", `{"shape":{"type":"cirle","radius":1}}`},
		{"wrong discriminator, far from all", `{"shape":{"type":"triangle"}}`},
		{"wrong discriminator, near the second", `{"shape":{"type":"sqare","side":1}}`},
		{"discriminator of another type", `{"shape":{"type":1}}`},
		{"discriminator null", `{"shape":{"type":null}}`},
		{"discriminator missing", `{"shape":{"radius":1}}`},
		{"discriminator in other case", `{"shape":{"Type":"circle","radius":1}}`},
		{"empty", `{"shape":{}}`},
		{"not an object", `{"shape":"circle"}`},
		{"null", `{"shape":null}`},
		{"absent", `{}`},
		{"wrong field in the first", `{"shape":{"type":"circle","radius":0}}`},
		{"wrong field in another", `{"shape":{"type":"square","side":"1"}}`},
		{"field of another member", `{"shape":{"type":"square","radius":1}}`},
		{"misspelt field", `{"shape":{"type":"circle","radios":1}}`},
		{"wrong optional field", `{"shape":{"type":"square","side":1,"tilt":"x"}}`},
		{"extension", `{"shape":{"type":"span","from":1}}`},
		{"elements", `{` + fine + `,"more":[{"type":"circle","radius":1},{"type":"box"},{"type":"square"},3]}`},
		{"nested", `{"shape":{"type":"group","shapes":[{"type":"group","shapes":[{"type":"square","side":-1}]},{"type":"span","x":1}]}}`},
		{"nested with the same names", `{` + fine + `,"expr":{"op":"and","args":[{"op":"or","args":[{"op":"not","args":[{"op":"num"},{"op":"nun","value":1}]}]}]}}`},
		{"names in quotes", `{` + fine + `,"sound":{"a kind":"box of ints","value":1}}`},
		{"nullable", `{` + fine + `,"silent":3}`},
		{"nullable, wrong member", `{` + fine + `,"silent":{"a kind":"beep","hertz":-1}}`},
	} {
		_, err := decode[input](t, tt.data)
		if invalid := (*reflectschema.InvalidError)(nil); !errors.As(err, &invalid) {
			t.Errorf("%s: got error %v", tt.name, err)
			continue
		}
		promises(t, tt.name, compile[input](t, reflectschema.DirectionInput).Schema().Check, err.Error())
		silent(t, tt.name, err.Error())
		want.Check(t, tt.name, tt.data+"\n\n"+err.Error())
	}
}
