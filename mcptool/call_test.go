package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

type addIn struct {
	A int `json:"a"`
	B int `json:"b,omitempty"`
}

type addOut struct {
	Sum int `json:"sum"`
}

func Add(_ context.Context, in addIn) (addOut, error) { return addOut{in.A + in.B}, nil }

// TestAppend: the structured result is appended to a buffer, whose content is unchanged also after an error.
func TestAppend(t *testing.T) {
	t.Parallel()
	object := json.RawMessage(`{"type":"object"}`)
	raw := func(res *mcptool.Result, err error) *mcptool.Tool {
		tool, bad := mcptool.NewRaw("n", object, func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			if err != nil {
				panic(err)
			}
			return res, nil
		})
		if bad != nil {
			t.Fatal(bad)
		}
		return tool
	}
	for _, test := range []struct {
		name   string
		tool   *mcptool.Tool
		args   string
		want   string // appended to the buffer
		rest   bool
		failed bool
	}{
		{"typed", mustNew(t, Add), `{"a":1,"b":2}`, `{"sum":3}`, false, false},
		{"invalid arguments", mustNew(t, Add), `{"a":true}`, ``, false, true},
		{"structured result and content", raw(&mcptool.Result{Structured: 7, Content: []mcptool.Content{mcptool.Text{Text: "seven"}}}, nil), ``, `7`, true, false},
		{"no structured result", raw(&mcptool.Result{}, nil), ``, ``, false, false},
		{"panic", raw(nil, errors.New("oh")), ``, ``, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out, rest, err := internals.Call(t.Context(), test.tool, []byte(test.args), []byte("before "))
			if string(out) != "before "+test.want || (rest != nil) != test.rest || (err != nil) != test.failed {
				t.Errorf("%s, %v, %v", out, rest, err)
			}
			if rest != nil && rest.Structured != nil {
				t.Errorf("Structured is also set in the result: %v", rest.Structured)
			}
		})
	}
}

