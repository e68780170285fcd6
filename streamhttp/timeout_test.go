package streamhttp_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestTimeoutIsNoFailure: a timed-out call is answered, and no panic is logged.
func TestTimeoutIsNoFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool, err := mcptool.New(func(context.Context, struct{}) (string, error) {
			time.Sleep(1500 * time.Millisecond)
			return "", nil
		}, mcptool.Name("waits"), mcptool.Timeout(time.Second))
		if err != nil {
			t.Fatal(err)
		}
		tools := &mcptool.Registry{}
		if err := tools.Add(tool); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		srv := serve(t, &runtime.Server{Tools: tools, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		answer := srv.do(t.Context(), http.MethodPost, modern("1", "tools/call", `,"name":"waits"`), heading("tools/call", "waits"))
		if text := bodyOf(t, answer); !strings.Contains(text, "longer than its limit") {
			t.Error(text)
		}
		time.Sleep(time.Minute)
		if log.Len() > 0 {
			t.Errorf("log:\n%s", &log)
		}
	})
}
