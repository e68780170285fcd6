package runtime

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// observation is an operation that has begun. A nil observation does nothing.
type observation struct {
	observe.Operation
	from   *origin
	row    *method         // of a message or task; nil: unknown
	access *Access         // of the sender
	asked  string          // the name of a tool or prompt that does not exist
	call   *call           // nil if none runs
	ctx    context.Context //nolint:containedctx // of Begin
	ended  atomic.Bool
}

// begin begins an operation, if [core.observes].
func (c *core) begin(ctx context.Context, o *observation) *observation {
	o.ctx, o.Begun = ctx, cmp.Or(o.Begun, time.Now())
	if c.observer != nil {
		defer contain.Panic(ctx, c.log, "Server.Observer panicked")
		o.ctx = c.observer.Begin(ctx, &o.Operation)
	}
	return o
}

// end ends the operation, unless it has ended; e is the error that answers it, which is not ok, or nil.
func (o *observation) end(how observe.Outcome, e *wireError, size int) {
	if o == nil || o.ended.Swap(true) {
		return
	}
	if e != nil && how == observe.OutcomeOK {
		how = cmp.Or(e.outcome, observe.OutcomeRefused)
	}
	result := observe.Result{Duration: time.Since(o.Begun), Outcome: how, Bytes: size}
	result.Failed = how != observe.OutcomeOK && how != observe.OutcomeAsked && how != observe.OutcomeTask
	if e != nil && !e.forModel {
		result.ErrorCode, result.ErrorMessage = int(e.Code), e.Message
	}
	defer contain.Panic(o.ctx, o.from.log, "Server.Observer panicked")
	if o.from.auditLog != nil {
		o.audit(&result)
	}
	if o.from.observer != nil {
		if result.Arguments == "" { // not set by audit
			result.Arguments = o.arguments()
		}
		o.from.observer.End(o.ctx, &o.Operation, result)
	}
}

// arguments returns the arguments of a call, or the URI that it reads, for [observe.Result].
func (o *observation) arguments() string {
	c := o.call
	if c == nil || c.tool == nil || !internals.Settings(c.tool).AuditArguments {
		return ""
	}
	// Text by text, independent of the encoding, and then as a whole, because a secret may depend on
	// the name of its member.
	redactor := c.from.redactor
	text := redactor.AppendJSON(nil, c.given(), c.from.limits.MaxTextBytes)
	return wire.Cut(redactor.Redact(string(text)), c.from.limits.MaxTextBytes)
}

// transportOf returns the transport with this major version of HTTP; 0 means stdio.
func transportOf(http uint8) observe.Transport {
	return observe.TransportStdio + observe.Transport(http%4)
}

// observe begins the operation of a message. Call it if [core.observes].
func (r *request) observe(kind observe.Kind, method string) {
	op := &observation{Operation: observe.Operation{Kind: kind, Method: method}, from: r.from, row: r.method}
	r.op = op
	op.ProtocolVersion, op.RequestID, op.Meta = r.version.String(), string(r.id), r.params.Meta.Raw
	if r.target == nil || r.target.row != r.method { // a call makes its own copy
		op.Meta = bytes.Clone(op.Meta)
	}
	op.Bytes = len(r.params.Raw)
	op.sentBy(r.access)
	if r.params.Meta.ProtocolVersion == nil { // chooseVersion makes one up before initialize
		op.ProtocolVersion = r.from.agreed().String()
	}
	if h := r.from.hello.Load(); h != nil && !r.version.Has(wire.PerRequest) {
		op.SessionID = h.sessionID
	}
	if r.http > 0 || r.from.isSession {
		op.Transport = transportOf(r.http)
	}
	if r.method != nil {
		op.Method = r.method.name
		switch r.method.subject.kind {
		case toolSubject, promptSubject:
			op.Bytes = len(r.params.Arguments)
			if r.target == nil && rawjson.KindOf(r.params.Name) == rawjson.String {
				op.asked = wire.Cut(string(rawjson.Unquote(r.params.Name)), 64)
			}
		case resourceSubject:
			op.Bytes = len(r.params.URI)
		default:
		}
	}
	if r.target != nil && r.target.tool != nil {
		op.Target, op.TargetKind = r.target.name(), r.target.kind.target()
	}
	ctx := r.values
	if ctx == nil {
		ctx = r.from.ctx
	}
	r.from.begin(ctx, op)
}

// sentBy sets the sender.
func (o *observation) sentBy(a *Access) {
	o.access = a
	if a != nil {
		o.Tenant, o.Principal, o.Address = a.Tenant, a.Principal, a.Address
	}
}

// other returns an operation of another kind for the same client and subject.
func (o *observation) other(kind observe.Kind) *observation {
	return &observation{from: o.from, Operation: observe.Operation{
		Kind: kind, Target: o.Target, TargetKind: o.TargetKind, ProtocolVersion: o.ProtocolVersion, SessionID: o.SessionID,
		Transport: o.Transport, Tenant: o.Tenant, Principal: o.Principal, Address: o.Address,
	}}
}

// audit writes the record of an operation, if it is a call or a task, and sets the arguments of the result. The record
// has no source position, because finding that would take longer than the rest.
func (o *observation) audit(result *observe.Result) {
	logger := o.from.auditLog
	if o.row == nil || o.row.audited == "" || result.Outcome == observe.OutcomeTask || !logger.Enabled(o.ctx, slog.LevelInfo) {
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
		slog.String("outcome", result.Outcome.String()),
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

// callInfo describes the call for the handler of the audit log.
func (o *observation) callInfo() mcptool.CallInfo {
	info := o.from.callInfo(wire.ParseVersion(o.ProtocolVersion), o.access, o.Meta)
	info.RequestID = o.RequestID
	switch o.TargetKind {
	case observe.TargetKindTool:
		info.Tool = o.Target
	case observe.TargetKindPrompt:
		info.Prompt = o.Target
	case observe.TargetKindResource:
		info.Resource = o.Target
	case observe.TargetKindNone:
	}
	return info
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

// traceID returns the trace id in this _meta, as defined by W3C Trace Context; "" if there is none.
func traceID(meta []byte) string {
	if len(meta) == 0 {
		return ""
	}
	_, rest, _ := strings.Cut(mcptool.CallInfo{Meta: meta}.TraceContext()["traceparent"], "-") // version-trace-parent-flags
	id, _, _ := strings.Cut(rest, "-")
	return id
}
