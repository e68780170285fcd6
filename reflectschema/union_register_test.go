package reflectschema_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// mistaken is an interface whose registrations are all invalid.
type (
	mistaken interface{ isMistaken() }
	fine     struct{ X int }
	kindly   struct {
		Base
		Kind string `json:"kind"`
	}
	number64 int64
	list     []int
	stamp    struct{ time.Time }
	reader   struct{ X int }
	speaker  struct{ X int }
	replaced struct{ X int }
)

func (fine) isMistaken()      {}
func (kindly) isMistaken()    {}
func (number64) isMistaken()  {}
func (list) isMistaken()      {}
func (stamp) isMistaken()     {}
func (*reader) isMistaken()   {}
func (speaker) isMistaken()   {}
func (*replaced) isMistaken() {}

func (*reader) UnmarshalText([]byte) error       { return nil }
func (speaker) MarshalJSON() ([]byte, error)     { return []byte("1"), nil }
func (*replaced) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{} }

// TestUnionMistakes checks the error text of every invalid registration.
func TestUnionMistakes(t *testing.T) {
	t.Parallel()
	type members = map[string]mistaken
	for _, tt := range []struct {
		name, reason string
		call         func()
		want         []string
	}{
		{
			"concrete type", "the map must have the type of the interface", func() { reflectschema.RegisterUnion("kind", map[string]fine{"fine": {}}) },
			[]string{"reflectschema_test.fine: the type argument must be an interface; pass a map[string]I whose I is the interface"},
		},
		{
			"any", "any type is a member", func() { reflectschema.RegisterUnion("kind", map[string]any{"fine": fine{}}) },
			[]string{"interface {}: an interface without methods accepts every type; give it a method that only the members have"},
		},
		{
			"interface without a name", "a definition needs one", func() { reflectschema.RegisterUnion("kind", map[string]interface{ isMistaken() }{"fine": fine{}}) },
			[]string{"interface { reflectschema_test.isMistaken() }: the interface has no name; declare a type"},
		},
		{
			"empty", "both mistakes are reported", func() { reflectschema.RegisterUnion("", members{}) },
			[]string{`mistaken: the discriminator has no name; call it "type" or "kind"`, "mistaken: it has no members; list them"},
		},
		{
			"discriminator", "not a valid name in a json tag", func() { reflectschema.RegisterUnion(`a"b`, members{"fine": fine{}}) },
			[]string{`encoding/json rejects the name "a\"b"`},
		},
		{
			"members", "one line each, in the order of their names", func() {
				reflectschema.RegisterUnion("kind", members{
					"": fine{}, "a": nil, "b": number64(1), "c": list{}, "d": fine{}, "e": (*fine)(nil), "f": kindly{}, "g": stamp{}, "h": &reader{},
					"i": speaker{}, "j": &replaced{}, "k": ptr(list{}),
				})
			},
			[]string{
				`member "" has an invalid name; use printable text`,
				`member "a" is nil, which has no type; write a value, or a typed nil like (*Square)(nil)`,
				`member "b" is reflectschema_test.number64, but only an object can have a discriminator; put it into a struct`,
				`member "c" is reflectschema_test.list, but only an object can have a discriminator; put it into a struct`,
				`member "e" is *reflectschema_test.fine, like member "d": encoding cannot choose between the names; keep one, or declare a second type`,
				`member "f" is reflectschema_test.kindly, whose field Kind is called "kind" in JSON, like the discriminator; drop the field, which is redundant, or choose another discriminator`,
				`member "g" is reflectschema_test.stamp, whose MarshalJSON method does not write the discriminator; drop the method, or wrap the type in a struct with a field of it`,
				`member "h" is *reflectschema_test.reader, whose UnmarshalText method does not write`,
				`member "i" is reflectschema_test.speaker, whose MarshalJSON method does not write`,
				`member "j" is *reflectschema_test.replaced, whose JSONSchema method does not include the discriminator; use JSONSchemaExtend, which adds to what is derived`,
				`member "k" is *reflectschema_test.list, but only an object`,
			},
		},
		{
			"embedded field", "its fields are promoted", func() { reflectschema.RegisterUnion("ID", members{"f": kindly{}}) },
			[]string{`whose field Base.ID is called "ID" in JSON`},
		},
		{
			"registered differently", "both locations are reported", func() { reflectschema.RegisterUnion("type", map[string]Shape{"circle": Circle{}}) },
			[]string{"reflectschema_test.Shape: it was registered differently by RegisterUnion at ", "union_test.go:"},
		},
	} {
		lines := strings.Split(panicOf(t, tt.call), "\n")
		text := strings.Join(lines, "\n")
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: got\n%s\nwant %q; %s", tt.name, text, want, tt.reason)
			}
		}
		if strings.HasPrefix(tt.name, "registered") {
			continue // both strings are in one line
		}
		if len(lines) != len(tt.want) {
			t.Errorf("%s: got %d mistakes, want %d:\n%s", tt.name, len(lines), len(tt.want), text)
		}
	}
	type holds struct{ M mistaken }
	_, err := reflectschema.Compile(reflect.TypeFor[holds](), reflectschema.DirectionInput)
	if err == nil || !strings.Contains(err.Error(), "register its members with reflectschema.RegisterUnion first") {
		t.Errorf("got error %v, want the union unregistered after the mistakes", err)
	}
}

