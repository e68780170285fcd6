package rawjson_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want, reason string }{
		{"plain", `a "b" \c`, `"a \"b\" \\c"`, "as String has it"},
		{"lines", "a\nb\r\n\tc", `"a\nb\r\n\tc"`, "the ends of lines and tabs are text"},
		{"terminal", "\x1b[31mred\x1b[0m\x07", "\"red\ufffd\"", "no colours, no bells"},
		{"C0", "\x00\x08\x0b\x0c\x1f\x7f", `"` + strings.Repeat("\ufffd", 6) + `"`, "nothing of it can be seen"},
		{"C1", "\u0080\u0085\u00a0\u009b2J\u009f", "\"\ufffd\ufffd\u00a0\"", "the last two begin sequences"},
		{"over its own line", "paid\rdue\r", "\"due\"", "only the last state is displayed"},
		{"direction", "\u202aa\u202e\u2066b\u2069", "\"\ufffda\ufffd\ufffdb\ufffd\"", "what is read is what is there"},
		{"marks", "a\u200eb\u200f\u061cc", "\"a\ufffdb\ufffd\ufffdc\"", "they set the direction, too"},
		{"marks in Hebrew", "\u200fWindows \u2067היא\u2069 מערכת הפעלה\u200e.\u061c", "\"\u200fWindows \u2067היא\u2069 מערכת הפעלה\u200e.\u061c\"", "most letters are written from right to left"},
		{"marks in Arabic", "\u2066abc\u2069 مرحبا", "\"\u2066abc\u2069 مرحبا\"", "the same"},
		{"marks around a Hebrew word", "the \u2067שלום\u2069 word", "\"the \ufffdשלום\ufffd word\"", "most letters are written from left to right"},
		{"marks without letters", "1\u200f2", "\"1\ufffd2\"", "nothing is written from right to left"},
		{"overrides in Hebrew", "\u202eשלום\u202c\u202b", "\"\ufffdשלום\ufffd\ufffd\"", "no language needs them"},
		{"a tag in Hebrew", "שלום\U000e0041\u2060", "\"שלום\ufffd\ufffd\"", "other invisible characters are replaced in every language"},
		{"beside those", "\u2029\u202f\u2010\u00ad", "\"\u2029\u202f\u2010\u00ad\"", "these are shown"},
		{"no width", "a\u200bb\u200cc\u200dd\u2060\u2064\ufeff\u3164\u034f\ufff9", "\"a\ufffdb\ufffdc\ufffdd" + strings.Repeat("\ufffd", 6) + "\"", "words can be hidden in them, and broken by them"},
		{"tags", "ok\U000e0001\U000e0041\U000e007f\U000e0080", "\"ok" + strings.Repeat("\ufffd", 4) + "\"", "models read them, and nobody sees them"},
		{"selectors", "a\ufe00b\U000e0101\U000e01ef👍\ufe0f\ufe0e\U000e0110", "\"a\ufffdb\ufffd\ufffd👍\ufe0f\ufffd\ufffd\"", "a sequence of them can encode any text"},
		{"joiners", "é\u200d\u200d\u200cé\ufe0f\u200d\ufe0f", "\"é\u200d\ufffd\ufffdé\ufe0f\u200d\ufffd\"", "the same"},
		{"scripts", "שלום עولم 日本 é", "\"שלום עولم 日本 é\"", "text is text"},
		{"what scripts need", "می\u200cخواهم क्\u200dष ភាសា\u200bខ្មែរ ᠠ\u180b 葛\U000e0100", "\"می\u200cخواهم क्\u200dष ភាសា\u200bខ្មែរ ᠠ\u180b 葛\U000e0100\"", "Persian, Hindi, Khmer, Mongolian, Japanese"},
		{"what emoji need", "👩‍👩‍👧 ❤️‍🔥 1️⃣ 👩🏽‍🚀 🏳️‍🌈 ☎︎", "\"👩‍👩‍👧 ❤️‍🔥 1️⃣ 👩🏽‍🚀 🏳️‍🌈 ☎︎\"", "families, flags and keycaps"},
		{"bad utf-8", "a\xffb\xe2\x80", "\"a\ufffdb\ufffd\ufffd\"", "byte by byte"},
	} {
		if got := string(rawjson.AppendText(nil, test.text)); got != test.want {
			t.Errorf("%s: Text(%q) = %s, want %s (%s)", test.name, test.text, got, test.want, test.reason)
		}
	}
}

