package audit

import (
	"cmp"
	"context"
	"log/slog"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// New returns an observer that writes the audit log to logger, which may be shared with Server.Logger; nil means
// [slog.Default]. The observer may be used by several servers.
func New(logger *slog.Logger) observe.Observer {
	return &observer{cmp.Or(logger, slog.Default()).Handler()}
}

type observer struct{ handler slog.Handler }

// Begin implements [observe.Observer]. It does nothing.
func (*observer) Begin(ctx context.Context, _ *observe.Operation) context.Context { return ctx }

// End implements [observe.Observer]. It writes the record of an operation that has one. The record has no source position,
// because finding that would take longer than the rest.
func (o *observer) End(ctx context.Context, op *observe.Operation, result observe.Result) {
	message, target := describe(op)
	if message == "" || result.Outcome == observe.OutcomeTask || !o.handler.Enabled(ctx, slog.LevelInfo) {
		return
	}
	client := mcptool.Caller(ctx).Client
	record := slog.NewRecord(op.Begun.Add(result.Duration), slog.LevelInfo, message, 0)
	record.AddAttrs(
		slog.String("principal", op.Principal),
		slog.String("client", client.Name), slog.String("client_version", client.Version),
		slog.String("protocol", op.ProtocolVersion),
		slog.String(target, cmp.Or(op.Target, op.Requested)),
		slog.String("request_id", op.RequestID),
		slog.Duration("duration", result.Duration),
		slog.String("outcome", result.Outcome.String()),
		slog.Int("bytes_in", op.Bytes), slog.Int("bytes_out", result.Bytes))
	refusedBy := ""
	if result.Unselected {
		refusedBy = "selection"
	}
	for _, attr := range [...]slog.Attr{
		slog.String("refused_by", refusedBy),
		slog.String("via", op.Via), slog.String("tenant", op.Tenant), slog.String("trace_id", traceID(op.Meta)),
		slog.String("unknown", strings.Join(result.Unknown, ", ")), slog.String("injected", strings.Join(result.Injected, ", ")),
		slog.String("coerced", strings.Join(result.Coerced, ", ")), slog.String("arguments", result.Arguments),
	} {
		if attr.Value.String() != "" {
			record.AddAttrs(attr)
		}
	}
	_ = o.handler.Handle(ctx, record) // slog.Logger also ignores errors
}

// describe returns the message of the record of an operation, and the key of its target; "" if it has no record.
func describe(op *observe.Operation) (message, target string) {
	if op.Kind != observe.KindRequest && op.Kind != observe.KindTask {
		return "", ""
	}
	switch op.Method {
	case "tools/call":
		return "tool called", "tool"
	case "prompts/get":
		return "prompt rendered", "prompt"
	case "resources/read":
		return "resource read", "resource"
	default:
		return "", ""
	}
}

// traceID returns the trace id in this _meta, as defined by W3C Trace Context; "" if there is none.
func traceID(meta []byte) string {
	if len(meta) == 0 {
		return ""
	}
	_, rest, _ := strings.Cut(mcptool.CallInfo{Meta: meta}.TraceContext()["traceparent"], "-") // version-trace-parent-flags
	id, _, _ := strings.Cut(rest, "-")
	return id
}
