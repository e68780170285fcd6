package wire

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		limit      int
		want       string
	}{
		{"short", "abc", 3, "abc"},
		{"long", "abcdefgh", 6, "abc…"},
		{"not inside a character", "aééé", 7, "aéé" + "é"},
		{"not inside a character, cut", "aéééé", 7, "aé…"},
		{"bad UTF-8", "a\xffb", 10, "a\ufffdb"},
		{"bad UTF-8 that gets longer", "a\xffb\xffc", 8, "a\ufffdb…"},
		{"bad UTF-8, cut", "ab\xffcdefgh", 9, "ab\ufffdc…"},
		{"bad UTF-8 of many bytes", strings.Repeat("\xff", 20), 8, "\ufffd"},
		{"nothing fits", "abcdef", 2, "…"},
	} {
		if got := Cut(test.text, test.limit); got != test.want {
			t.Errorf("%s: Cut = %q, want %q", test.name, got, test.want)
		}
	}
	if got := OneLine("a\n\tb \r\n c", 100); got != "a b c" {
		t.Errorf("OneLine = %q, want %q", got, "a b c")
	}
	if got := Quote(strings.Repeat("é\n", 1000)); len(got) > 200 || !utf8.ValidString(got) || strings.Contains(got, "\n") {
		t.Errorf("Quote = %q, want one short line of UTF-8", got)
	}
}

func TestJoinLines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "one": "one", "one\ntwo": "one; two", "\n\none\r\n\r\ntwo\rthree\n": "one; two; three", "\n": "", "é\n\xff": "é; \xff",
	} {
		if got := JoinLines(text); got != want {
			t.Errorf("JoinLines(%q) = %q, want %q", text, got, want)
		}
	}
}
