package rawjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

func TestString(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want, reason string }{
		{"plain", "abc", `"abc"`, ""},
		{"empty", "", `""`, ""},
		{"quotes", `a"b\c`, `"a\"b\\c"`, "the two that always need it"},
		{"lines", "a\nb\r\tc", `"a\nb\r\tc"`, "no line break may stay"},
		{"control", "\x00\x1f\x7f\b\f", `"\u0000\u001f\u007f\b\f"`, ""},
		{"utf-8", "é€😀\u2028", "\"é€😀\u2028\"", "kept as it is"},
		{"bad utf-8", "a\xffb\xe2\x82", "\"a\ufffdb\ufffd\ufffd\"", "made valid, byte by byte"},
		{"a real U+FFFD", "\ufffd", "\"\ufffd\"", "not counted as damage"},
		{"html", "<&>", `"<&>"`, "we do not write HTML"},
	} {
		if got := string(rawjson.AppendString(nil, test.text)); got != test.want {
			t.Errorf("%s: String(%q) = %s, want %s (%s)", test.name, test.text, got, test.want, test.reason)
		}
		if got := string(rawjson.AppendString(nil, []byte(test.text))); got != test.want {
			t.Errorf("%s: bytes and strings differ: %s", test.name, got)
		}
	}
}

// FuzzString checks that encoded strings are valid and decode to the original.
func FuzzString(f *testing.F) {
	f.Add("a\"\\\n\xff\u2028é")
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text string) {
		defer watch()()
		out := rawjson.AppendString(nil, text)
		if err := rawjson.Valid(out, 1); err != nil {
			t.Fatal(err)
		}
		var back string
		if err := json.Unmarshal(out, &back); err != nil || back != strings.Map(func(r rune) rune { return r }, text) {
			t.Fatalf("%q came back as %q (%v)", text, back, err)
		}
	})
}

func TestQuoted(t *testing.T) {
	t.Parallel()
	for n := range 40 { // every position in a word, and the remainder
		for _, c := range []string{`"`, `\`, `""`, `\"`, "é", "\u00a2", "\u00dc"} {
			text := strings.Repeat("x", n) + c + strings.Repeat("y", 40-n) + c
			want := string(rawjson.AppendString(nil, text))
			if got := string(rawjson.AppendQuoted(nil, []byte(text))); got != want {
				t.Errorf("Quoted(%s) = %s, want %s", text, got, want)
			}
		}
	}
	dst := make([]byte, 0, 100)
	dst = append(dst, `{"a":["b"]}`...)
	if got := string(rawjson.AppendQuoted(dst, dst)); got != `{"a":["b"]}"{\"a\":[\"b\"]}"` {
		t.Errorf("of a part of dst: %s", got)
	}
}

// FuzzQuoted checks that Quoted equals String for compact JSON.
func FuzzQuoted(f *testing.F) {
	f.Add([]byte(`{"a\n":["b\"",1.5,"é"]}`))
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		defer watch()()
		var compact bytes.Buffer
		if rawjson.Valid(text, 0) != nil || json.Compact(&compact, text) != nil || bytes.IndexByte(text, 0x7f) >= 0 {
			return
		}
		got, want := rawjson.AppendQuoted([]byte("x"), compact.Bytes()), rawjson.AppendString([]byte("x"), compact.Bytes())
		if !bytes.Equal(got, want) {
			t.Fatalf("%s, want %s", got, want)
		}
	})
}

func TestName(t *testing.T) {
	t.Parallel()
	dst := rawjson.AppendName([]byte("{"), "a")
	dst = append(dst, '1')
	dst = append(rawjson.AppendName(dst, "b"), '[')
	dst = append(rawjson.AppendComma(dst), '1')
	dst = append(rawjson.AppendComma(dst), "2]}"...)
	if string(dst) != `{"a":1,"b":[1,2]}` {
		t.Errorf("got %s", dst)
	}
}

// BenchmarkQuoted measures typical results of tools: small ones, with many quotes, and a large one.
func BenchmarkQuoted(b *testing.B) {
	one := `{"location":"Lisbon","conditions":"sunny","humidity":0.63,"days":[{"day":"2026-11-20","high":21.5,"low":12.25}]}`
	for name, text := range map[string][]byte{"small": []byte(one), "large": []byte("[" + one + strings.Repeat(","+one, 10_000) + "]")} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var dst []byte
			for b.Loop() {
				dst = rawjson.AppendQuoted(dst[:0], text)
			}
		})
	}
}
