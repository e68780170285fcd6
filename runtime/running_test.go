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
)

// TestStuckLogged: the log has one record for each func that ignores the end of its context, with the elapsed time, and
// none for a func that returns in time.
func TestStuckLogged(t *testing.T) {
	t.Parallel()
	returns := func(after time.Duration) func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			<-ctx.Done()
			time.Sleep(after)
			return nil, ctx.Err()
		}
	}
	stuck, quick := returns(time.Hour), returns(100*time.Millisecond)
	timeout := mcptool.Timeout(2 * time.Second)
	task := mcptool.Task(mcptool.TaskSupportOptional)
	for _, test := range []struct {
		name string
		tool *mcptool.Tool
		task string        // member of params
		wait time.Duration // before the shutdown
		want string        // "": no record
	}{
		{"session ends", tool(t, "x", stuck), "", 3 * time.Second, `msg="tool ignores the end of its call" tool=x elapsed=4s cause="the server is shutting down"`},
		{"session ends, the tool returns in time", tool(t, "x", quick), "", 3 * time.Second, ""},
		{"timeout", tool(t, "x", stuck, timeout), "", 4 * time.Second, `msg="tool ignores the end of its call" tool=x elapsed=3s cause="the tool ran longer than its limit of 2s"`},
		{"timeout, the tool returns in time", tool(t, "x", quick, timeout), "", 4 * time.Second, ""},
		{"timeout of a task", tool(t, "x", stuck, timeout, task), `,"task":{}`, 4 * time.Second, `msg="tool ignores the end of its call" tool=x elapsed=3s cause="the tool ran longer than its limit of 2s"`},
		{"shutdown with a task", tool(t, "x", stuck, task), `,"task":{}`, 3 * time.Second, `msg="tool ignores the end of its task" tool=x age=4s cause="the server is shutting down"`},
		{"shutdown with a task that returns in time", tool(t, "x", quick, task), `,"task":{}`, 3 * time.Second, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serve(t, test.tool)
				log := &journal{}
				srv.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelError}))
				w := open(t, srv)
				w.handshake("2025-11-25")
				w.send(legacy("1", "tools/call", `"name":"x"`+test.task))
				time.Sleep(test.wait)
				ended, end := context.WithCancel(t.Context())
				end()
				_ = w.session.Close(ended) // returns an error about the cancelled calls
				_ = srv.Shutdown(ended)
				text := log.String()
				if n := strings.Count(text, test.want); test.want != "" && n != 1 {
					t.Errorf("got %d records with %s, want 1: %s", n, test.want, text)
				}
				if test.want == "" && text != "" {
					t.Errorf("logged %s, want nothing", text)
				}
				time.Sleep(time.Hour) // until the tool has returned
			})
		})
	}
}