// panicOf returns the mistakes with which a call panics, without the location of the registration, which is checked.
func panicOf(t *testing.T, call func()) (text string) {
	t.Helper()
	defer func() {
		errs, ok := recover().(reflectschema.TypeErrors)
		if !ok {
			t.Fatal("no TypeErrors")
		}
		mistakes := reflectschema.TypeMistakes(errs)
		for i, err := range mistakes {
			place, reason, ok := strings.Cut(err.Reason, ": ")
			if !ok || !strings.HasPrefix(place, "union at ") || !strings.Contains(place, "union_register_test.go:") {
				t.Errorf("%q does not start with the location", err.Reason)
			}
			mistakes[i].Reason = reason
		}
		text = reflectschema.TypeErrorsOf(mistakes).Error()
	}()
	call()
	return ""
}

type (
	late     interface{ isLate() }
	lateness struct {
		Minutes int `json:"minutes"`
	}
)

func (*lateness) isLate() {}

var lateOnce atomic.Bool

// TestUnionLate: the refusal of an argument type is not cached, so its union can be registered later. Repeating the
// registration has no effect.
func TestUnionLate(t *testing.T) {
	t.Parallel()
	if !lateOnce.CompareAndSwap(false, true) {
		t.Skip("registrations are permanent, so only the first run with -count is meaningful")
	}
	type holds struct {
		Late late `json:"late"`
	}
	if _, err := reflectschema.Compile(reflect.TypeFor[holds](), reflectschema.DirectionInput); err == nil {
		t.Fatal("Compile succeeded without a registered union")
	}
	anything := compile[any](t, reflectschema.DirectionOutput)
	var value any = holds{&lateness{5}}
	v := reflect.ValueOf(&value).Elem()
	for range 2 {
		reflectschema.RegisterUnion("type", map[string]late{"late": &lateness{}})
	}
	compile[holds](t, reflectschema.DirectionInput)
	if got, err := anything.AppendEncode(nil, v); err != nil || string(got) != `{"late":{"type":"late","minutes":5}}` {
		t.Errorf("in an any: %s, %v", got, err)
	}
	value = value.(holds).Late
	if got, err := anything.AppendEncode(nil, v); err != nil || string(got) != `{"minutes":5}` {
		t.Errorf("member in an any: %s, %v", got, err)
	}
}

