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
		{"nothing", nil, nil},
		{"a struct, as encoding/json writes it, but without null for nothing", value{B: 1}, json.RawMessage(`{"b":1,"a":[],"M":{}}`)},
		{"a map, sorted", map[string]any{"b": 1, "a": "<>&\u2028"}, json.RawMessage("{\"a\":\"<>&\u2028\",\"b\":1}")},
		{"JSON, compacted", json.RawMessage(`{ "a" : [ 1.50 ] }`), json.RawMessage(`{"a":[1.50]}`)},
		{"null itself", json.RawMessage("null"), json.RawMessage("null")},
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
		{"a value that JSON cannot hold", make(chan int), "chan int"},
		{"JSON that is none", json.RawMessage(`{"a":`), "answer: the result cannot be sent: "},
		{"a name twice", json.RawMessage(`{"a":1,"a":2}`), "duplicate"},
	} {
		err := outputError(t, answering(t, &mcptool.Result{Structured: test.given}))
		if text := err.Error(); !strings.Contains(text, test.want) || strings.Contains(text, "\n") {
			t.Errorf("%s: got %q, want one line that says %q", test.reason, text, test.want)
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
		{"it fits", &mcptool.Result{Structured: map[string]int{"n": 1}}, true},
		{"it does not fit", &mcptool.Result{Structured: map[string]string{"n": "1"}}, false},
		{"it is missing", &mcptool.Result{Content: text}, false},
		{"there is no result", nil, false},
		{"an error need not have it", &mcptool.Result{Content: text, IsError: true}, true},
		{"an error that has it must fit too", &mcptool.Result{Structured: 1, Content: text, IsError: true}, false},
	} {
		tool := answering(t, test.result, schema)
		if got := string(tool.OutputSchema().JSON()); !strings.Contains(got, `"required":["n"]`) {
			t.Errorf("the tool publishes %s, want the schema given", got)
		}
		result, err := tool.Call(t.Context(), nil)
		if _, refused := errors.AsType[*mcptool.OutputError](err); refused == test.ok || (result == nil) == test.ok {
			t.Errorf("%s: got %+v, %v", test.reason, result, err)
		}
	}
}

func TestOutputErrorNamesTheField(t *testing.T) {
	t.Parallel()
	tool := answering(t, &mcptool.Result{Structured: map[string]string{"n": "1"}},
		mcptool.OutputSchema(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)))
	err := outputError(t, tool)
	if _, ok := errors.AsType[*reflectschema.InvalidError](err); !ok {
		t.Errorf("%v does not unwrap to the violations", err)
	}
	if text := err.Error(); !strings.HasPrefix(text, "answer: the result cannot be sent: n: type: want ") || strings.Contains(text, "Example") {
		t.Errorf("got %q, want the field and why, without the words for models", text)
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
		t.Errorf("a call changed the author's own result (-want +got):\n%s", diff)
	}
}

func TestNilPointerOut(t *testing.T) {
	t.Parallel()
	type out struct {
		N int `json:"n"`
	}
	tool := mustNew(t, func(context.Context, None) (*out, error) { return nil, nil }, mcptool.Name("n"))
	if !tool.OutputSchema().IsObject() {
		t.Errorf("the schema of a pointer is %s, want that of what it points at", tool.OutputSchema().JSON())
	}
	if err := outputError(t, tool); !strings.Contains(err.Error(), "nil pointer and no error") {
		t.Errorf("got %v", err)
	}
}
