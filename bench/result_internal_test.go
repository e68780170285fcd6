package main

import (
	"encoding/json"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// TestResultText checks that a value sent both as structured content and as text is printed once.
func TestResultText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, structured, text, want string }{
		{"an object", `{"a":1}`, `{"a": 1}`, "{\n  \"a\": 1\n}\n"},
		{"a string", `"10:00 \"start\"\nline2"`, "10:00 \"start\"\nline2", "10:00 \"start\"\nline2\n"},
		{"a string and its JSON", `"a"`, `"a"`, "\"a\"\n"},
		{"a string and another text", `"a"`, "b", "b\n\"a\"\n"},
		{"text alone", "", "b", "b\n"},
	} {
		r := &client.Result{Content: []client.Content{{Type: "text", Text: test.text}}}
		if test.structured != "" {
			r.StructuredContent = json.RawMessage(test.structured)
		}
		if got := resultText(r); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
