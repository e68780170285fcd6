package mcptool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
)

// testHost is a fake server.
type testHost struct {
	info    mcptool.CallInfo
	handler slog.Handler
	reports []report
}

type report struct {
	Done, Total float64
	Message     string
}

func (h *testHost) CallInfo() mcptool.CallInfo { return h.info }
func (h *testHost) LogHandler() slog.Handler   { return h.handler }
func (h *testHost) Progress(done, total float64, message string) {
	h.reports = append(h.reports, report{done, total, message})
}

// inside runs fn as the func of a tool called n.
func inside(t *testing.T, ctx context.Context, fn func(ctx context.Context)) {
	t.Helper()
	tool, err := mcptool.NewRaw("n", objectSchema, func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		fn(ctx)
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tool.Call(ctx, nil); err != nil {
		t.Fatal(err)
	}
}

func TestCaller(t *testing.T) {
	t.Parallel()
	full := mcptool.CallInfo{
		Tool: "n", RequestID: `"a7"`, ProtocolVersion: "2025-11-25",
		Client: mcptool.ClientInfo{Name: "c", Version: "1", Title: "C"}, Principal: "p", Meta: json.RawMessage(`{}`),
	}
	outer := full
	outer.Tool = "outer"
	for _, test := range []struct {
		reason string
		host   *testHost
		want   mcptool.CallInfo
	}{
		{"without a server, only the tool name is set", nil, mcptool.CallInfo{Tool: "n"}},
		{"a server sets the rest", &testHost{info: full}, full},
		{"server without a tool name", &testHost{}, mcptool.CallInfo{Tool: "n"}},
		{"a tool called by another tool", &testHost{info: outer}, full},
	} {
		ctx := t.Context()
		if test.host != nil {
			ctx = internals.WithHost(ctx, test.host)
		}
		var got mcptool.CallInfo
		inside(t, ctx, func(ctx context.Context) { got = mcptool.Caller(ctx) })
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
	if diff := cmp.Diff(mcptool.CallInfo{}, mcptool.Caller(t.Context())); diff != "" {
		t.Errorf("outside a call (-want +got):\n%s", diff)
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	host := &testHost{}
	inside(t, internals.WithHost(t.Context(), host), func(ctx context.Context) {
		mcptool.Progress(ctx, 0.5, 1.5, "half of a half")
		mcptool.Progress(ctx, 2, 0, "")
		mcptool.Progress(ctx, 3, -1, "a total below nothing is unknown")
		mcptool.Progress(ctx, math.NaN(), 1, "no number")
		mcptool.Progress(ctx, 1, math.Inf(1), "no number")
	})
	want := []report{{0.5, 1.5, "half of a half"}, {2, 0, ""}, {3, 0, "a total below nothing is unknown"}}
	if diff := cmp.Diff(want, host.reports); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
	mcptool.Progress(t.Context(), 1, 2, "without a server it does nothing")
}

func TestLogger(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	host := &testHost{handler: slog.NewTextHandler(&log, nil)}
	inside(t, internals.WithHost(t.Context(), host), func(ctx context.Context) {
		mcptool.Logger(ctx).Info("said", "a", 1)
	})
	if got := log.String(); !strings.Contains(got, "msg=said a=1") {
		t.Errorf("the server's handler got %q", got)
	}
	if got := mcptool.Logger(t.Context()); got != slog.Default() {
		t.Errorf("without a server: got %v, want slog.Default()", got)
	}
	ctx := internals.WithHost(t.Context(), &testHost{})
	if logger := mcptool.Logger(ctx); logger == nil || logger.Enabled(ctx, slog.LevelError) {
		t.Errorf("a server without a handler: got %v, want a discarding logger", logger)
	}
}
