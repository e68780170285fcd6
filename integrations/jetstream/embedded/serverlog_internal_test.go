package embedded

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestServerLog checks that only a few lines that differ only in numbers are logged per minute, followed by the number of
// omitted lines.
func TestServerLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		l := &serverLog{log: slog.New(slog.NewTextHandler(&text, nil))}
		for i := range 100 {
			l.Errorf("rid:%d - authorization error", i)
		}
		l.Warnf("another line")
		count := func(part string, want int) {
			t.Helper()
			if got := strings.Count(text.String(), part); got != want {
				t.Errorf("%q is there %d times, want %d:\n%s", part, got, want, &text)
			}
		}
		count("authorization error", mostAlike)
		count("another line", 1)
		time.Sleep(logPeriod)
		text.Reset()
		l.Errorf("rid:100 - authorization error")
		count("authorization error", 1)
		count("lines=95", 1)
		time.Sleep(logPeriod)
		l.Errorf("rid:101 - authorization error")
		count("omitted", 1)
	})
}
