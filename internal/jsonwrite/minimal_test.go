package jsonwrite_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsonwrite"
)

// TestMinimal: it writes strings as jsontext does, whatever stands where in them.
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
		want, err := jsontext.AppendQuote(nil, b.String())
		if err != nil {
			t.Fatal(err)
		}
		if got := jsonwrite.Minimal(nil, b.String()); string(got) != string(want) {
			t.Fatalf("%q: got %s, want %s", b.String(), got, want)
		}
	}
}
