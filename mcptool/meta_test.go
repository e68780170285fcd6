package mcptool_test

import (
	"math"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

func TestMetaKeys(t *testing.T) {
	t.Parallel()
	const prefix, letters, reserved = "has a prefix that is not a list of labels", "has a name that is not letters", "that the protocol reserves"
	for _, test := range []struct{ name, key, want string }{
		{"T-META-01 a name alone", "a", ""},
		{"T-META-01 all that may stand inside a name", "a.b_c-d9", ""},
		{"T-META-01 a prefix", "com.example/a", ""},
		{"T-META-01 a hyphen inside a label", "com.exa-mple.x9/A", ""},
		{"T-META-01 one label", "x/a", ""},
		{"T-META-01 mcp neither second nor before the last", "com.example.mcp/a", ""},
		{"T-META-01 mcp alone is in neither rule", "mcp/a", ""},
		{"T-META-01 empty", "", letters},
		{"T-META-01 a prefix alone", "com.example/", letters},
		{"T-META-01 a name starts with a letter or a digit", "-a", letters},
		{"T-META-01 and ends with one", "a.", letters},
		{"T-META-01 a space", "a b", letters},
		{"T-META-01 a letter outside ASCII", "größe", letters},
		{"T-META-01 one slash only", "com.example/a/b", letters},
		{"T-META-01 an empty prefix", "/a", prefix},
		{"T-META-01 an empty label", "com..example/a", prefix},
		{"T-META-01 a label starts with a letter", "9com.example/a", prefix},
		{"T-META-01 and does not end with a hyphen", "com-.example/a", prefix},
		{"T-META-01 an underscore", "com_a.example/a", prefix},
		{"T-META-02 the second label, by 2025-11-25", "io.modelcontextprotocol/a", reserved},
		{"T-META-02 the second of three", "com.mcp.tools/a", reserved},
		{"T-META-02 domains have no case", "com.MCP.tools/a", reserved},
		{"T-META-02 the label before the last, by 2025-06-18", "mcp.dev/a", reserved},
		{"T-META-02 the same", "modelcontextprotocol.io/a", reserved},
		{"T-META-02 the third of four", "com.example.mcp.dev/a", reserved},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool, err := mcptool.New(done, mcptool.Name("n"), mcptool.Meta(map[string]any{test.key: 1}))
			switch {
			case test.want != "":
				wantMistakes(t, registerError(t, tool, err), test.want)
			case err != nil:
				t.Errorf("%q is refused: %v; want it taken", test.key, err)
			}
		})
	}
}

func TestMetaValues(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New(done, mcptool.Name("n"), mcptool.Meta(map[string]any{"b": math.NaN(), "a": make(chan int), "c": 1}))
	wantMistakes(t, registerError(t, tool, err), `n: (_meta): key "a": `, `n: (_meta): key "b": `)
}
