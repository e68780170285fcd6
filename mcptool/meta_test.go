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
		{"T-META-01 name without a prefix", "a", ""},
		{"T-META-01 all characters of a name", "a.b_c-d9", ""},
		{"T-META-01 a prefix", "com.example/a", ""},
		{"T-META-01 a hyphen inside a label", "com.exa-mple.x9/A", ""},
		{"T-META-01 one label", "x/a", ""},
		{"T-META-01 mcp as the last of three labels", "com.example.mcp/a", ""},
		{"T-META-01 mcp as the only label", "mcp/a", ""},
		{"T-META-01 empty", "", letters},
		{"T-META-01 prefix without a name", "com.example/", letters},
		{"T-META-01 name starts with a hyphen", "-a", letters},
		{"T-META-01 name ends with a dot", "a.", letters},
		{"T-META-01 a space", "a b", letters},
		{"T-META-01 letter outside ASCII", "größe", letters},
		{"T-META-01 two slashes", "com.example/a/b", letters},
		{"T-META-01 an empty prefix", "/a", prefix},
		{"T-META-01 an empty label", "com..example/a", prefix},
		{"T-META-01 label starts with a digit", "9com.example/a", prefix},
		{"T-META-01 label ends with a hyphen", "com-.example/a", prefix},
		{"T-META-01 an underscore", "com_a.example/a", prefix},
		{"T-META-02 the second label, by 2025-11-25", "io.modelcontextprotocol/a", reserved},
		{"T-META-02 the second of three", "com.mcp.tools/a", reserved},
		{"T-META-02 label in upper case", "com.MCP.tools/a", reserved},
		{"T-META-02 the label before the last, by 2025-06-18", "mcp.dev/a", reserved},
		{"T-META-02 another reserved label before the last", "modelcontextprotocol.io/a", reserved},
		{"T-META-02 the third of four", "com.example.mcp.dev/a", reserved},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool, err := mcptool.New(done, mcptool.Name("n"), mcptool.Meta(map[string]any{test.key: 1}))
			switch {
			case test.want != "":
				wantMistakes(t, registerError(t, tool, err), test.want)
			case err != nil:
				t.Errorf("%q is refused: %v; want no error", test.key, err)
			}
		})
	}
}

func TestMetaValues(t *testing.T) {
	t.Parallel()
	tool, err := mcptool.New(done, mcptool.Name("n"), mcptool.Meta(map[string]any{"b": math.NaN(), "a": make(chan int), "c": 1}))
	wantMistakes(t, registerError(t, tool, err), `n: (_meta): key "a": `, `n: (_meta): key "b": `)
}