// TestUnionConcurrent registers unions while types with them are compiled concurrently. It is meaningful with the race
// detector.
func TestUnionConcurrent(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	var docs [8]string
	for i := range docs {
		wg.Go(func() {
			registerBoth()
			docs[i] = answer(reflect.TypeFor[[]bothAtOnce](), reflectschema.DirectionInput)
		})
	}
	wg.Wait()
	for _, doc := range docs {
		if doc != docs[0] || !strings.Contains(doc, `"const":"one"`) {
			t.Errorf("got document %s, want %s", doc, docs[0])
		}
	}
}

type (
	bothAtOnce interface{ isBoth() }
	one        struct{ X int }
	two        struct{ Y int }
)

func (one) isBoth() {}
func (two) isBoth() {}

func registerBoth() {
	reflectschema.RegisterUnion("n", map[string]bothAtOnce{"one": one{}, "two": two{}})
}

// strange implements Shape, but is not a member of the union.
type strange struct{ X int }

func (strange) isShape() {}

// TestUnionEncodeErrors checks that invalid values are errors, and that nothing is written.
func TestUnionEncodeErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason string
		value        Shape
		want         string
	}{
		{"another type", "it implements the interface, but is not registered", strange{}, `shape: must be a member of the union, which are "circle", "group", "span", "square", got a value of another type`},
		{"pointer to another type", "not registered either", &strange{}, "got a value of another type"},
		{"nil", "allowed only with nullable", nil, "shape: must be an object, got null"},
		{"nil pointer", "treated as nil", (*Square)(nil), "shape: must be an object, got null"},
		{"inside", "the location is reported", Group{[]Shape{Span{}, nil}}, "shape.shapes[1]: must be an object, got null"},
		{"value", "the schema of the member applies", Circle{Radius: -1, Fill: "red"}, "shape.radius: must be greater than 0, got -1"},
	} {
		for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
			got, err := compile[drawing](t, d).AppendEncode([]byte("before"), reflect.ValueOf(drawing{tt.value}))
			if invalid := (*reflectschema.InvalidError)(nil); !errors.As(err, &invalid) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: got error %v, want %q; %s", tt.name, err, tt.want, tt.reason)
			}
			if string(got) != "before" {
				t.Errorf("%s: %q was written", tt.name, got)
			}
		}
	}
	endless := Group{make([]Shape, 1)}
	endless.Shapes[0] = endless
	if _, err := compile[drawing](t, reflectschema.DirectionOutput).AppendEncode(nil, reflect.ValueOf(drawing{endless})); err == nil {
		t.Error("encoding a recursive value succeeded, want an error")
	}
}

// TestUnionDeep checks that the time is linear in the size of a value, and does not depend on the number of possible
// branches, 2^200 and more here. The discriminators come last, so that a separate search for each would be quadratic.
func TestUnionDeep(t *testing.T) {
	t.Parallel()
	type input struct {
		Expr Expr `json:"expr"`
	}
	const depth = 120
	padding := strings.Repeat(`{"value":1,"op":"num"},`, 20_000)
	for _, tt := range []struct {
		name, reason, inner string
		valid               bool
	}{
		{"small", "in one piece", `{"value":1,"op":"num"}`, true},
		{"small and wrong", "in one piece", `{"value":"1","op":"num"}`, false},
		{"large", "part by part", padding + `{"value":1,"op":"num"}`, true},
		{"large and wrong", "part by part", padding + `{"value":"1","op":"num"}`, false},
	} {
		var b strings.Builder
		b.WriteString(`{"expr":`)
		for range depth {
			b.WriteString(`{"args":[`)
		}
		b.WriteString(tt.inner)
		for i := range depth {
			fmt.Fprintf(&b, `],"op":%q}`, []string{"and", "or"}[i%2])
		}
		b.WriteString("}")
		start := time.Now()
		_, err := decode[input](t, b.String())
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: took %v for %d bytes; %s", tt.name, took, b.Len(), tt.reason)
		}
		if (err == nil) != tt.valid {
			t.Errorf("%s: got error %.300v", tt.name, err)
		}
		if err != nil && !strings.Contains(err.Error(), `.value: must be an integer, got the string "1"`) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
