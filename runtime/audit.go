package runtime

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// outcome is how an operation has ended, as written in audit records.
type outcome string

const (
	outcomeOK        outcome = "ok"
	outcomeError     outcome = "error"             // the tool has reported an error
	outcomeInvalid   outcome = "invalid_arguments" // the tool has not run
	outcomeFailed    outcome = "failed"            // a mistake of the tool's author, which is also in the log
	outcomeTimedOut  outcome = "timed_out"
	outcomeCancelled outcome = "cancelled"    // by the client
	outcomeStopped   outcome = "stopped"      // by the end of the connection or the server
	outcomeAsked     outcome = "asked"        // the client must call again with answers
	outcomeLimited   outcome = "rate_limited" // the tool has not run
	outcomeBusy      outcome = "busy"         // too many calls wait for the tool or are in flight; the tool has not run
	outcomeLarge     outcome = "too_large"    // the result cannot be truncated enough
	outcomeRefused   outcome = "refused"      // with a JSON-RPC error; the tool has not run
	outcomeTask      outcome = "task"         // the call has become a task, which has its own record
)

// audit writes the record of an operation, if it is a call or a task, and sets the arguments of the result. The record
// has no source position, because finding that would take longer than the rest.
func (o *observation) audit(result *observe.Result) {
	logger := o.from.auditLog
	if o.row == nil || o.row.audited == "" || outcome(result.Outcome) == outcomeTask || !logger.Enabled(o.ctx, slog.LevelInfo) {
		return
	}
	client := o.from.client(wire.ParseVersion(o.ProtocolVersion), o.Meta)
	record := slog.NewRecord(o.Begun.Add(result.Duration), slog.LevelInfo, o.row.audited, 0)
	record.AddAttrs(
		slog.String("principal", o.Principal),
		slog.String("client", client.Name), slog.String("client_version", client.Version),
		slog.String("protocol", o.ProtocolVersion),
		slog.String(o.row.subject.kind.noun(), cmp.Or(o.Target, o.asked)),
		slog.String("request_id", o.RequestID),
		slog.Duration("duration", result.Duration),
		slog.String("outcome", result.Outcome),
		slog.Int("bytes_in", o.Bytes), slog.Int("bytes_out", result.Bytes))
	var unknown, injected, coerced string
	if c := o.call; c != nil {
		args, names := internals.WithoutUnknown(c.tool, c.args)
		unknown = strings.Join(names, ", ")
		_, names = internals.WithoutInjected(c.tool, args)
		injected = strings.Join(names, ", ")
		if locations := c.extras().coerced.Load(); locations != nil {
			coerced = *locations
		}
	}
	result.Arguments = o.arguments()
	for _, attr := range [...]slog.Attr{
		slog.String("tenant", o.Tenant), slog.String("trace_id", traceID(o.Meta)), slog.String("unknown", unknown), slog.String("injected", injected), slog.String("coerced", coerced),
		slog.String("arguments", result.Arguments),
	} {
		if attr.Value.String() != "" {
			record.AddAttrs(attr)
		}
	}
	_ = logger.Handler().Handle(&auditContext{o.ctx, o}, record) // slog.Logger also ignores errors
}

// auditContext is the context of the audit log handler: the context of the observation, with its caller. It is like a
// [callctx.Context], but its Call is made only when the handler needs it.
type auditContext struct {
	context.Context //nolint:containedctx // the type is a context

	of *observation
}

// Value implements [context.Context].
func (c *auditContext) Value(key any) any {
	if key == (callctx.Key{}) {
		return c
	}
	return c.Context.Value(key)
}

// CallContext implements [callctx.Provider].
func (c *auditContext) CallContext() callctx.Call {
	return callctx.Call{Host: &callerHost{c.of.callInfo, c.of.from.log.Handler()}}
}

// callInfo describes the call for the handler of the audit log.
func (o *observation) callInfo() mcptool.CallInfo {
	info := o.from.callInfo(wire.ParseVersion(o.ProtocolVersion), o.access, o.Meta)
	info.RequestID = o.RequestID
	switch o.TargetKind {
	case toolSubject.noun():
		info.Tool = o.Target
	case promptSubject.noun():
		info.Prompt = o.Target
	case resourceSubject.noun():
		info.Resource = o.Target
	}
	return info
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

// outcomeOf returns the outcome of a call whose tool has returned err, which may be nil.
func outcomeOf(c *call, err error) outcome {
	if err == nil {
		if c.extras().isError {
			return outcomeError
		}
		return outcomeOK
	}
	if c.tool == nil {
		return outcomeError
	}
	if bad, ok := errors.AsType[*mcptool.ArgumentError](err); ok && bad.Tool == c.name() {
		return outcomeInvalid
	}
	if _, ok := errors.AsType[*engine.BusyError](err); ok {
		return outcomeBusy
	}
	if _, ok := errors.AsType[*largeError](err); ok {
		return outcomeLarge
	}
	switch {
	case defect(err) != nil:
		return outcomeFailed
	case c.timedOut() != nil:
		return outcomeTimedOut
	case errors.Is(context.Cause(c), ErrCancelled): // a task; cancelled calls are not answered
		return outcomeCancelled
	case isStop(c, err):
		return outcomeStopped
	default:
		return outcomeError
	}
}
