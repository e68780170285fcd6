package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// internals has the functions of package mcptool that are not in its API.
var (
	internals = mcptool.Internal(private.Key{})
	schemas   = reflectschema.Internal(private.Key{})
)

// complete returns the suggestions for an argument (at most 100), and their total number.
func complete(ctx context.Context, completer *mcptool.Tool, argument, typed string, others map[string]string) (values []string, total int, err error) {
	args, err := json.Marshal(map[string]any{
		"argument": map[string]string{"name": argument, "value": typed}, "context": map[string]any{"arguments": others},
	})
	if err != nil {
		return nil, 0, err
	}
	rest, err := completer.Call(ctx, args)
	found := internals.Rendered(rest)
	return found.Values, found.Total, err
}

// listPage returns a page of the resources under a template.
func listPage(ctx context.Context, r *mcptool.Resource, cursor string) (page []mcptool.ResourceLink, next string, err error) {
	args, err := json.Marshal(map[string]string{"cursor": cursor})
	if err != nil {
		return nil, "", err
	}
	rest, err := internals.Settings(internals.Runner(r)).Lister.Call(ctx, args)
	listed := internals.Rendered(rest)
	return listed.Links, listed.Next, err
}

// ignoreUpdates is a no-op callback for Watch.
func ignoreUpdates(string) {}

// None is the argument type of tools without arguments.
type None = struct{}

var objectSchema = json.RawMessage(`{"type":"object"}`)

// done is a tool func that does nothing.
func done(context.Context, None) (None, error) { return None{}, nil }

// mustNew defines a tool or ends the test.
func mustNew[In, Out any](tb testing.TB, fn func(context.Context, In) (Out, error), opts ...mcptool.ToolOption) *mcptool.Tool {
	tb.Helper()
	tool, err := mcptool.New(fn, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return tool
}

// answering returns a tool that returns result.
func answering(tb testing.TB, result *mcptool.Result, opts ...mcptool.ToolOption) *mcptool.Tool {
	tb.Helper()
	return mustNew(tb, func(context.Context, None) (*mcptool.Result, error) { return result, nil },
		append(opts, mcptool.Name("answer"))...)
}

// registerError returns err as a *RegisterError, and checks that tool is nil.
func registerError(tb testing.TB, tool *mcptool.Tool, err error) *mcptool.RegisterError {
	tb.Helper()
	refused, ok := errors.AsType[*mcptool.RegisterError](err)
	if !ok {
		tb.Fatalf("got error %v, want a *RegisterError", err)
	}
	if tool != nil {
		tb.Errorf("got a tool and the error %v", err)
	}
	return refused
}

// wantMistakes checks that err has one mistake for each text, in order.
func wantMistakes(tb testing.TB, err *mcptool.RegisterError, texts ...string) {
	tb.Helper()
	if len(err.Mistakes) != len(texts) {
		tb.Errorf("got %d mistakes, want %d: %v", len(err.Mistakes), len(texts), err)
		return
	}
	for i, text := range texts {
		if got := err.Mistakes[i].String(); !strings.Contains(got, text) {
			tb.Errorf("mistake %d is %q, want %q", i, got, text)
		}
	}
}

// outputError calls the tool and returns its OutputError.
func outputError(tb testing.TB, tool *mcptool.Tool) *mcptool.OutputError {
	tb.Helper()
	result, err := tool.Call(tb.Context(), nil)
	refused, ok := errors.AsType[*mcptool.OutputError](err)
	if !ok {
		tb.Fatalf("got %+v, %v; want an *OutputError", result, err)
	}
	if result != nil {
		tb.Errorf("got a result and the error %v", err)
	}
	return refused
}
