package rawjson_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/testing/ijson"
)

// TestMinimal compares strings with special characters at random positions with encoding/json.
func TestMinimal(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	const pieces = "\x00\x01\x1f \"\\/\b\f\n\r\tab\x7f\u0080é\u2028\u2029😀"
	characters := []rune(pieces)
	for range 100_000 {
		var b strings.Builder
		for range r.IntN(40) {
			b.WriteString(strings.Repeat("x", r.IntN(10)))
			b.WriteRune(characters[r.IntN(len(characters))])
		}
		want := ijson.Quote(b.String())
		if got := rawjson.AppendMinimal(nil, b.String()); string(got) != want {
			t.Fatalf("%q: got %s, want %s", b.String(), got, want)
		}
	}
}

func TestValidUTF8(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "é\ufffd": "é\ufffd", "a\xff\xffb": "a\ufffd\ufffdb", "\xe2\x82": "\ufffd\ufffd", "\xed\xa0\x80": "\ufffd\ufffd\ufffd"} {
		if got := rawjson.ValidUTF8(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
