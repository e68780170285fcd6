package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// panicky panics when encoded or decoded.
type panicky struct{}

func (panicky) MarshalText() ([]byte, error) { panic("in MarshalText") }
func (*panicky) UnmarshalText([]byte) error  { panic("in UnmarshalText") }

// nilError panics if Error is called on a nil pointer.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

func TestPanics(t *testing.T) {
	t.Parallel()
	panics := func(value any) *mcptool.Tool {
		return mustNew(t, func(context.Context, None) (None, error) { panic(value) }, mcptool.Name("boom"))
	}
	raw, err := mcptool.NewRaw("boom", objectSchema, func(context.Context, json.RawMessage) (*mcptool.Result, error) { panic("raw") })
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason string
		tool   *mcptool.Tool
		args   string
		want   string
	}{
		{"a text", panics("text"), ``, "boom: panic: text"},
		{"an error", panics(io.EOF), ``, "boom: panic: EOF"},
		{"nil", panics(nil), ``, "boom: panic: panic called with nil argument"},
		{"a nil pointer", panics((*int)(nil)), ``, "boom: panic: <nil>"},
		{"a nil error", panics((*nilError)(nil)), ``, "boom: panic: <nil>"},
		{"http.ErrAbortHandler", panics(http.ErrAbortHandler), ``, "boom: panic: net/http: abort Handler"},
		{"runtime error", mustNew(t, func(_ context.Context, in map[string]int) (int, error) { return 1 / in["zero"], nil }, mcptool.Name("boom")), ``, "boom: panic: runtime error: integer divide by zero"},
		{"a raw tool", raw, ``, "boom: panic: raw"},
		{"error whose Error method panics", mustNew(t, func(context.Context, None) (None, error) {
			var err *nilError
			return None{}, err
		}, mcptool.Name("boom")), ``, "boom: panic: runtime error: invalid memory address or nil pointer dereference"},
	} {
		result, err := test.tool.Call(t.Context(), []byte(test.args))
		caught, ok := errors.AsType[*mcptool.PanicError](err)
		if !ok || result != nil {
			t.Errorf("%s: got %+v, %v; want a *PanicError", test.reason, result, err)
			continue
		}
		if caught.Tool != "boom" || err.Error() != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, err, test.want)
		}
		if !strings.Contains(string(caught.Stack), "panic") {
			t.Errorf("%s: the stack does not show the panic:\n%s", test.reason, caught.Stack)
		}
	}
}

// TestPanicsOfTextMethods: a panic of a text method is recovered by the codec, as a value that cannot be read or
// written.
func TestPanicsOfTextMethods(t *testing.T) {
	t.Parallel()
	type in struct {
		P panicky `json:"p,omitzero"`
	}
	decodes := mustNew(t, func(context.Context, in) (None, error) { return None{}, nil }, mcptool.Name("boom"))
	if _, err := decodes.Call(t.Context(), []byte(`{"p":"x"}`)); !isArgumentError(err) {
		t.Errorf("got %v, want an *ArgumentError", err)
	}
	encodes := mustNew(t, func(context.Context, None) (panicky, error) { return panicky{}, nil }, mcptool.Name("boom"))
	structured := mustNew(t, func(context.Context, None) (*mcptool.Result, error) {
		return &mcptool.Result{Structured: panicky{}}, nil
	}, mcptool.Name("boom"))
	for _, tool := range []*mcptool.Tool{encodes, structured} {
		if _, err := tool.Call(t.Context(), nil); !isOutputError(err) {
			t.Errorf("got %v, want an *OutputError", err)
		}
	}
}

func TestPanicErrorUnwraps(t *testing.T) {
	t.Parallel()
	if err := error(&mcptool.PanicError{Tool: "n", Value: io.EOF}); !errors.Is(err, io.EOF) {
		t.Errorf("%v does not unwrap to the error panicked with", err)
	}
	if err := error(&mcptool.PanicError{Tool: "n", Value: "EOF"}); errors.Unwrap(err) != nil {
		t.Errorf("errors.Unwrap(%v) is not nil", err)
	}
}

// TestGoexit: a func that calls runtime.Goexit ends the goroutine of the call. Its deferred funcs run, which a server
// relies on.
func TestGoexit(t *testing.T) {
	t.Parallel()
	tool := mustNew(t, func(context.Context, None) (None, error) {
		goruntime.Goexit()
		return None{}, nil
	}, mcptool.Name("n"))
	ended := make(chan bool)
	go func() {
		returned := false
		defer func() { ended <- returned }()
		_, _ = tool.Call(t.Context(), nil)
		returned = true
	}()
	if <-ended {
		t.Error("Call returned after Goexit")
	}
	if _, err := mustNew(t, done).Call(t.Context(), nil); err != nil {
		t.Errorf("call of another tool after Goexit: %v", err)
	}
}
