package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/redact"
)

// A secret that is written in parts is not passed on in parts.
func TestWriter(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	w := redact.NewWriter(&b, redact.Text)
	for _, part := range []string{"at postgres://u:p", "w@h/db\nnext ", "line", "\nlast " + github[:10], github[10:]} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("Write(%q) = %d, %v", part, n, err)
		}
	}
	if got, want := b.String(), "at postgres://u:(hidden)@h/db\nnext line\n"; got != want {
		t.Errorf("before the end: got %q, want %q", got, want)
	}
	if err := w.Flush(); err != nil || !strings.HasSuffix(b.String(), "\nlast (hidden)") {
		t.Errorf("got %q, %v", b.String(), err)
	}
	long := strings.Repeat("x", 1<<20)
	if _, err := w.Write([]byte(long)); err != nil || !strings.HasSuffix(b.String(), long) {
		t.Errorf("a line without end is kept back: %v", err)
	}
}

// A private key is not passed on line by line, and text that only looks like one is not held back
// forever.
func TestWriterPrivateKey(t *testing.T) {
	t.Parallel()
	const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
	key := "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat(body+"\n", 3) + "-----END PRIVATE KEY-----\n"
	for _, test := range []struct{ name, text, want string }{
		{"a key", "before\n" + key + "after\n", "before\n(hidden)\nafter\n"},
		{"two keys", key + key + "after\n", "(hidden)\n(hidden)\nafter\n"},
		{"behind a time", "12:00 key: " + key + "after\n", "12:00 key: (hidden)\nafter\n"},
		{"a key of PGP", strings.ReplaceAll(key, "KEY-", "KEY BLOCK-") + "after\n", "(hidden)\nafter\n"},
		{"a public key", strings.ReplaceAll(key, "PRIVATE", "PUBLIC"), strings.ReplaceAll(key, "PRIVATE", "PUBLIC")},
		{"no end", "before\n-----BEGIN RSA PRIVATE KEY-----\n" + body + "\n", "before\n(hidden)"},
	} {
		for _, step := range []int{1, 7, 28, 1000} {
			t.Run(fmt.Sprintf("%s, %d bytes each", test.name, step), func(t *testing.T) {
				t.Parallel()
				var b strings.Builder
				w := redact.NewWriter(&b, redact.Text)
				for rest := test.text; rest != ""; {
					n := min(step, len(rest))
					if _, err := w.Write([]byte(rest[:n])); err != nil {
						t.Fatal(err)
					}
					rest = rest[n:]
				}
				if err := w.Flush(); err != nil || b.String() != test.want {
					t.Errorf("got %q, %v, want %q", b.String(), err, test.want)
				}
			})
		}
	}
	var b strings.Builder
	w := redact.NewWriter(&b, redact.Text)
	for i := range 10_000 {
		line := fmt.Sprintf("line %d\n", i)
		if i == 0 {
			line = "it begins with -----BEGIN PRIVATE KEY-----\n"
		}
		if _, err := w.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if text := b.String(); !strings.HasPrefix(text, "it begins with (hidden)") || !strings.HasSuffix(text, "\nline 9999\n") {
		t.Errorf("without an end: %.80q", text)
	}
}
