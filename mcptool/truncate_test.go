package mcptool_test

import (
	"context"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

type longList struct {
	Items []int `json:"items" mcp:"truncate"`
}

func listing(context.Context, None) (longList, error) { return longList{}, nil }

func TestTruncate(t *testing.T) {
	t.Parallel()
	size := func(part []byte) int { return len(part) }
	const whole = `{"items":[1,2,3,4,5]}`
	for _, test := range []struct {
		name   string
		tool   *mcptool.Tool
		most   int
		want   string
		reason string
	}{
		{"typed", mustNew(t, listing), 17, `{"items":[1,2,3]}`, "the type has a truncatable list"},
		{"typed, too small", mustNew(t, listing), 10, "", "too large without elements"},
		{"a Result with a type", answering(t, nil, mcptool.OutputType[longList]()), 17, `{"items":[1,2,3]}`, "OutputType has a truncatable list"},
		{
			"schema by hand", mustNew(t, listing, mcptool.OutputSchema([]byte(`{"type":"object","required":["items"],"properties":{"items":{"type":"array","items":{"type":"integer"},"minItems":4}}}`))),
			17, "", "what is left fits that, or is not sent",
		},
		{"no type", answering(t, nil), 17, "", "no truncatable list"},
		{"behind middleware", mustNew(t, listing, mcptool.Use(passing)), 17, `{"items":[1,2,3]}`, "middleware does not change the type"},
	} {
		short, cuts, fits := internals.Truncate(test.tool, []byte(whole), test.most, size)
		if string(short) != test.want || fits != (test.want != "") || fits != (len(cuts) == 1) {
			t.Errorf("%s: got %s, %v, %v: %s", test.name, short, cuts, fits, test.reason)
		}
	}
}

func TestTruncateMistakes(t *testing.T) {
	t.Parallel()
	type wrong struct {
		Text string `json:"text" mcp:"truncate"`
	}
	type nested struct {
		List longList `json:"list"`
	}
	_, err := mcptool.New(func(context.Context, None) (wrong, error) { return wrong{}, nil }, mcptool.Name("x"))
	wantMistakes(t, registerError(t, nil, err), `only lists can be truncated, and string is not a list`)
	_, err = mcptool.New(func(context.Context, nested) (None, error) { return None{}, nil }, mcptool.Name("x"))
	wantMistakes(t, registerError(t, nil, err), `this is an argument`)
	_, err = mcptool.New(func(context.Context, None) (*mcptool.Result, error) { return nil, nil }, mcptool.Name("x"), mcptool.OutputType[wrong]())
	wantMistakes(t, registerError(t, nil, err), `only lists can be truncated`)
}
