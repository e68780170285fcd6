package mcptool_test

import (
	"math"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

func TestMetaKeys(t *testing.T) {
	t.Parallel()
	const prefix, name, reserved = "has a prefix that is not labels", "has a name that is not letters", "keeps for itself"
	for _, test := range []struct{ key, want, reason string }{
		{"a", "", "a name alone"},
		{"a.b_c-d9", "", "all that may stand inside a name"},
		{"traceparent", "", "an exception by name in 2026-07-28, and a legal name anyway"},
		{"com.example/a", "", "a prefix"},
		{"com.exa-mple.x9/A", "", "a hyphen inside a label"},
		{"x/a", "", "one label"},
		{"com.example.mcp/a", "", "mcp neither second nor before the last"},
		{"mcp/a", "", "mcp alone is in neither rule"},
		{"", name, "empty"},
		{"com.example/", name, "a prefix alone"},
		{"-a", name, "a name starts with a letter or a digit"},
		{"a.", name, "and ends with one"},
		{"a b", name, "a space"},
		{"größe", name, "a letter outside ASCII"},
		{"com.example/a/b", name, "one slash only"},
		{"/a", prefix, "an empty prefix"},
		{"com..example/a", prefix, "an empty label"},
		{"9com.example/a", prefix, "a label starts with a letter"},
		{"com-.example/a", prefix, "and does not end with a hyphen"},
		{"com_a.example/a", prefix, "an underscore"},
		{"io.modelcontextprotocol/a", reserved, "the second label, by 2025-11-25"},
		{"com.mcp.tools/a", reserved, "the second of three"},
		{"com.MCP.tools/a", reserved, "domains have no case"},
		{"mcp.dev/a", reserved, "the label before the last, by 2025-06-18"},
		{"modelcontextprotocol.io/a", reserved, "the same"},
		{"com.example.mcp.dev/a", reserved, "the third of four"},
	} {
		tool, err := mcptool.New(done, mcptool.Name("n"), mcptool.Meta(map[string]any{test.key: 1}))
		switch {
		case test.want != "":
			t.Log(test.reason)
			wantMistakes(t, registerError(t, tool, err), test.want)
		case err != nil:
			t.Errorf("%q is refused: %v; want it taken: %s", test.key, err, test.reason)
		}
	}
}

func TestMetaValues(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New(done, mcptool.Name("n"), mcptool.Meta(map[string]any{"b": math.NaN(), "a": make(chan int), "c": 1}))
	wantMistakes(t, registerError(t, tool, err), `n: (_meta): key "a": `, `n: (_meta): key "b": `)
}
