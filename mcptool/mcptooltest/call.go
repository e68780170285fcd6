package mcptooltest

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Call calls the tool with the arguments in, without a server, and returns its result. It ends the test (FailNow) if
// the arguments do not fit, or if the call returns an error, or a result with IsError or without structured content. In
// and Out need not be the types of the func, but their JSON must fit its schemas. All fields of a struct are sent, also
// those with a zero value and a default; a map[string]any leaves arguments out, as clients do. If Out is
// [*mcptool.Result], Call returns the whole result, even one with IsError.
func Call[In, Out any](tb testing.TB, tool *mcptool.Tool, in In) Out {
	tb.Helper()
	args := argumentsOf(tb, tool, in)
	result, err := tool.Call(tb.Context(), args)
	return outputOf[Out](tb, tool, args, result, err)
}

// CallAs is [Call] by a client. It also ends the test if an answer was not used.
func CallAs[In, Out any](tb testing.TB, c *Client, tool *mcptool.Tool, in In) Out {
	tb.Helper()
	args := argumentsOf(tb, tool, in)
	result, err := c.Call(tb.Context(), tool, args)
	out := outputOf[Out](tb, tool, args, result, err)
	c.answered(tb, fmt.Sprintf("%s(%s): the tool", tool.Info().Name, args))
	return out
}

// argumentsOf encodes the arguments of a call.
func argumentsOf[In any](tb testing.TB, tool *mcptool.Tool, in In) []byte {
	tb.Helper()
	args, err := encode(reflect.ValueOf(&in).Elem())
	if err != nil {
		tb.Fatalf("%s: encode the arguments: %v", tool.Info().Name, err)
	}
	return args
}

// outputOf decodes the result of a call.
func outputOf[Out any](tb testing.TB, tool *mcptool.Tool, args []byte, result *mcptool.Result, err error) Out {
	tb.Helper()
	if err != nil {
		tb.Fatalf("%s(%s): %v", tool.Info().Name, args, err)
	}
	var out Out
	if whole, ok := any(&out).(**mcptool.Result); ok {
		*whole = result
		return out
	}
	raw, ok := result.Structured.(json.RawMessage)
	if result.IsError || !ok {
		tb.Fatalf("%s(%s): want structured output, got error=%v with content %+v", tool.Info().Name, args, result.IsError, result.Content)
	}
	if err := decode(raw, reflect.ValueOf(&out).Elem()); err != nil {
		tb.Fatalf("%s(%s) = %s: decode the result: %v", tool.Info().Name, args, raw, err)
	}
	return out
}

// encode encodes arguments as a client would.
//
//nolint:contextcheck,nolintlint // encoding a value has nothing to cancel; the linter reads this at the callers
func encode(in reflect.Value) ([]byte, error) {
	if in.Kind() == reflect.Pointer && !in.IsNil() {
		in = in.Elem()
	}
	t, err := reflectschema.Compile(in.Type(), reflectschema.DirectionInput)
	if err != nil {
		return nil, err
	}
	return schemas.AppendEncode(context.Background(), t, nil, in, 0, false)
}

// decode decodes a result as a client would.
func decode(raw []byte, out reflect.Value) error {
	if out.Kind() == reflect.Pointer {
		out.Set(reflect.New(out.Type().Elem()))
		out = out.Elem()
	}
	t, err := reflectschema.Compile(out.Type(), reflectschema.DirectionOutput)
	if err != nil {
		return err
	}
	return t.Decode(raw, out)
}