func TestCall(t *testing.T) {
	t.Parallel()
	add := mustNew(t, Add)
	addPointers := mustNew(t, func(ctx context.Context, in *addIn) (*addOut, error) {
		out, err := Add(ctx, *in)
		return &out, err
	}, mcptool.Name("n"))
	count := mustNew(t, func(_ context.Context, in map[string]int) (int, error) { return len(in), nil }, mcptool.Name("n"))
	anything := mustNew(t, func(_ context.Context, in map[string]any) (any, error) { return in["x"], nil }, mcptool.Name("n"))
	nothing := mustNew(t, done)
	for _, test := range []struct {
		reason     string
		tool       *mcptool.Tool
		args, want string
	}{
		{"struct", add, `{"a":1,"b":2}`, `{"sum":3}`},
		{"pointers to structs", addPointers, `{"a":1,"b":2}`, `{"sum":3}`},
		{"map", count, `{"a":1,"b":2}`, `2`},
		{"empty map", count, `{}`, `0`},
		{"any", anything, `{"x":[1,null]}`, `[1,null]`},
		{"nil any", anything, `{}`, `null`},
		{"no arguments", nothing, ``, `{}`},
		{"null as arguments", nothing, ` null `, `{}`},
		{"white space as arguments", nothing, " \n", `{}`},
	} {
		result, err := test.tool.Call(t.Context(), []byte(test.args))
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		want := &mcptool.Result{Structured: json.RawMessage(test.want)}
		if diff := cmp.Diff(want, result); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestCallRefusesArguments(t *testing.T) {
	t.Parallel()
	t.Run("T-CALL-07 T-SEC-01", callRefusesArguments)
}

func callRefusesArguments(t *testing.T) {
	ran := false
	typed := mustNew(t, func(context.Context, addIn) (addOut, error) { ran = true; return addOut{}, nil }, mcptool.Name("add"))
	raw, err := mcptool.NewRaw("add", json.RawMessage(`{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}`),
		func(context.Context, json.RawMessage) (*mcptool.Result, error) { ran = true; return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	narrow := mustNew(t, func(context.Context, map[string]any) (None, error) { ran = true; return None{}, nil }, mcptool.Name("add"),
		mcptool.InputSchema(json.RawMessage(`{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}`)))
	for name, tool := range map[string]*mcptool.Tool{"typed": typed, "raw": raw, "typed with a schema by hand": narrow} {
		for _, args := range []string{`{"a":"one"}`, `{}`, ``, `null`, `[]`, `"x"`, `{"a":1`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}"} {
			result, err := tool.Call(t.Context(), []byte(args))
			refused, ok := errors.AsType[*mcptool.ArgumentError](err)
			if !ok || result != nil || refused.Tool != "add" {
				t.Errorf("%s: %q: got %+v, %v; want an *ArgumentError of add", name, args, result, err)
				continue
			}
			if _, ok := errors.AsType[*reflectschema.InvalidError](err); !ok {
				t.Errorf("%s: %q: the error does not unwrap to the violations", name, args)
			}
			if first, rest, _ := strings.Cut(err.Error(), "\n"); first != "add: invalid arguments" || rest != refused.Err.Error() {
				t.Errorf("%s: %q: unexpected error text %q", name, args, err)
			}
		}
	}
	if ran {
		t.Error("a func ran with invalid arguments")
	}
}

func TestCallOfFuncThatFails(t *testing.T) {
	t.Parallel()
	failure := fmt.Errorf("no such city: %w", io.EOF)
	typed := mustNew(t, func(context.Context, None) (addOut, error) { return addOut{1}, failure }, mcptool.Name("n"))
	raw, err := mcptool.NewRaw("n", objectSchema, func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{}, failure
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []*mcptool.Tool{typed, raw} {
		result, err := tool.Call(t.Context(), nil)
		if result != nil || err != failure { //nolint:errorlint // must be identical
			t.Errorf("got %+v, %v; want the func's own error and no result", result, err)
		}
	}
}

func TestCallAfterTheContextEnded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tool := mustNew(t, func(context.Context, None) (None, error) {
		t.Error("the func ran")
		return None{}, nil
	}, mcptool.Name("n"))
	if result, err := tool.Call(ctx, nil); result != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v; want the context's error", result, err)
	}
}

func TestCallOfNoTool(t *testing.T) {
	t.Parallel()
	for _, tool := range []*mcptool.Tool{nil, {}} {
		if result, err := tool.Call(t.Context(), nil); result != nil || err == nil {
			t.Errorf("got %+v, %v; want an error", result, err)
		}
	}
}

func TestSchemasByHand(t *testing.T) {
	t.Parallel()
	tool := mustNew(t, Add,
		mcptool.InputSchema(json.RawMessage(`{ "type": "object", "properties": {"a": {"type": "integer", "maximum": 9}, "b": {"type": "integer"}}, "required": ["a", "b"], "additionalProperties": false }`)),
		mcptool.OutputSchema(json.RawMessage(`{"type":"object","properties":{"sum":{"maximum":9}}}`)))
	if got, want := string(tool.InputSchema().JSON()), `{"type":"object","properties":{"a":{"type":"integer","maximum":9},"b":{"type":"integer"}},"required":["a","b"],"additionalProperties":false}`; got != want {
		t.Errorf("the tool publishes %s, want the given schema", got)
	}
	if result, err := tool.Call(t.Context(), []byte(`{"a":4,"b":5}`)); err != nil || string(result.Structured.(json.RawMessage)) != `{"sum":9}` {
		t.Errorf("got %+v, %v; want a result", result, err)
	}
	for _, args := range []string{`{"a":10}`, `{}`} {
		if _, err := tool.Call(t.Context(), []byte(args)); !isArgumentError(err) {
			t.Errorf("%s: got %v; want an error of both the schema and the type", args, err)
		}
	}
	if _, err := tool.Call(t.Context(), []byte(`{"a":9,"b":1}`)); !isOutputError(err) {
		t.Errorf("got %v; want an *OutputError", err)
	}
}

// TestExampleOfSchemaByHand checks that the example in an error fits both the published schema and the Go type, and that
// the error has none if the placeholder of the schema does not fit the type.
func TestExampleOfSchemaByHand(t *testing.T) {
	t.Parallel()
	type in struct {
		Host netip.Addr `json:"host"`
		Port int        `json:"port,omitempty"`
	}
	for _, test := range []struct{ reason, host, args, want string }{
		{"the example fits the type", `{"type":"string","examples":["192.0.2.1"]}`, `{"host":"::1"}`, "n: invalid arguments\nport: is required but missing\nExample: {\"host\":\"192.0.2.1\",\"port\":1024}"},
		{"the type refuses the placeholder of the schema", `{"type":"string"}`, `{"host":"::1"}`, "n: invalid arguments\nport: is required but missing"},
		{"errors of the schema and the type are reported together", `{"type":"string","examples":["192.0.2.1"]}`, `{"host":"here","port":80}`, "n: invalid arguments\nhost: must be a value that can be read (ParseAddr(\"here\"): unable to parse IP), got \"here\"\n" +
			"port: must be at least 1024, got 80\nExample: {\"host\":\"192.0.2.1\",\"port\":1024}"},
	} {
		tool := mustNew(t, func(context.Context, in) (None, error) { return None{}, nil }, mcptool.Name("n"),
			mcptool.InputSchema(json.RawMessage(`{"type":"object","properties":{"host":`+test.host+`,"port":{"type":"integer","minimum":1024}},"required":["host","port"],"additionalProperties":false}`)))
		if _, err := tool.Call(t.Context(), []byte(test.args)); err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.reason, err, test.want)
		}
	}
}

