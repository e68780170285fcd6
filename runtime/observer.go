package runtime

import (
	"bytes"
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/rawjson"
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
func (o *observation) end(how outcome, e *wireError, size int) {
	if o == nil || o.ended.Swap(true) {
		return
	}
	if e != nil && how == outcomeOK {
		how = cmp.Or(e.outcome, outcomeRefused)
	}
	result := observe.Result{Duration: time.Since(o.Begun), Outcome: string(how), Bytes: size}
	result.Failed = how != outcomeOK && how != outcomeAsked && how != outcomeTask
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

// transportNames are the values of Operation.Transport, by the major version of HTTP.
var transportNames = [...]string{"stdio", "http/1.1", "http/2", "http/3"}

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
		op.Transport = transportNames[r.http%4]
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
		op.Target, op.TargetKind = r.target.name(), r.target.noun()
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
