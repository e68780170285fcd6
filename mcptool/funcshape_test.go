package mcptool_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

type (
	named   string
	namedIn map[named]int
)

// shape returns the error of New for a func of this shape.
func shape[In, Out any](opts ...mcptool.ToolOption) error {
	_, err := mcptool.New(func(context.Context, In) (Out, error) {
		var out Out
		return out, nil
	}, append(opts, mcptool.Name("n"))...)
	return err
}

func TestFuncShapes(t *testing.T) {
	t.Parallel()
	schema := mcptool.OutputSchema(objectSchema)
	for _, test := range []struct {
		reason string
		err    error
		want   string // "" is accepted
	}{
		{"no arguments, no result", shape[None, None](), ""},
		{"a struct", shape[addIn, addOut](), ""},
		{"a pointer to a struct", shape[*addIn, *addOut](), ""},
		{"a map", shape[map[string]int, map[string]int](), ""},
		{"a named map with named keys", shape[namedIn, namedIn](), ""},
		{"a list", shape[None, []addOut](), ""},
		{"a scalar", shape[None, string](), ""},
		{"any", shape[None, any](), ""},
		{"raw JSON out", shape[None, json.RawMessage](), ""},
		{"a time", shape[None, time.Time](), ""},
		{"content", shape[None, mcptool.Content](), ""},
		{"contents", shape[None, []mcptool.Content](), ""},
		{"a result", shape[None, *mcptool.Result](), ""},
		{"a result with a schema", shape[None, *mcptool.Result](schema), ""},

		{"any as arguments", shape[any, None](), "n: interface {}: arguments must be a JSON object, but interface {} can be any value; use map[string]any"},
		{"raw JSON as arguments", shape[json.RawMessage, None](), "json.RawMessage: arguments must have names, but json.RawMessage does not define any; use a struct"},
		{"a scalar as arguments", shape[string, None](), "string: arguments must have names, but string does not define any"},
		{"a list as arguments", shape[[]addIn, None](), "does not define any"},
		{"numbered arguments", shape[map[int]string, None](), "the keys of map[int]string are not strings; use map[string]T"},
		{"a pointer to a pointer", shape[**addIn, None](), "**mcptool_test.addIn does not point to one; use a struct, or a pointer to one"},
		{"a pointer to a map", shape[*map[string]int, None](), "does not point to one"},
		{"a struct that marshals to a string", shape[time.Time, None](), "time.Time: arguments must be a JSON object, but the schema of the type is {\"type\":\"string\""},
		{"a context for arguments", shape[context.Context, None](), "the interface context.Context allows several"},
		{"a union for arguments", shape[Shape, None](), "n: mcptool_test.Shape: arguments must be one JSON object, but the interface mcptool_test.Shape allows several kinds, which some clients do not accept; make it a field of a struct"},
		{"a union as result", shape[None, Shape](), ""},
		{"a result by value", shape[None, mcptool.Result](), "n: mcptool.Result: a Result is returned by pointer; return *mcptool.Result"},
		{"results", shape[None, []mcptool.Result](), "n: []mcptool.Result: mcptool.Result is not JSON, so it cannot be a part of a result; return one *mcptool.Result, with all blocks in Content"},
		{"pointers to results", shape[None, []*mcptool.Result](), "n: []*mcptool.Result: mcptool.Result is not JSON"},
		{"an array of results", shape[None, [2]mcptool.Result](), "n: [2]mcptool.Result: mcptool.Result is not JSON"},
		{"a map of results", shape[None, map[string]mcptool.Result](), "n: map[string]mcptool.Result: mcptool.Result is not JSON"},
		{"a pointer to results", shape[None, *[]mcptool.Result](), "n: *[]mcptool.Result: mcptool.Result is not JSON"},
		{"a map of contents", shape[None, map[string][]mcptool.Content](), "mcptool.Content is not JSON"},
		{"lists of texts", shape[None, [][]mcptool.Text](), "mcptool.Text is not JSON"},
		{"a map of messages", shape[None, map[string]mcptool.Message](), "mcptool.Message is not JSON"},
		{"results of prompts", shape[None, []*mcptool.PromptResult](), "mcptool.PromptResult is not JSON"},
		{"pointers to contents of resources", shape[None, []*mcptool.ResourceContents](), "mcptool.ResourceContents is not JSON"},
		{"a type that contains itself", shape[None, recursive](), ""},
		{"a pointer to content", shape[None, *mcptool.Content](), "it points to an interface; return mcptool.Content"},
		{"an error as result", shape[None, error](), "error: both results are errors"},
		{"a pointer to a pointer as result", shape[None, **addOut](), "it is a pointer to a pointer"},
		{"a channel as result", shape[None, chan int](), "n: chan int: "},
		{"a message of a prompt", shape[None, mcptool.Message](), "n: mcptool.Message: only prompts return mcptool.Message; pass the func to RegisterPrompt or NewPrompt"},
		{"messages of a prompt", shape[None, []mcptool.Message](), "n: []mcptool.Message: only prompts return []mcptool.Message"},
		{"the result of a prompt", shape[None, *mcptool.PromptResult](), "n: *mcptool.PromptResult: only prompts return *mcptool.PromptResult"},
		{"contents of a resource", shape[None, mcptool.ResourceContents](), "n: mcptool.ResourceContents: only resources return mcptool.ResourceContents; pass the func to RegisterResource or NewResource"},
		{"an argument with brackets", shape[struct {
			IDs []int `json:"uids[]" doc:"Users"`
		}, None](), "(uids[]): the Anthropic API rejects all tools of a request if the name of an argument does not match ^[a-zA-Z0-9_.-]{1,64}$; rename the argument"},
		{"brackets below", shape[struct {
			A struct {
				IDs []int `json:"uids[]"`
			} `json:"a.b-c_D"`
		}, None](), ""},
		{"a schema for content", shape[None, mcptool.Text](schema), "n: an output schema describes structured content, but Content has none; return *mcptool.Result"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			if test.want != "" {
				wantMistakes(t, registerError(t, nil, test.err), test.want)
			} else if test.err != nil {
				t.Error(test.err)
			}
		})
	}
}

// recursive is a slice of itself.
type recursive []recursive

func TestNilFunc(t *testing.T) {
	t.Parallel()
	var fn func(context.Context, addIn) (addOut, error)
	tool, err := mcptool.New(fn, mcptool.Name("n"))
	wantMistakes(t, registerError(t, tool, err), "n: the func is nil; pass a func")
}