// isInvisible and isNeeded implement the documentation of Text independently.
func isInvisible(r rune) bool {
	return r < 0xa0 || r >= 0xe0000 && r <= 0xe0fff || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f ||
		r >= 0xfe00 && r <= 0xfe0f || r >= 0xfff0 && r <= 0xfffb || r >= 0x180b && r <= 0x180f || r >= 0x1bca0 && r <= 0x1bca3 || r >= 0x1d173 && r <= 0x1d17a ||
		strings.ContainsRune("\u034f\u061c\u115f\u1160\u17b4\u17b5\u3164\ufeff\uffa0", r)
}

func isNeeded(last, r rune) bool {
	after := string(last)
	isPlain := last >= 0x80 && last != '\ufffd' && !isInvisible(last)
	switch {
	case r == '\ufe0f' && strings.ContainsAny(after, "0123456789#*"), r == '\u200d' && last == '\ufe0f':
		return true
	case r == '\u200b':
		return isPlain && regexp.MustCompile(`\p{Thai}|\p{Lao}|\p{Tibetan}|\p{Myanmar}|\p{Khmer}`).MatchString(after)
	case r == '\u180b', r == '\u180c', r == '\u180d', r == '\u180f':
		return isPlain && regexp.MustCompile(`\p{Mongolian}`).MatchString(after)
	case r >= 0xe0100 && r <= 0xe01ef:
		return regexp.MustCompile(`\p{Han}`).MatchString(after)
	default:
		return isPlain && (r == '\u200c' || r == '\u200d' || r >= 0xfe00 && r <= 0xfe0f)
	}
}

// FuzzText compares AppendText with AppendString of the output of a simple, slow implementation. It also checks that
// AppendText is idempotent, and that its output is valid.
func FuzzText(f *testing.F) {
	f.Add("\x1b[0m\r\n\r\t\u202e\u0085\U000e0041\xff\"é")
	f.Add("1\ufe0f\u20e3 👩\u200d👧 a\u200b é\u200c\u200c ខ\u200b ᠠ\u180b葛\U000e0100\U000e0101 \xff\u200d\u200e\ufeff")
	f.Add("\u200fa\u2067אבג\u2069\u202e\u200b")
	for _, test := range terminalTests {
		f.Add(test.text)
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text string) {
		defer watch()()
		const ends = "\ue000" // marks line ends; in the private use area
		if strings.Contains(text, ends) {
			return
		}
		stripped := slowStrip(text)
		if got := rawjson.StripTerminal(text); utf8.ValidString(text) && got != stripped {
			t.Fatalf("StripTerminal(%q) = %q, want %q", text, got, stripped)
		}
		letters := letter.FindAllString(stripped, -1)
		keepsMarks := 2*len(toTheLeft.FindAllString(strings.Join(letters, ""), -1)) > len(letters)
		var slow strings.Builder
		last := ' '
		for _, r := range strings.ReplaceAll(stripped, "\r\n", ends) {
			isKept := isNeeded(last, r) || keepsMarks && strings.ContainsRune("\u061c\u200e\u200f\u2066\u2067\u2068\u2069", r)
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && isInvisible(r) && !isKept {
				slow.WriteRune('\ufffd')
			} else {
				slow.WriteRune(r)
			}
			last = r
		}
		want, err := json.Marshal(strings.ReplaceAll(slow.String(), ends, "\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		written := rawjson.AppendText(nil, text)
		var got, wanted string
		if json.Unmarshal(written, &got) != nil || json.Unmarshal(want, &wanted) != nil || got != wanted {
			t.Fatalf("%q is written %q, want %q", text, got, wanted)
		}
		if again := rawjson.AppendText(nil, got); !bytes.Equal(again, written) || !utf8.Valid(written) {
			t.Fatalf("%q is written %s, and that is written %s", text, written, again)
		}
	})
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat("A line of text, as tools say it.\n", 1000)
	for name, write := range map[string]func([]byte, string) []byte{"Text": rawjson.AppendText, "String": rawjson.AppendString[string]} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var dst []byte
			for b.Loop() {
				dst = write(dst[:0], text)
			}
		})
	}
}
