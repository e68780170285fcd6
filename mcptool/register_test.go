package mcptool_test

import (
	"context"
	"encoding/json"
	"fmt"
	goruntime "runtime"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// panicOf returns the *RegisterError with which fn panics.
func panicOf(t *testing.T, fn func()) (refused *mcptool.RegisterError) {
	t.Helper()
	defer func() {
		value := recover()
		err, ok := value.(error)
		if !ok {
			t.Fatalf("got a panic with %v, want one with an error", value)
		}
		refused = registerError(t, nil, err)
	}()
	fn()
	return nil
}

// lineAbove returns the file and line of the line above its caller's.
func lineAbove() string {
	_, file, line, _ := goruntime.Caller(1)
	return fmt.Sprintf("%s:%d", file, line-1)
}

func newGeneric[T any](name string) error {
	_, err := mcptool.New(Identity[T], mcptool.Name(name))
	return err
}

// removeTools removes all tools of a registry.
func removeTools(r *mcptool.Registry) {
	for tool := range r.Tools() {
		r.Remove(tool)
	}
}

func TestRegister(t *testing.T) {
	mcptool.Register(GetWeather, mcptool.Title("Weather"))
	defer removeTools(mcptool.Default)
	tool, ok := mcptool.Default.Lookup("get_weather")
	if !ok || tool.Info().Title != "Weather" {
		t.Fatalf("Lookup returned %v, %v", tool, ok)
	}
	refused := panicOf(t, func() {
		mcptool.Register(GetWeather, mcptool.ReadOnly(true), mcptool.Destructive(true))
	})
	wantMistakes(t, refused, "the tool is read-only by", "get_weather: the tool defined at ")
	if got := names(mcptool.Default.Tools()); len(got) != 1 {
		t.Errorf("tools after a mistake: %v", got)
	}
}

// TestLocation checks that every way to define a tool reports the line of the author's call.
func TestLocation(t *testing.T) {
	bad := mcptool.Name("a b")
	var got, want [8]string
	got[0] = panicOf(t, func() { mcptool.Register(done, bad) }).Location
	want[0] = lineAbove()
	got[1] = panicOf(t, func() { mcptool.RegisterService(byValue{}, bad) }).Location
	want[1] = lineAbove()
	_, err := mcptool.New(done, bad)
	want[2] = lineAbove()
	got[2] = registerError(t, nil, err).Location
	_, err = mcptool.NewRaw("a b", objectSchema, func(context.Context, json.RawMessage) (*mcptool.Result, error) { return nil, nil })
	want[3] = lineAbove()
	got[3] = registerError(t, nil, err).Location
	err = mcptool.Default.Add(nil)
	want[4] = lineAbove()
	got[4] = registerError(t, nil, err).Location
	err = mcptool.Default.Replace(nil)
	want[5] = lineAbove()
	got[5] = registerError(t, nil, err).Location
	deferred := func() {
		defer mcptool.Register(done, bad)
	}
	got[6] = panicOf(t, deferred).Location
	want[6] = got[6] // the line of a deferred call depends on the compiler
	_, err = mcptool.New(Identity[map[string]int], bad)
	want[7] = lineAbove()
	got[7] = registerError(t, nil, err).Location
	for i := range got {
		if got[i] != want[i] || got[i] == "" {
			t.Errorf("case %d is located at %q, want %q", i, got[i], want[i])
		}
	}
	if err := newGeneric[None]("a b"); registerError(t, nil, err).Location == "unknown" {
		t.Error("no location for a call in a generic func")
	}
}

func TestNewRawMistakes(t *testing.T) {
	t.Parallel()
	fn := func(context.Context, json.RawMessage) (*mcptool.Result, error) { return nil, nil }
	for _, test := range []struct {
		reason, name, schema string
		fn                   func(context.Context, json.RawMessage) (*mcptool.Result, error)
		opts                 []mcptool.ToolOption
		want                 []string
	}{
		{"T-TOOL-05 no schema", "n", ``, fn, nil, []string{`n: the argument inputSchema is empty; write {"type":"object"} for anything`}},
		{"T-TOOL-05 not JSON", "n", `{`, fn, nil, []string{"n: the argument inputSchema: "}},
		{"T-TOOL-05 null", "n", `null`, fn, nil, []string{`n: the argument inputSchema`}},
		{"T-TOOL-01 not a schema of an object", "n", `{"type":"string"}`, fn, nil, []string{`n: the argument inputSchema is not a schema of an object; write "type":"object" at its root`}},
		{"no func", "n", `{"type":"object"}`, nil, nil, []string{"n: the func is nil; pass a func"}},
		{"no name", "", `{"type":"object"}`, fn, nil, []string{"the name is empty (from the argument name)"}},
		{"another name", "n", `{"type":"object"}`, fn, []mcptool.ToolOption{mcptool.Name("m")}, []string{`n: the argument name sets "n", and the option Name sets "m"`}},
		{"another schema", "n", `{"type":"object"}`, fn, []mcptool.ToolOption{mcptool.InputSchema(json.RawMessage(`{}`))}, []string{"n: the argument inputSchema sets"}},
		{"T-JSC-04 a bad output schema", "n", `{"type":"object"}`, fn, []mcptool.ToolOption{mcptool.OutputSchema(json.RawMessage(`{"type":"strin"}`))}, []string{"n: the option OutputSchema: "}},
		{"T-JSC-04 several mistakes in a schema", "n", `{"type":"object","properties":{"a":{"type":"strin"}},"required":3}`, fn, nil, []string{"properties.a.type", "required"}},
		{"all at once", "a b", ``, nil, []mcptool.ToolOption{nil, mcptool.OutputSchema(nil)}, []string{"option 1 is nil", "the func is nil", "contains ' '", "inputSchema is empty", "OutputSchema is empty"}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			tool, err := mcptool.NewRaw(test.name, json.RawMessage(test.schema), test.fn, test.opts...)
			wantMistakes(t, registerError(t, tool, err), test.want...)
		})
	}
}
