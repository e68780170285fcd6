package redact_test

import (
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/redact"
)

// A secret that is written in parts does not pass in parts.
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
