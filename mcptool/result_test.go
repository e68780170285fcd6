package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

func TestStructured(t *testing.T) {
	t.Parallel()
	type value struct {
		B time.Duration `json:"b"`
		A []int         `json:"a"`
		M map[string]int
	}
	for _, test := range []struct {
		reason string
		given  any
		want   any
	}{
		{"nil", nil, nil},
		{"struct, with empty values for nil", value{B: 1}, json.RawMessage(`{"b":1,"a":[],"M":{}}`)},
		{"a map, sorted", map[string]any{"b": 1, "a": "<>&\u2028"}, json.RawMessage("{\"a\":\"<>&\u2028\",\"b\":1}")},
		{"JSON, compacted", json.RawMessage(`{ "a" : [ 1.50 ] }`), json.RawMessage(`{"a":[1.50]}`)},
		{"JSON that is not UTF-8, repaired", json.RawMessage("\"a\xffb\""), json.RawMessage("\"a\ufffdb\"")},
		{"null", json.RawMessage("null"), json.RawMessage("null")},
		{"a nil pointer", (*value)(nil), json.RawMessage("null")},
		{"bytes", []byte{1, 2, 3}, json.RawMessage(`"AQID"`)},
	} {
		result, err := answering(t, &mcptool.Result{Structured: test.given}).Call(t.Context(), nil)
		if err != nil {
			t.Errorf("%s is refused: %v", test.reason, err)
			continue
		}
		if diff := cmp.Diff(test.want, result.Structured); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestStructuredMistakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason string
		given  any
		want   string
	}{
		{"a value that cannot be encoded", make(chan int), "chan int"},
		{"invalid JSON", json.RawMessage(`{"a":`), "answer: the result cannot be sent: "},
		{"duplicate name", json.RawMessage(`{"a":1,"a":2}`), "a: must be given once, got it twice"},
	} {
		err := outputError(t, answering(t, &mcptool.Result{Structured: test.given}))
		if text := err.Error(); !strings.Contains(text, test.want) || strings.Contains(text, "\n") {
			t.Errorf("%s: got %q, want one line with %q", test.reason, text, test.want)
		}
	}
}

func TestOutputSchemaOfResults(t *testing.T) {
	t.Parallel()
	schema := mcptool.OutputSchema(json.RawMessage(`{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`))
	text := []mcptool.Content{mcptool.Text{Text: "t"}}
	for _, test := range []struct {
		reason string
		result *mcptool.Result
		ok     bool
	}{
		{"valid", &mcptool.Result{Structured: map[string]int{"n": 1}}, true},
		{"invalid", &mcptool.Result{Structured: map[string]string{"n": "1"}}, false},
		{"missing", &mcptool.Result{Content: text}, false},
		{"nil result", nil, false},
		{"error without structured content", &mcptool.Result{Content: text, IsError: true}, true},
		{"error with invalid structured content", &mcptool.Result{Structured: 1, Content: text, IsError: true}, false},
	} {
		tool := answering(t, test.result, schema)
		if got := string(tool.OutputSchema().JSON()); !strings.Contains(got, `"required":["n"]`) {
			t.Errorf("the tool publishes %s, want the given schema", got)
		}
		result, err := tool.Call(t.Context(), nil)
		if _, refused := errors.AsType[*mcptool.OutputError](err); refused == test.ok || (result == nil) == test.ok {
			t.Errorf("%s: got %+v, %v", test.reason, result, err)
		}
	}
}

func TestOutputType(t *testing.T) {
	t.Parallel()
	type value struct {
		N int `json:"n" jsonschema:"minimum=1"`
	}
	good := &mcptool.Result{Structured: value{1}, Content: []mcptool.Content{mcptool.Text{Text: "one"}}}
	tool := answering(t, good, mcptool.OutputType[*value]())
	same := mustNew(t, func(context.Context, None) (value, error) { return value{1}, nil }, mcptool.Name("n"))
	if got, want := string(tool.OutputSchema().JSON()), string(same.OutputSchema().JSON()); got != want {
		t.Errorf("got %s, want the schema of a func that returns the type, %s", got, want)
	}
	if _, err := tool.Call(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if err := outputError(t, answering(t, &mcptool.Result{Structured: value{0}}, mcptool.OutputType[value]())); err.Tool != "answer" {
		t.Errorf("got %v", err)
	}
}

func TestOutputTypeMistakes(t *testing.T) {
	t.Parallel()
	type bad struct {
		C chan int `json:"c"`
	}
	result := func(context.Context, None) (*mcptool.Result, error) { return nil, nil }
	_, twice := mcptool.New(result, mcptool.Name("n"), mcptool.OutputType[int](), mcptool.OutputSchema(objectSchema))
	wantMistakes(t, registerError(t, nil, twice), "the options OutputSchema and OutputType both set a schema; set one of them")
	_, unfit := mcptool.New(result, mcptool.Name("n"), mcptool.OutputType[bad]())
	wantMistakes(t, registerError(t, nil, unfit), "mcptool_test.bad.C (c): chan int")
	_, differ := mcptool.New(result, mcptool.Name("n"), mcptool.OutputType[int](), mcptool.OutputType[string]())
	wantMistakes(t, registerError(t, nil, differ), "the option OutputType sets int, and the option OutputType sets string")
	_, content := mcptool.New(func(context.Context, None) (mcptool.Text, error) { return mcptool.Text{}, nil }, mcptool.Name("n"), mcptool.OutputType[int]())
	wantMistakes(t, registerError(t, nil, content), "Content has none; return *mcptool.Result")
}

func TestOutputErrorNamesTheField(t *testing.T) {
	t.Parallel()
	tool := answering(t, &mcptool.Result{Structured: map[string]string{"n": "1"}},
		mcptool.OutputSchema(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)))
	err := outputError(t, tool)
	if _, ok := errors.AsType[*reflectschema.InvalidError](err); !ok {
		t.Errorf("%v does not unwrap to the violations", err)
	}
	if got, want := err.Error(), `answer: the result cannot be sent: n: must be an integer, got the string "1"`; got != want {
		t.Errorf("got %q, want %q (without an example, which is for clients)", got, want)
	}
}

func TestResultIsNotShared(t *testing.T) {
	t.Parallel()
	own := &mcptool.Result{Structured: map[string]int{"n": 1}, Meta: map[string]any{"a": 1}, Content: []mcptool.Content{&mcptool.Text{Text: "\xff"}}}
	if _, err := answering(t, own).Call(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	want := &mcptool.Result{Structured: map[string]int{"n": 1}, Meta: map[string]any{"a": 1}, Content: []mcptool.Content{&mcptool.Text{Text: "\xff"}}}
	if diff := cmp.Diff(want, own); diff != "" {
		t.Errorf("a call changed the result of the func (-want +got):\n%s", diff)
	}
}

func TestNilPointerOut(t *testing.T) {
	t.Parallel()
	type out struct {
		N int `json:"n"`
	}
	tool := mustNew(t, func(context.Context, None) (*out, error) { return nil, nil }, mcptool.Name("n"))
	if !schemas.IsObject(tool.OutputSchema()) {
		t.Errorf("the schema of a pointer is %s, want the schema of its element type", tool.OutputSchema().JSON())
	}
	if err := outputError(t, tool); !strings.Contains(err.Error(), "nil pointer and no error") {
		t.Errorf("got %v", err)
	}
}
