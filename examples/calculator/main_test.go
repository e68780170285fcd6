package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

func TestCalculateSum(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New(CalculateSum)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		in   SumIn
		want float64
	}{
		{"integers", SumIn{A: 2, B: 3}, 5},
		{"fractions", SumIn{A: 0.5, B: -0.25}, 0.25},
		{"beyond int64", SumIn{A: 1e300, B: 1}, 1e300},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := mcptooltest.Call[SumIn, SumOut](t, tool, test.in); got.Sum != test.want {
				t.Errorf("got %v, want %v", got.Sum, test.want)
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

// TestSize checks that a complete server takes about 20 lines.
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
	if lines > 21 {
		t.Errorf("main.go has %d lines that are not blank", lines)
	}
}
