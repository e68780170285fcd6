package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestNilLogger: without a Logger, the reference that the client gets for a panic is in the default log, also if the server
// has a name.
func TestNilLogger(t *testing.T) { //nolint:paralleltest // it sets the default logger
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)

	srv := serve(t, tool(t, "crash", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		mcptool.Logger(ctx).Info("about to crash")
		panic("boom")
	}))
	srv.Logger = nil
	w := open(t, srv)
	w.send(modern("1", "tools/call", `,"name":"crash"`))
	reference := regexp.MustCompile(`reference ([A-Z2-7]{8})`).FindStringSubmatch(w.next())
	if reference == nil {
		t.Fatal("the client gets no reference")
	}
	for _, want := range []string{"about to crash", "boom", "reference=" + reference[1]} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the default log does not have %q:\n%s", want, log.String())
		}
	}
}
