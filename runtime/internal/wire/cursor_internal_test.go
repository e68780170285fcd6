package wire

import (
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// TestListedCursor: a position is read as it was written, whatever a func calls its pages, and nothing else is one.
func TestListedCursor(t *testing.T) {
	t.Parallel()
	for _, want := range []ListedCursor{
		{"item://{id}", ""}, {"item://{id}", "\x00\"é"}, {"", strings.Repeat("x", 10_000)},
	} {
		text := want.Write()
		if got, ok := ReadListedCursor(rawjson.AppendString(nil, text)); !ok || got != want {
			t.Errorf("%+v is read as %+v, %t", want, got, ok)
		}
		if name, ok := ReadCursor(rawjson.AppendString(nil, text)); ok {
			t.Errorf("%+v is read as a position after %q", want, name)
		}
	}
	for _, text := range []string{
		`"x"`, `7`, `null`, `""`, `"` + WriteCursor("a") + `"`, `"` + cursorEncoding.EncodeToString([]byte(`under ["a"]`)) + `"`,
		`"` + cursorEncoding.EncodeToString([]byte(`under ["a","b","c"]`)) + `"`, `"` + cursorEncoding.EncodeToString([]byte(`under ["a",1]`)) + `"`,
		`"` + cursorEncoding.EncodeToString([]byte(`under [["a"],"b"]`)) + `"`, `"` + cursorEncoding.EncodeToString([]byte(`under `)) + `"`,
	} {
		if c, ok := ReadListedCursor([]byte(text)); ok {
			t.Errorf("%s is read as %+v", text, c)
		}
	}
}
