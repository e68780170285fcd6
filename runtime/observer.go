package runtime

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Observer is notified when a [Server] begins and ends an [Operation], for metrics and traces. Its
// methods are called concurrently, and operations wait for them. Panics are logged. Later versions
// may add kinds of operations, and fields.
type Observer interface {
	// Begin is called when op begins, and must not modify it. ctx has the values of the HTTP request
	// or the connection, or of the call that sends a client request. Begin returns ctx or a context
	// derived from it, which End gets, and whose values the funcs have that op runs.
	Begin(ctx context.Context, op *Operation) context.Context
	// End is called once, when op has ended. It must not keep op.
	End(ctx context.Context, op *Operation, result OperationResult)
}

// OperationKind is a kind of [Operation].
type OperationKind string

// The values of [OperationKind]. A request is also a message that is answered with an error because
// it cannot be read. A call that becomes a task ends when the client gets the task; the task is a run
// of the tool, from the request on, or after a restart. A client request is sent by a func, with
// [mcptool.Elicit] for example. Clients of revision 2026-07-28 and later have neither client requests
// nor sessions, which begin with initialize.
const (
	OperationKindRequest       OperationKind = "request"
	OperationKindNotification  OperationKind = "notification"
	OperationKindClientRequest OperationKind = "client_request"
	OperationKindTask          OperationKind = "task"
	OperationKindSession       OperationKind = "session"
)

// Operation is something that a [Server] does for a client. Clients cannot make up the values of
// Method, Target, ProtocolVersion and Transport, so these can be labels of metrics.
type Operation struct {
	Kind OperationKind
	// Method is the method of the message, or of the request for the task; "" for a session, and for
	// methods that the server does not have.
	Method string
	// Target is the name of the tool or prompt, or the URI or template of the resource, as it was
	// registered; of a client request, the sender. TargetKind is "tool", "prompt" or "resource". Both
	// are "" if there is none, or it does not exist.
	Target, TargetKind string
	ProtocolVersion    string          // revision; "" if unknown, as for initialize
	RequestID          string          // JSON; "" unless a request
	Transport          string          // "stdio", "http/1.1", "http/2", "http/3"; "" in another framework's server
	Access             *Access         // of the sender; nil: a trusted peer
	Meta               json.RawMessage // _meta of the message; nil if absent
	Bytes              int             // size of the arguments, or of a resource's URI, or of other params
	Begun              time.Time

	from  *origin
	row   *method // of a message or task; nil: unknown
	asked string  // the name of a tool or prompt that does not exist
	call  *call   // nil if none runs
}

// OperationResult is how an [Operation] has ended.
type OperationResult struct {
	Duration time.Duration
	// Outcome is an outcome of [Server.Audit], or task for a call that has become a task. Failed
	// means any other than ok, asked and task.
	Outcome      string
	Failed       bool
	ErrorCode    int // of a JSON-RPC error, with ErrorMessage; 0: none
	ErrorMessage string
	Bytes        int // size of the response, or of the result of a task; 0: none
}

// Arguments returns the arguments of a call, or the URI that it reads, as JSON, redacted and cut as
// for [Server.Audit]; "" without [mcptool.AuditArguments]. Only [Observer.End] may call it.
func (op *Operation) Arguments() string {
	c := op.call
	if c == nil || c.tool == nil || !internals.Settings(c.tool).AuditArguments {
		return ""
	}
	// Text by text, independent of the encoding, and then as a whole, because a secret may depend on
	// the name of its member.
	redactor := c.from.redactor
	text := redactor.AppendJSON(nil, c.given(), c.from.limits.MaxTextBytes)
	return wire.Cut(redactor.Redact(string(text)), c.from.limits.MaxTextBytes)
}

// observation is an operation that has begun. A nil observation does nothing.
type observation struct {
	Operation
	ctx   context.Context //nolint:containedctx // of Begin
	ended atomic.Bool
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
	result := OperationResult{Duration: time.Since(o.Begun), Outcome: string(how), Bytes: size}
	result.Failed = how != outcomeOK && how != outcomeAsked && how != outcomeTask
	if e != nil && !e.forModel {
		result.ErrorCode, result.ErrorMessage = int(e.Code), e.Message
	}
	defer contain.Panic(o.ctx, o.from.log, "Server.Observer panicked")
	if o.from.auditLog != nil {
		o.from.audit(o.ctx, &o.Operation, result)
	}
	if o.from.observer != nil {
		o.from.observer.End(o.ctx, &o.Operation, result)
	}
}

// transportNames are the values of Operation.Transport, by the major version of HTTP.
var transportNames = [...]string{"stdio", "http/1.1", "http/2", "http/3"}

// observe begins the operation of a message. Call it if [core.observes].
func (r *request) observe(kind OperationKind, method string) {
	r.op = &observation{Operation: Operation{Kind: kind, Method: method}}
	op := &r.op.Operation
	op.ProtocolVersion, op.RequestID, op.Meta = r.version.String(), string(r.id), r.params.Meta.Raw
	if r.target == nil || r.target.row != r.method { // a call makes its own copy
		op.Meta = bytes.Clone(op.Meta)
	}
	op.from, op.row, op.Access, op.Bytes = r.from, r.method, r.access, len(r.params.Raw)
	if r.params.Meta.ProtocolVersion == nil { // chooseVersion makes one up before initialize
		op.ProtocolVersion = r.from.agreed().String()
	}
	if r.http > 0 || r.from.session != nil {
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
	r.from.begin(ctx, r.op)
}

// other returns an operation of another kind for the same client and subject.
func (op *Operation) other(kind OperationKind) *observation {
	return &observation{Operation: Operation{
		Kind: kind, Target: op.Target, TargetKind: op.TargetKind, ProtocolVersion: op.ProtocolVersion,
		Transport: op.Transport, Access: op.Access, from: op.from,
	}}
}
