package main

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

func TestCalculateSum(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New(CalculateSum)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, args, want string }{
		{"integers", `{"a":2,"b":3}`, `{"sum":5}`},
		{"fractions", `{"a":0.5,"b":-0.25}`, `{"sum":0.25}`},
		{"beyond int64", `{"a":1e300,"b":1}`, `{"sum":1e+300}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			res, err := tool.Call(t.Context(), []byte(test.args))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(res.Structured.(json.RawMessage)); got != test.want {
				t.Errorf("%s = %s, want %s", test.args, got, test.want)
			}
		})
	}
}

func TestArgumentsThatDoNotFit(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New(CalculateSum)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, args, want string }{
		{"missing", `{"a":2}`, "b"},
		{"text", `{"a":2,"b":"three"}`, "b"},
		{"misspelt", `{"a":2,"b":3,"c":4}`, "c"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := tool.Call(t.Context(), []byte(test.args))
			if wrong, ok := errors.AsType[*mcptool.ArgumentError](err); !ok || !strings.Contains(wrong.Error(), test.want) {
				t.Errorf("%s: %v, want an ArgumentError about %s", test.args, err, test.want)
			}
		})
	}
}

// TestSize holds the promise that a whole server is 20 lines.
func TestSize(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(source)) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	if lines > 20 {
		t.Errorf("main.go has %d lines that are not blank", lines)
	}
}
