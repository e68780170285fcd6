package mcptool_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

var objectSchema = json.RawMessage(`{"type":"object"}`)

// registerError returns the error of a definition as what it must be, and checks
// that it came alone.
func registerError(t testing.TB, tool *mcptool.Tool, err error) *mcptool.RegisterError {
	t.Helper()
	refused, ok := errors.AsType[*mcptool.RegisterError](err)
	if !ok {
		t.Fatalf("got error %v, want a *RegisterError", err)
	}
	if tool != nil {
		t.Errorf("got a tool beside the error %v", err)
	}
	return refused
}

// wantMistakes checks that each text occurs in one mistake of its own, in order.
func wantMistakes(t testing.TB, err *mcptool.RegisterError, texts ...string) {
	t.Helper()
	if len(err.Mistakes) != len(texts) {
		t.Errorf("got %d mistakes, want %d: %v", len(err.Mistakes), len(texts), err)
		return
	}
	for i, text := range texts {
		if got := err.Mistakes[i].String(); !strings.Contains(got, text) {
			t.Errorf("mistake %d is %q, want it to say %q", i, got, text)
		}
	}
}

// outputError calls the tool and returns what its result is refused for.
func outputError(t testing.TB, tool *mcptool.Tool) *mcptool.OutputError {
	t.Helper()
	result, err := tool.Call(t.Context(), nil)
	refused, ok := errors.AsType[*mcptool.OutputError](err)
	if !ok {
		t.Fatalf("got %+v, %v; want an *OutputError", result, err)
	}
	if result != nil {
		t.Errorf("got a result beside the error %v", err)
	}
	return refused
}
