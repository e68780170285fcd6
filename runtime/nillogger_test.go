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

// TestNilLogger: without a Logger, the default logger gets the reference of a panic that the client gets, even if the
// server has a name.
func TestNilLogger(t *testing.T) { //nolint:paralleltest // sets the default logger
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
		t.Fatal("the answer has no reference")
	}
	for _, want := range []string{"about to crash", "boom", "reference=" + reference[1]} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the default log lacks %q:\n%s", want, log.String())
		}
	}
}
