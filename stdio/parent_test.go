package stdio_test

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

const (
	helloLines = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` +
		"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	pingLine = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	pongLine = `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"
)

// TestParentEnds: when the process that started the server has ended, the client has 30 s to send something, and is pinged if
// its revision has pings.
func TestParentEnds(t *testing.T) {
	t.Parallel()
	const interval, timeout = 10 * time.Second, 30 * time.Second
	modernCall := call(2, "sleep", `{"millis":360000000}`)
	tests := []struct {
		name, reason string
		before       string // what the client sends before the parent ends
		pings        bool
		after        string // what it sends 20 s after the check began
		ends         bool
	}{
		{"legacy, no answer", "the parent was the client", helloLines, true, "", true},
		{"legacy, pong", "the parent was a wrapper", helloLines, true, pongLine, false},
		{"legacy, another message", "any message shows that the client runs", helloLines, true, echoCall(3, "here"), false},
		{"before initialized", "the client has ended while it started the server", strings.SplitAfter(helloLines, "\n")[0], false, "", true},
		{"modern, no message", "no message of the server can be answered", echoCall(2, "a"), false, "", true},
		{"modern, a call in flight", "the caller has gone", modernCall, false, "", true},
		{"modern, a message", "the parent was a wrapper", echoCall(2, "a"), false, echoCall(3, "here"), false},
		{"nothing", "the client has ended at once", "", false, "", true},
	}
	for _, test := range tests {
		t.Run("T-PING-02 T-PING-03 "+test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var parentEnded atomic.Bool
				var log bytes.Buffer
				srv := &runtime.Server{Tools: newRegistry(t), Logger: slog.New(slog.NewTextHandler(&log, nil))}
				s := startServer(t.Context(), srv, stdio.ParentEnds(parentEnded.Load))
				var out syncBuffer
				go func() { _, _ = io.Copy(&out, s.Conn) }()
				s.write(t, test.before)
				time.Sleep(time.Hour + time.Second)
				parentEnded.Store(true)
				time.Sleep(interval + 19*time.Second) // the next check is after 9 s
				if got := strings.Contains(out.String(), pingLine); got != test.pings {
					t.Errorf("%s: pinged is %v", test.reason, got)
				}
				s.write(t, test.after)
				time.Sleep(timeout - 20*time.Second - time.Millisecond)
				select {
				case <-s.done:
					t.Fatal("the session ends early")
				default:
				}
				time.Sleep(2*time.Millisecond + stdio.DefaultGrace)
				synctest.Wait()
				select {
				case err := <-s.done:
					if !test.ends || err != nil {
						t.Errorf("%s: Serve returns %v", test.reason, err)
					}
					if !strings.Contains(log.String(), `reason="the process that started the server has ended"`) {
						t.Errorf("logged:\n%s", &log)
					}
					return
				default:
				}
				if test.ends {
					t.Errorf("%s: the session goes on", test.reason)
				}
				time.Sleep(24 * time.Hour)
				if got := strings.Count(out.String(), `"ping"`); got > 1 {
					t.Errorf("%d pings", got)
				}
				s.Close()
				if err := <-s.done; err != nil {
					t.Error(err)
				}
			})
		})
	}
}
