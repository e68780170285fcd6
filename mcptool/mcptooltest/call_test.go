package mcptooltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

type in struct {
	City  string `json:"city" jsonschema:"minLength=1"`
	Limit *int   `json:"limit"`
}

type out struct {
	Cities []string `json:"cities"`
	Limit  *int     `json:"limit"`
}

func find(_ context.Context, in in) (out, error) {
	if in.City == "Atlantis" {
		return out{}, errors.New("no such city")
	}
	return out{[]string{in.City}, in.Limit}, nil
}

func newTool[In, Out any](t *testing.T, fn func(context.Context, In) (Out, error)) *mcptool.Tool {
	t.Helper()
	tool, err := mcptool.New(fn, mcptool.Name("find"))
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func TestCall(t *testing.T) {
	t.Parallel()
	tool, three := newTool(t, find), 3
	if diff := cmp.Diff(out{[]string{"Lisbon"}, nil}, mcptooltest.Call[in, out](t, tool, in{City: "Lisbon"})); diff != "" {
		t.Errorf("structs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&out{[]string{"Lisbon"}, &three}, mcptooltest.Call[*in, *out](t, tool, &in{"Lisbon", &three})); diff != "" {
		t.Errorf("pointers to structs (-want +got):\n%s", diff)
	}
	got := mcptooltest.Call[map[string]any, map[string]any](t, tool, map[string]any{"city": "Lisbon", "limit": 3})
	if diff := cmp.Diff(map[string]any{"cities": []any{"Lisbon"}, "limit": 3.0}, got); diff != "" {
		t.Errorf("maps (-want +got):\n%s", diff)
	}
	whole := mcptooltest.Call[in, *mcptool.Result](t, tool, in{City: "Lisbon"})
	if diff := cmp.Diff(&mcptool.Result{Structured: json.RawMessage(`{"cities":["Lisbon"],"limit":null}`)}, whole); diff != "" {
		t.Errorf("the whole result (-want +got):\n%s", diff)
	}
}

// recorder is a TB that records the message of Fatalf.
type recorder struct {
	testing.TB
	fatal string
}

func (r *recorder) Helper() {}
func (r *recorder) Fatalf(format string, args ...any) {
	r.fatal = fmt.Sprintf(format, args...)
	goruntime.Goexit()
}

func TestCallEndsTheTest(t *testing.T) {
	t.Parallel()
	tool := newTool(t, find)
	failing := newTool(t, func(context.Context, in) (*mcptool.Result, error) {
		return &mcptool.Result{IsError: true, Content: []mcptool.Content{mcptool.Text{Text: "sorry"}}}, nil
	})
	for _, test := range []struct {
		reason string
		call   func(tb *recorder)
		want   string
	}{
		{"invalid arguments", func(tb *recorder) { mcptooltest.Call[map[string]any, out](tb, tool, nil) }, "city: is required"},
		{"arguments invalid by their own type", func(tb *recorder) { mcptooltest.Call[in, out](tb, tool, in{}) }, "find: encode the arguments: city"},
		{"arguments that cannot be encoded", func(tb *recorder) { mcptooltest.Call[chan int, out](tb, tool, nil) }, "find: encode the arguments: "},
		{"error", func(tb *recorder) { mcptooltest.Call[in, out](tb, tool, in{City: "Atlantis"}) }, `find({"city":"Atlantis"}): no such city`},
		{"result of another type", func(tb *recorder) { mcptooltest.Call[in, []string](tb, tool, in{City: "Lisbon"}) }, "decode the result: "},
		{"error result", func(tb *recorder) { mcptooltest.Call[in, out](tb, failing, in{City: "Lisbon"}) }, "want structured output, got error=true with content [{Text:sorry"},
	} {
		tb := &recorder{TB: t}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			test.call(tb)
		}()
		<-ended
		if !strings.Contains(tb.fatal, test.want) {
			t.Errorf("%s: the test ended with %q, want %q", test.reason, tb.fatal, test.want)
		}
	}
}

// TestCallOfDefaults: a zero value is sent to the func and returned unchanged, instead of the default of its field.
func TestCallOfDefaults(t *testing.T) {
	t.Parallel()
	type settings struct {
		Verbose bool `json:"verbose,omitempty" jsonschema:"default=true"`
		N       int  `json:"n,omitempty" jsonschema:"default=5"`
	}
	reached := settings{Verbose: true}
	tool, err := mcptool.New(func(_ context.Context, in settings) (settings, error) {
		reached = in
		return settings{}, nil
	}, mcptool.Name("set"), mcptool.Description("Changes the settings"))
	if err != nil {
		t.Fatal(err)
	}
	if back := mcptooltest.Call[settings, settings](t, tool, settings{}); back != (settings{}) || reached != (settings{}) {
		t.Errorf("the func got %+v, and Call returned %+v; want zero values", reached, back)
	}
}
