package rules_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// TestTextEscapes: strings with escapes are decoded or refused as by jsontext.
func TestTextEscapes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{
		`\n`, `\"`, `\\`, `\/`, `\t`, `\b`, `\f`, `\r`, `\u00e9`, `\ud83d\ude00`, "x", "é", "0123456789", "😀", // valid
		`\x`, `\u12`, `\ud83d`, "\n", "\x80", `\`, `"`,
	}
	valid := 0
	for range 100_000 {
		var b strings.Builder
		b.WriteByte('"')
		for range r.IntN(12) {
			n := len(pieces)
			if r.IntN(20) > 0 {
				n = 14
			}
			b.WriteString(pieces[r.IntN(n)])
		}
		b.WriteByte('"')
		text := b.String()
		dec := jsontext.NewDecoder(strings.NewReader(text))
		token, err := dec.ReadValue()
		reader := rules.Reader{Data: []byte(text)}
		got, ok := reader.Text()
		if ok != (err == nil) {
			t.Fatalf("%s: ok = %t, jsontext: %v", text, ok, err)
		}
		if !ok {
			continue
		}
		valid++
		want, err := jsontext.AppendUnquote(nil, token)
		if err != nil || string(got) != string(want) || reader.Pos != len(token) {
			t.Fatalf("%s: got %q up to %d, want %q up to %d", text, got, reader.Pos, want, len(token))
		}
	}
	if valid < 10_000 {
		t.Errorf("only %d valid strings", valid)
	}
}
