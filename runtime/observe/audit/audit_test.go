package audit_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
)

// TestNew compares whole records. The tests of package runtime check that each call of a server has one.
func TestNew(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	call := observe.Operation{Kind: observe.KindRequest, Method: "tools/call", Target: "add", TargetKind: observe.TargetKindTool, ProtocolVersion: "2025-11-25", RequestID: "7", Bytes: 10, Begun: begun}
	with := func(change func(op *observe.Operation)) observe.Operation {
		op := call
		change(&op)
		return op
	}
	const client = `"client":"","client_version":"","protocol":"2025-11-25",`
	const rest = `"request_id":"7","duration":2000000000,"outcome":"ok","bytes_in":10,"bytes_out":20`
	for _, test := range []struct {
		name   string
		op     observe.Operation
		result observe.Result
		want   string // "" means no record
	}{
		{"call", call, observe.Result{}, `"msg":"tool called","principal":"",` + client + `"tool":"add",` + rest},
		{
			"all fields", with(func(op *observe.Operation) {
				op.Tenant, op.Principal = "acme", "ann"
				op.Meta = json.RawMessage(`{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}`)
			}),
			observe.Result{Unknown: []string{"a", "b"}, Injected: []string{"wait_for_previous"}, Coerced: []string{"count", "items[].qty"}, Arguments: `{"x":1}`},
			`"msg":"tool called","principal":"ann",` + client + `"tool":"add",` + rest + `,"tenant":"acme","trace_id":"0af7651916cd43dd8448eb211c80319c",` +
				`"unknown":"a, b","injected":"wait_for_previous","coerced":"count, items[].qty","arguments":"{\"x\":1}"`,
		},
		{
			"no such tool", with(func(op *observe.Operation) { op.Target, op.TargetKind, op.Requested = "", observe.TargetKindNone, "ad" }),
			observe.Result{Outcome: observe.OutcomeRefused},
			`"msg":"tool called","principal":"",` + client + `"tool":"ad",` + strings.Replace(rest, "ok", "refused", 1),
		},
		{"task", with(func(op *observe.Operation) { op.Kind = observe.KindTask }), observe.Result{}, `"msg":"tool called","principal":"",` + client + `"tool":"add",` + rest},
		{"prompt", with(func(op *observe.Operation) { op.Method = "prompts/get" }), observe.Result{}, `"msg":"prompt rendered","principal":"",` + client + `"prompt":"add",` + rest},
		{"resource", with(func(op *observe.Operation) { op.Method = "resources/read" }), observe.Result{}, `"msg":"resource read","principal":"",` + client + `"resource":"add",` + rest},
		{"becomes a task", call, observe.Result{Outcome: observe.OutcomeTask}, ""},
		{"another method", with(func(op *observe.Operation) { op.Method = "tools/list" }), observe.Result{}, ""},
		{"notification", with(func(op *observe.Operation) { op.Kind = observe.KindNotification }), observe.Result{}, ""},
		{"session", observe.Operation{Kind: observe.KindSession}, observe.Result{}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			o := audit.New(slog.New(slog.NewJSONHandler(&log, nil)))
			if test.result.Outcome == 0 {
				test.result.Outcome = observe.OutcomeOK
			}
			test.result.Duration, test.result.Bytes = 2*time.Second, 20
			o.End(o.Begin(t.Context(), &test.op), &test.op, test.result)
			want := ""
			if test.want != "" {
				want = `{"time":"2026-11-29T12:00:02Z","level":"INFO",` + test.want + "}\n"
			}
			if diff := cmp.Diff(want, log.String()); diff != "" {
				t.Errorf("record mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
