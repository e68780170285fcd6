package runtime

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
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
	access *Access         // of the sender
	call   *call           // nil if none runs
	ctx    context.Context //nolint:containedctx // of Begin
	last   endContext      // of End
	ended  atomic.Bool

	isUnselected bool // see request.unselected
}

// begin begins the operation, if [core.observes]. It returns o, also if the observer panics.
func (o *observation) begin(ctx context.Context) *observation {
	o.ctx, o.Begun = ctx, cmp.Or(o.Begun, time.Now())
	func() {
		defer contain.Panic(ctx, o.from.log, "Server.Observer panicked")
		o.ctx = o.from.observer.Begin(ctx, &o.Operation)
	}()
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
	result.Unselected = o.isUnselected || e != nil && e.unselected
	if e != nil && !e.forModel {
		result.ErrorCode, result.ErrorMessage = int(e.Code), e.Message
	}
	defer contain.Panic(o.ctx, o.from.log, "Server.Observer panicked")
	o.describeArguments(&result)
	o.last = endContext{o.ctx, o}
	o.from.observer.End(&o.last, &o.Operation, result)
}

// transportOf returns the transport with this major version of HTTP; 0 means stdio.
func transportOf(http uint8) observe.Transport {
	return observe.TransportStdio + observe.Transport(http%4)
}

// observeRequest begins the operation of a message. Call it if [core.observes].
func observeRequest(r *request, kind observe.Kind, method string) {
	op := &observation{Operation: observe.Operation{Kind: kind, Method: method}, from: r.from}
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
				op.Requested = wire.Cut(string(rawjson.Unquote(r.params.Name)), 64)
			}
		case resourceSubject:
			op.Bytes = len(r.params.URI)
		default:
		}
	}
	if r.target != nil && r.target.tool != nil {
		target, via := r.target, r.via
		if op.isUnselected = r.unselected; r.unselected {
			target, via = via, target
		}
		op.Target, op.TargetKind = target.name(), target.kind.target()
		if via != nil {
			op.Via = via.name()
		}
	}
	ctx := r.values
	if ctx == nil {
		ctx = r.from.ctx
	}
	op.begin(ctx)
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
	return &observation{from: o.from, access: o.access, Operation: observe.Operation{
		Kind: kind, Target: o.Target, TargetKind: o.TargetKind, ProtocolVersion: o.ProtocolVersion, SessionID: o.SessionID,
		Transport: o.Transport, Tenant: o.Tenant, Principal: o.Principal, Address: o.Address,
	}}
}

// describeArguments sets what the result has of the arguments of a call.
func (o *observation) describeArguments(result *observe.Result) {
	c := o.call
	if c == nil || c.target.tool == nil {
		return
	}
	var args []byte
	args, result.Unknown = internals.WithoutUnknown(c.target.tool, c.args)
	_, result.Injected = internals.WithoutInjected(c.target.tool, args)
	if locations := c.extras().coerced.Load(); locations != nil {
		result.Coerced = *locations
	}
	if !internals.Settings(c.target.tool).AuditArguments {
		return
	}
	// Text by text, independent of the encoding, and then as a whole, because a secret may depend on
	// the name of its member.
	redactor := c.from.redactor
	text := redactor.AppendJSON(nil, c.given(), c.from.limits.MaxTextBytes)
	result.Arguments = wire.Cut(redactor.Redact(string(text)), c.from.limits.MaxTextBytes)
}

// endContext is the context of End of an observer: the context of the observation, with its caller. It is like a
// [callctx.Context], but describes the caller only when the observer needs it, and is its own host of package mcptool.
type endContext struct {
	context.Context //nolint:containedctx // the type is a context

	of *observation
}

// Value implements [context.Context].
func (c *endContext) Value(key any) any {
	if key == (callctx.Key{}) {
		return c
	}
	return c.Context.Value(key)
}

// CallContext implements [callctx.Provider].
func (c *endContext) CallContext() callctx.Call { return callctx.Call{Host: c} }

// CallInfo implements host of package mcptool, like the methods below.
func (c *endContext) CallInfo() mcptool.CallInfo {
	o := c.of
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

func (c *endContext) Progress(float64, float64, string) {}

func (c *endContext) LogHandler() slog.Handler { return c.of.from.log.Handler() }
