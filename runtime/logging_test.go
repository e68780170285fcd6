package runtime_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestLogFlood: records of a tool that logs in a loop are rate limited for the client, but the
// server's log has every record, with its call.
func TestLogFlood(t *testing.T) {
	t.Parallel()
	t.Run("T-LOG-09", logFlood)
}

func logFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			for i := range 1000 {
				mcptool.Logger(ctx).InfoContext(ctx, "again", slog.Int("i", i))
			}
			time.Sleep(500 * time.Millisecond)
			for range 1000 {
				mcptool.Logger(ctx).InfoContext(ctx, "later")
			}
			return &mcptool.Result{}, nil
		}))
		runtime.Fixed(srv).LogRecordsPerSecond = 10
		log := logged(srv, slog.LevelInfo)
		w := open(t, srv)
		w.handshake("2025-11-25")
		w.send(legacy("7", "tools/call", `"name":"x"`))
		for range 10 {
			w.want(`"method":"notifications/message"`, `"msg":"again"`)
		}
		for range 5 {
			w.want(`"method":"notifications/message"`, `"msg":"later"`)
		}
		w.want(`"id":7,"result"`)
		if n := strings.Count(log.String(), `"tool":"x","request_id":"7"`); n != 2000 {
			t.Errorf("the server's log has %d records, want 2000", n)
		}
	})
}

// TestLateReports: progress and log records after the end of a call are not sent to the client.
// The log records are in the server's log.
func TestLateReports(t *testing.T) {
	t.Parallel()
	t.Run("T-PROG-06 T-LOG-07", lateReports)
}

func lateReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := make(chan struct{})
		srv := serve(t, tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			mcptool.Progress(ctx, 1, 0, "")
			mcptool.Progress(ctx, 2, 0, "") // delayed, and sent before the response
			go func() {
				<-late
				mcptool.Progress(ctx, 3, 0, "")
				mcptool.Logger(ctx).ErrorContext(ctx, "too late")
				close(late)
			}()
			return &mcptool.Result{}, nil
		}))
		log := logged(srv, slog.LevelInfo)
		w := open(t, srv)
		w.handshake("2025-11-25")
		w.send(legacy("7", "tools/call", `"name":"x","_meta":{"progressToken":"t"}`))
		w.want(`"progress":1}`)
		w.want(`"progress":2}`)
		w.want(`"id":7,"result"`)
		late <- struct{}{}
		<-late
		time.Sleep(time.Second)
		w.quiet()
		if !strings.Contains(log.String(), "too late") {
			t.Error("the server's log lacks the late record")
		}
	})
}
