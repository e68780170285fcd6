package wire

import (
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// TestListedCursor: ReadListedCursor reverses Write for any cursor of a lister, and rejects other texts.
func TestListedCursor(t *testing.T) {
	t.Parallel()
	for _, want := range []ListedCursor{
		{"item://{id}", ""}, {"item://{id}", "\x00\"é"}, {"", strings.Repeat("x", 10_000)},
	} {
		text := want.Write()
		if got, ok := ReadListedCursor(rawjson.AppendString(nil, text)); !ok || got != want {
			t.Errorf("ReadListedCursor of %+v = %+v, %t", want, got, ok)
		}
		if name, ok := ReadCursor(rawjson.AppendString(nil, text)); ok {
			t.Errorf("ReadCursor accepts %+v as %q", want, name)
		}
	}
	for _, text := range []string{
		`"x"`, `7`, `null`, `""`, `"` + WriteCursor("a") + `"`, `"` + cursorEncoding.EncodeToString([]byte(`under ["a"]`)) + `"`,
		`"` + cursorEncoding.EncodeToString([]byte(`under ["a","b","c"]`)) + `"`, `"` + cursorEncoding.EncodeToString([]byte(`under ["a",1]`)) + `"`,
		`"` + cursorEncoding.EncodeToString([]byte(`under [["a"],"b"]`)) + `"`, `"` + cursorEncoding.EncodeToString([]byte(`under `)) + `"`,
	} {
		if c, ok := ReadListedCursor([]byte(text)); ok {
			t.Errorf("ReadListedCursor(%s) = %+v, want an error", text, c)
		}
	}
}
