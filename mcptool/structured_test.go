package mcptool_test

import (
	"context"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// vehicle is a union that occurs in results.
type vehicle interface{ isVehicle() }

type (
	car  struct{ Doors int }
	bike struct{ Gears int }
	boat struct{ Masts int } // no member
)

func (car) isVehicle()   {}
func (*bike) isVehicle() {}
func (boat) isVehicle()  {}

func init() {
	reflectschema.RegisterUnion("kind", map[string]vehicle{"car": car{}, "bike": (*bike)(nil)})
}

// fleet has fields that encoding/json encodes differently from the schema.
type fleet struct {
	First  vehicle          `json:"first"`
	All    []vehicle        `json:"all"`
	Share  *big.Rat         `json:"share"`
	Age    time.Duration    `json:"age"`
	Number json.Number      `json:"number"`
	ByID   map[int]string   `json:"by_id"`
	Next   *int             `json:"next"`
	Raw    json.RawMessage  `json:"raw"`
	Left   map[string][]int `json:"left,omitempty"`
}

const fleetJSON = `{"first":{"kind":"car","Doors":4},"all":[],"share":"1/3","age":1000000000,"number":1.50,"by_id":{"-1":"x"},"next":null,"raw":{"a":1}}`

func aFleet() fleet {
	return fleet{
		First: car{4}, Share: big.NewRat(1, 3), Age: time.Second, Number: "1.50", ByID: map[int]string{-1: "x"}, Raw: json.RawMessage(`{ "a":1 }`),
	}
}

// structuredOf returns the structured content of tools that return value as Structured: a func, a raw tool, and one
// whose middleware sets it. It checks that all three agree.
func structuredOf(t *testing.T, value any, opts ...mcptool.ToolOption) (string, error) {
	t.Helper()
	result := &mcptool.Result{Structured: value}
	raw, err := mcptool.NewRaw("answer", objectSchema, func(context.Context, json.RawMessage) (*mcptool.Result, error) { return result, nil }, opts...)
	if err != nil {
		t.Fatal(err)
	}
	replace := func(mcptool.Handler) mcptool.Handler {
		return func(context.Context, json.RawMessage) (*mcptool.Result, error) { return result, nil }
	}
	var text string
	for i, tool := range []*mcptool.Tool{answering(t, result, opts...), raw, internals.Wrap(answering(t, nil, opts...), replace)} {
		got, callErr := tool.Call(t.Context(), nil)
		var structured string
		if callErr == nil {
			encoded, _ := got.Structured.(json.RawMessage)
			structured = string(encoded)
		}
		if i > 0 && (structured != text || (callErr == nil) != (err == nil)) {
			t.Errorf("%T: tool %d returned %s, %v; the first %s, %v", value, i, structured, callErr, text, err)
		}
		text, err = structured, callErr
	}
	return text, err
}

// TestStructuredOfType: a value in a Result is encoded like the result of a func, and fits the schema of its type.
func TestStructuredOfType(t *testing.T) {
	t.Parallel()
	full := aFleet()
	one := vehicle(car{4})
	for _, test := range []struct {
		name   string
		option mcptool.ToolOption
		value  any
		want   string
	}{
		{"the type", mcptool.OutputType[fleet](), full, fleetJSON},
		{"a pointer to it", mcptool.OutputType[fleet](), &full, fleetJSON},
		{"the type, with a pointer as OutputType", mcptool.OutputType[*fleet](), full, fleetJSON},
		{"JSON of the type", mcptool.OutputType[fleet](), json.RawMessage(fleetJSON), fleetJSON},
		{"a map of the same form", mcptool.OutputType[map[string]int](), map[string]any{"a": 1}, `{"a":1}`},
		{"another type of the same form", mcptool.OutputType[struct{ A, B int }](), struct{ B, A int }{1, 2}, `{"B":1,"A":2}`},
		{"a member of a union", mcptool.OutputType[vehicle](), car{4}, `{"kind":"car","Doors":4}`},
		{"a pointer to a member", mcptool.OutputType[vehicle](), &car{4}, `{"kind":"car","Doors":4}`},
		{"a member that is a pointer", mcptool.OutputType[vehicle](), &bike{7}, `{"kind":"bike","Gears":7}`},
		{"a pointer to a union", mcptool.OutputType[vehicle](), &one, `{"kind":"car","Doors":4}`},
		{"a nil slice", mcptool.OutputType[[]int](), []int(nil), `[]`},
		{"anything", mcptool.OutputType[any](), full, fleetJSON},
		{"no schema", nil, full, fleetJSON},
		{"no schema, in a map", nil, map[string]vehicle{"a": &bike{1}}, `{"a":{"kind":"bike","Gears":1}}`},
		{"no schema, a nil pointer", nil, (*fleet)(nil), `null`},
		{"a schema by hand", mcptool.OutputSchema(json.RawMessage(`{"type":"object","required":["first"]}`)), full, fleetJSON},
	} {
		opts := []mcptool.ToolOption{test.option}
		if test.option == nil {
			opts = nil
		}
		if got, err := structuredOf(t, test.value, opts...); got != test.want || err != nil {
			t.Errorf("%s: got %s, %v\nwant %s", test.name, got, err, test.want)
		}
	}
}

// TestStructuredRefused: a value that does not fit, or cannot be encoded, is an error with a reason on one line.
func TestStructuredRefused(t *testing.T) {
	t.Parallel()
	type ruled struct {
		N int `json:"n" jsonschema:"minimum=1"`
	}
	for _, test := range []struct {
		name   string
		option mcptool.ToolOption
		value  any
		want   string
	}{
		{"the type, with an invalid value", mcptool.OutputType[ruled](), ruled{}, "n: must be at least 1, got 0"},
		{"another type, with an invalid value", mcptool.OutputType[ruled](), map[string]int{"n": 0}, "n: must be at least 1, got 0"},
		{"a value invalid by its own type", nil, ruled{}, "n: must be at least 1, got 0"},
		{"a nil pointer to the type", mcptool.OutputType[ruled](), (*ruled)(nil), "must be an object, got null"},
		{"another type", mcptool.OutputType[ruled](), 7, "must be an object, got the number 7"},
		{"JSON that does not fit", mcptool.OutputType[ruled](), json.RawMessage(`{}`), "n: is required but missing"},
		{"not a member", mcptool.OutputType[vehicle](), boat{1}, "must be a member of the union"},
		{"a member in an any", mcptool.OutputType[map[string]vehicle](), map[string]any{"a": car{1}}, "a.kind: is required but missing"},
		{"a type that cannot be encoded", mcptool.OutputType[any](), make(chan int), "chan int has no form in JSON"},
		{"a type with a field that cannot be encoded", nil, struct{ F func() }{}, "func() has no form in JSON"},
	} {
		opts := []mcptool.ToolOption{test.option}
		if test.option == nil {
			opts = nil
		}
		got, err := structuredOf(t, test.value, opts...)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "answer: the middleware of the server returned a result that cannot be sent: ") {
			t.Errorf("%s: got %s, %v; want %s", test.name, got, err, test.want)
		}
	}
}

// TestStructuredOfTyped: middleware may put a value of the func's own type into the result of a typed tool.
func TestStructuredOfTyped(t *testing.T) {
	t.Parallel()
	tool := mustNew(t, func(context.Context, None) (vehicle, error) { return car{1}, nil }, mcptool.Name("answer"),
		mcptool.Use(func(next mcptool.Handler) mcptool.Handler {
			return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
				if _, err := next(ctx, args); err != nil {
					return nil, err
				}
				return &mcptool.Result{Structured: car{2}, Meta: map[string]any{"example.com/all": []vehicle{car{3}}}}, nil
			}
		}))
	res, err := tool.Call(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	structured, _ := res.Structured.(json.RawMessage)
	meta, _ := res.Meta["example.com/all"].(json.RawMessage)
	if string(structured) != `{"kind":"car","Doors":2}` || string(meta) != `[{"kind":"car","Doors":3}]` {
		t.Errorf("got %s, meta %s", structured, meta)
	}
}
