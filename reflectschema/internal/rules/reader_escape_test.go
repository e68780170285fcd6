package rules_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/ijson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// TestTextEscapes: strings with escapes are decoded or refused as by encoding/json, which accepts unpaired surrogates.
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
		var token json.RawMessage
		err := json.NewDecoder(strings.NewReader(text)).Decode(&token)
		if err == nil {
			err = ijson.Valid(token)
		}
		reader := rules.Reader{Data: []byte(text)}
		got, ok := reader.Text()
		if ok != (err == nil) {
			t.Fatalf("%s: ok = %t, by encoding/json %v", text, ok, err)
		}
		if !ok {
			continue
		}
		valid++
		var want string
		if err := json.Unmarshal(token, &want); err != nil || string(got) != want || reader.Pos != len(token) {
			t.Fatalf("%s: got %q up to %d, want %q up to %d", text, got, reader.Pos, want, len(token))
		}
	}
	if valid < 10_000 {
		t.Errorf("only %d valid strings", valid)
	}
}
