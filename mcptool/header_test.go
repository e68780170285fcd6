package mcptool_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

func TestHeaders(t *testing.T) {
	t.Parallel()
	const (
		unreachable = "clients cannot locate the argument of this header"
		unfit       = "only a string, an integer or a boolean fits in a header"
		unsafe      = "integers in headers must be within"
	)
	for _, test := range []struct {
		reason, schema string
		want           []string
	}{
		{"T-XHDR-01 strings and booleans", `{"properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"boolean","x-mcp-header":"Customer-Id"}}}`, nil},
		{"every character of a token", `{"properties":{"a":{"type":"string","x-mcp-header":"!#$%&'*+-.^_` + "`" + `|~09azAZ"}}}`, nil},
		{"T-XHDR-01 nested by properties alone", `{"properties":{"a":{"type":"object","properties":{"b":{"type":"string","x-mcp-header":"B"}}}}}`, nil},
		{"a property named x-mcp-header", `{"properties":{"x-mcp-header":{"type":"number"}}}`, nil},
		{"misspelled keyword", `{"properties":{"a":{"type":"string","x-mcp-haeder":"A"}}}`, []string{"unknown keyword x-mcp-haeder"}},
		{"custom keywords", `{"properties":{"a":{"type":"string","x-mcp-hints":"A","x-header":"B","x-my-header":"C"}}}`, nil},
		{"x-mcp-header in data", `{"properties":{"a":{"type":"object","default":{"x-mcp-header":1},"enum":[{"x-mcp-header":1}]}}}`, nil},
		{"an integer within bounds", `{"properties":{"a":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991,"x-mcp-header":"A"}}}`, nil},
		{"bounds that exclude", `{"properties":{"a":{"type":"integer","exclusiveMinimum":-1,"exclusiveMaximum":10,"x-mcp-header":"A"}}}`, nil},
		{"integer enum", `{"properties":{"a":{"type":"integer","enum":[1,2],"x-mcp-header":"A"},"b":{"type":"integer","const":1,"x-mcp-header":"B"}}}`, nil},
		{"T-XHDR-02: empty", `{"properties":{"a":{"type":"string","x-mcp-header":""}}}`, []string{`n: (a): ` + "`x-mcp-header`" + `: "" is not a header name`}},
		{"T-XHDR-02: a space", `{"properties":{"a":{"type":"string","x-mcp-header":"My Region"}}}`, []string{`"My Region" is not`}},
		{"T-XHDR-02: a colon", `{"properties":{"a":{"type":"string","x-mcp-header":"a:b"}}}`, []string{`"a:b" is not`}},
		{"T-XHDR-02: a letter outside ASCII", `{"properties":{"a":{"type":"string","x-mcp-header":"Région"}}}`, []string{`"Région" is not`}},
		{"T-XHDR-02: a tab", `{"properties":{"a":{"type":"string","x-mcp-header":"a\tb"}}}`, []string{`"a\tb" is not`}},
		{"T-XHDR-02: not a string", `{"properties":{"a":{"type":"string","x-mcp-header":true}}}`, []string{"true is not a header name"}},
		{"T-XHDR-03: one header twice", `{"properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"object","properties":{"c":{"type":"string","x-mcp-header":"REGION"}}}}}`, []string{`n: (b.c): ` + "`x-mcp-header`" + `: "REGION" is also the header of a;`}},
		{"T-XHDR-04: a number", `{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`, []string{unfit}},
		{"T-XHDR-04: several types", `{"properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}}`, []string{unfit}},
		{"T-XHDR-04: no type", `{"properties":{"a":{"x-mcp-header":"A"}}}`, []string{unfit}},
		{"T-XHDR-05: no bounds", `{"properties":{"a":{"type":"integer","x-mcp-header":"A"}}}`, []string{unsafe}},
		{"T-XHDR-05: one bound", `{"properties":{"a":{"type":"integer","minimum":0,"x-mcp-header":"A"}}}`, []string{unsafe}},
		{"T-XHDR-05: bounds too wide", `{"properties":{"a":{"type":"integer","minimum":0,"maximum":9007199254740992,"x-mcp-header":"A"}}}`, []string{unsafe}},
		{"T-XHDR-05: a value too large", `{"properties":{"a":{"type":"integer","enum":[1,9007199254740993],"x-mcp-header":"A"}}}`, []string{unsafe}},
		{"T-XHDR-06: the root", `{"x-mcp-header":"A"}`, []string{unreachable, unfit}},
		{"T-XHDR-06: items", `{"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`, []string{"n: (/properties/a/items): `x-mcp-header`: " + unreachable}},
		{"T-XHDR-06: below items", `{"properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string","x-mcp-header":"A"}}}}}}`, []string{"n: (/properties/a/items/properties/b): `x-mcp-header`: " + unreachable}},
		{"T-XHDR-06: a choice", `{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`, []string{"n: (/anyOf/0/properties/a): `x-mcp-header`: " + unreachable}},
		{"T-XHDR-06: a condition", `{"if":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}`, []string{"n: (/if/properties/a): `x-mcp-header`: " + unreachable}},
		{"T-XHDR-06: a definition", `{"$defs":{"d":{"type":"string","x-mcp-header":"A"}},"properties":{"a":{"$ref":"#/$defs/d"}}}`, []string{"n: (/$defs/d): `x-mcp-header`: " + unreachable}},
		{"T-XHDR-06: names by pattern", `{"patternProperties":{"^a":{"type":"string","x-mcp-header":"A"}}}`, []string{"n: (/patternProperties/^a): `x-mcp-header`: " + unreachable}},
		{"several mistakes", `{"properties":{"a":{"type":"number","x-mcp-header":""},"b":{"type":"integer","x-mcp-header":"B"}}}`, []string{"(a): `x-mcp-header`: \"\" is not", "(a): `x-mcp-header`: " + unfit, "(b): `x-mcp-header`: " + unsafe}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			schema := json.RawMessage(`{"type":"object",` + test.schema[1:])
			tool, err := mcptool.NewRaw("n", schema, func(context.Context, json.RawMessage) (*mcptool.Result, error) { return nil, nil })
			if test.want != nil {
				wantMistakes(t, registerError(t, tool, err), test.want...)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}
