package jsonwrite_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/hang"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want, reason string }{
		{"plain", `a "b" \c`, `"a \"b\" \\c"`, "as String has it"},
		{"lines", "a\nb\r\n\tc", `"a\nb\r\n\tc"`, "the ends of lines and tabs are text"},
		{"terminal", "\x1b[31mred\x1b[0m\x07", "\"\ufffd[31mred\ufffd[0m\ufffd\"", "no colours, no bells"},
		{"C0", "\x00\x08\x0b\x0c\x1f\x7f", `"` + strings.Repeat("\ufffd", 6) + `"`, "nothing of it can be seen"},
		{"C1", "\u0080\u0085\u009b2J\u009f\u00a0", "\"\ufffd\ufffd\ufffd2J\ufffd\u00a0\"", "some terminals heed these"},
		{"over its own line", "paid\rdue\r", "\"paid\ufffddue\ufffd\"", "a line is not written twice"},
		{"direction", "\u202aa\u202e\u2066b\u2069", "\"\ufffda\ufffd\ufffdb\ufffd\"", "what is read is what is there"},
		{"beside those", "\u2029\u202f\u2065\u206a\u200f\u200d\ufeff", "\"\u2029\u202f\u2065\u206a\u200f\u200d\ufeff\"", "emoji and scripts need some of these"},
		{"tags", "ok\U000e0001\U000e0041\U000e007f\U000e0080", "\"ok\ufffd\ufffd\ufffd\U000e0080\"", "nobody sees what they say"},
		{"scripts", "שלום עولم 日本 👩‍👩‍👧 é", "\"שלום עولم 日本 👩‍👩‍👧 é\"", "text is text"},
		{"bad utf-8", "a\xffb\xe2\x80", "\"a\ufffdb\ufffd\ufffd\"", "byte by byte"},
	} {
		if got := string(jsonwrite.Text(nil, test.text)); got != test.want {
			t.Errorf("%s: Text(%q) = %s, want %s (%s)", test.name, test.text, got, test.want, test.reason)
		}
		if got := string(jsonwrite.Text(nil, []byte(test.text))); got != test.want {
			t.Errorf("%s: bytes and strings differ: %s", test.name, got)
		}
	}
}

// FuzzText: Text is String of what a slow and obvious func makes of the text.
func FuzzText(f *testing.F) {
	f.Add("\x1b[0m\r\n\r\t\u202e\u0085\U000e0041\xff\"é")
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text string) {
		defer watch()()
		const ends = "\ue000" // of lines; in the private use area
		if strings.Contains(text, ends) {
			return
		}
		slow := strings.Map(func(r rune) rune {
			if strings.ContainsRune("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", r) || r >= 0xe0000 && r <= 0xe007f ||
				r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				return '\ufffd'
			}
			return r
		}, strings.ReplaceAll(text, "\r\n", ends))
		want, err := json.Marshal(strings.ReplaceAll(slow, ends, "\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		var got, wanted string
		if json.Unmarshal(jsonwrite.Text(nil, text), &got) != nil || json.Unmarshal(want, &wanted) != nil || got != wanted {
			t.Fatalf("%q is written %q, want %q", text, got, wanted)
		}
	})
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat("A line of text, as tools say it.\n", 1000)
	for name, write := range map[string]func([]byte, string) []byte{"Text": jsonwrite.Text[string], "String": jsonwrite.String[string]} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var dst []byte
			for b.Loop() {
				dst = write(dst[:0], text)
			}
		})
	}
}
