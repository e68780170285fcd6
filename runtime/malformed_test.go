package runtime_test

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestMalformedInLog: a client that sends only malformed messages causes one warning per minute, with the number of
// suppressed ones. Each message is answered, and logged at level debug.
func TestMalformedInLog(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`} {
		synctest.Test(t, func(t *testing.T) {
			var log strings.Builder
			srv := &runtime.Server{
				Name: "s", Version: "1", Tools: &mcptool.Registry{},
				Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			}
			w := open(t, srv)
			const messages = 100
			send := func() {
				for range messages {
					w.send(text)
					w.want(`"error"`)
				}
			}
			send()
			time.Sleep(time.Minute)
			send()
			warnings := strings.Count(log.String(), `level=WARN msg="message refused"`)
			if all := strings.Count(log.String(), `msg="message refused"`); warnings != 2 || all != 2*messages {
				t.Errorf("%s: %d warnings and %d records, want 2 and %d", text, warnings, all, 2*messages)
			}
			if !strings.Contains(log.String(), "suppressed=99") {
				t.Errorf("%s: log lacks suppressed=99", text)
			}
		})
	}
}
