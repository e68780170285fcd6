package mcptool_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

func TestErrorTexts(t *testing.T) {
	t.Parallel()
	invalid := &reflectschema.InvalidError{
		Violations: []reflectschema.Violation{
			{Path: "items[2].qty", Keyword: "minimum", Want: "1", Got: "0"},
			{Path: "city", Keyword: "required"},
		},
		Total: 5,
	}
	for _, test := range []struct {
		reason string
		err    error
		want   string
	}{
		{
			"violations are told on one line",
			&mcptool.OutputError{Tool: "n", Err: invalid},
			"n: the result cannot be sent: items[2].qty: must be at least 1, got 0; city: is required but missing; and 3 more",
		},
		{
			"joined errors are one line, for a log",
			&mcptool.OutputError{Tool: "n", Err: errors.Join(errors.New("a"), errors.New("b"))},
			"n: the result cannot be sent: a; b",
		},
		{
			"what was not worded for a model stays inside",
			&mcptool.ArgumentError{Tool: "n", Err: errors.New("json: cannot unmarshal into Go struct main.secret")},
			"n: invalid arguments",
		},
		{
			"the model reads what validation says",
			&mcptool.ArgumentError{Tool: "n", Err: invalid},
			"n: invalid arguments\n" + invalid.Error(),
		},
		{
			"a panic tells its value, not its stack",
			&mcptool.PanicError{Tool: "n", Value: 7, Stack: []byte("stack")},
			"n: panic: 7",
		},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestErrorf(t *testing.T) {
	t.Parallel()
	one, two := errors.New("one"), errors.New("two")
	err := fmt.Errorf("outside: %w", mcptool.Errorf("%w and %w of %d", one, two, 3))
	public, ok := errors.AsType[*private.PublicError](err)
	if !ok || public.Error() != "one and two of 3" || !errors.Is(err, one) || !errors.Is(err, two) {
		t.Errorf("got %v in %v", public, err)
	}
}