// TestSchemasThatDisagree checks that differences between a handwritten schema and the Go type are mistakes. The
// comparison itself is tested in reflectschema.
func TestSchemasThatDisagree(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New(Add,
		mcptool.InputSchema(json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"c":{"type":"integer"}},"additionalProperties":false}`)),
		mcptool.OutputSchema(json.RawMessage(`{"type":"object","properties":{"sum":{"type":"string"}},"required":["total"]}`)))
	wantMistakes(t, registerError(t, tool, err),
		"add: mcptool_test.addIn.A (a): the option InputSchema: the type is string in the schema, but the Go type reads integer; write \"type\":\"integer\"",
		"add: mcptool_test.addIn (c): the option InputSchema: the schema has it, but the Go type has no such field; drop the property, or add the field",
		"add: mcptool_test.addIn.A (a): the option InputSchema: the Go type requires it, but the schema does not",
		"add: mcptool_test.addOut.Sum (sum): the option OutputSchema: the type is string in the schema, but the Go type writes integer",
		"add: mcptool_test.addOut (total): the option OutputSchema: the schema has it, but the Go type never writes it")
}

func isArgumentError(err error) bool {
	_, ok := errors.AsType[*mcptool.ArgumentError](err)
	return ok
}

func isOutputError(err error) bool {
	_, ok := errors.AsType[*mcptool.OutputError](err)
	return ok
}

func TestOutOfAnyPromisesNothing(t *testing.T) {
	t.Parallel()
	tool := mustNew(t, func(context.Context, None) (any, error) { return 1, nil }, mcptool.Name("n"))
	if schema := tool.OutputSchema(); schema != nil {
		t.Errorf("OutputSchema() = %s, want nil", schema.JSON())
	}
}

// TestCallString: the text content of a string result is the string itself, also for adapters to other servers.
func TestCallString(t *testing.T) {
	t.Parallel()
	const text = "10:00 \"start\"\nline2"
	made, err := mcptool.New(func(context.Context, struct{}) (string, error) { return text, nil }, mcptool.Name("x"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := made.Call(t.Context(), nil)
	want := &mcptool.Result{Structured: json.RawMessage(`"10:00 \"start\"\nline2"`), Content: []mcptool.Content{mcptool.Text{Text: text}}}
	if diff := cmp.Diff(want, res); diff != "" || err != nil {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
}
