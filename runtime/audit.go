package runtime

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// outcome is how a call has ended, as written in audit records.
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
)

// auditRecord is the content of an audit record. [Server.Audit] documents the fields.
type auditRecord struct {
	row      *method   // of the request
	what     slog.Attr // the subject of the call
	access   *Access
	client   mcptool.ClientInfo
	version  wire.Version
	id       []byte
	at       time.Time
	took     time.Duration
	outcome  outcome
	in, sent int
	trace    string // id of the trace in the request; "" if none

	arguments string   // as JSON; "" unless the tool has AuditArguments
	injected  []string // arguments that the client has added, and that were removed
	coerced   string   // locations of converted arguments; "" if none
}

// isAudited reports whether audit records are written. If not, they are not prepared either.
func (o *origin) isAudited() bool {
	return o.auditLog != nil && o.auditLog.Enabled(o.ctx, slog.LevelInfo)
}

// audit writes the record of a call. It has no source position, because finding that would take longer than the rest.
func (c *core) audit(ctx context.Context, a *auditRecord) {
	record := slog.NewRecord(a.at, slog.LevelInfo, a.row.audited, 0)
	record.AddAttrs(
		slog.String("principal", a.access.principal()),
		slog.String("client", a.client.Name), slog.String("client_version", a.client.Version),
		slog.String("protocol", a.version.String()),
		a.what,
		slog.String("request_id", string(a.id)),
		slog.Duration("duration", a.took),
		slog.String("outcome", string(a.outcome)),
		slog.Int("bytes_in", a.in), slog.Int("bytes_out", a.sent))
	for _, attr := range [...]slog.Attr{
		slog.String("trace_id", a.trace), slog.String("injected", strings.Join(a.injected, ", ")),
		slog.String("coerced", a.coerced), slog.String("arguments", a.arguments),
	} {
		if attr.Value.String() != "" {
			record.AddAttrs(attr)
		}
	}
	_ = c.auditLog.Handler().Handle(ctx, record) // slog.Logger also ignores errors
}

// audit writes the record of the call when it first ends. The size is the size of the answer.
func (c *call) audit(how outcome, size int) {
	begun := timestamp(c.audited.Swap(0))
	if begun == 0 {
		return
	}
	at, coerced := time.Now(), ""
	if locations := c.extras().coerced.Load(); locations != nil {
		coerced = *locations
	}
	c.from.audit(c, &auditRecord{
		row: c.row, what: c.attr(), access: c.access, client: c.from.client(c.version, c.meta), version: c.version, id: c.id,
		at: at, took: timestampOf(at).since(begun), outcome: how, in: len(c.given()), sent: size,
		trace: traceID(c.meta), arguments: auditedArguments(c), injected: internals.Injected(c.tool, c.args), coerced: coerced,
	})
}

// auditedArguments returns the arguments of the call if its tool allows them in the record, and "" otherwise. They are
// redacted text by text, independent of their encoding, and then as a whole, because a secret may depend on the name of
// its member.
func auditedArguments(c *call) string {
	if !internals.Settings(c.tool).AuditArguments {
		return ""
	}
	redactor := c.from.redactor
	text := redactor.AppendJSON(nil, c.given(), c.from.limits.MaxTextBytes)
	return wire.Cut(redactor.Redact(string(text)), c.from.limits.MaxTextBytes)
}

// auditRefusal writes the record of a refused call. The size is the size of the answer, which is not recorded for
// protocol errors.
func auditRefusal(r *request, err *wireError, size int) {
	s := r.from
	if !s.isAudited() {
		return
	}
	how := err.outcome
	if how == "" {
		how = outcomeRefused
	}
	if !err.forModel {
		size = 0
	}
	s.audit(s.ctx, &auditRecord{
		row: r.method, what: refusedSubject(r), access: r.access, client: s.client(r.version, r.params.Meta.Raw), version: r.version, id: r.id,
		at: time.Now(), outcome: how, in: len(r.params.Arguments) + len(r.params.URI), sent: size, trace: traceID(r.params.Meta.Raw),
	})
}

// refusedSubject returns the subject of a request for an audit record: the name that the client has sent, cut to the
// maximum length of a name, or the URI or template of a resource as it was registered. The URI that the client has sent
// is not recorded, because it contains values.
func refusedSubject(r *request) slog.Attr {
	kind, name := r.method.subject.kind, ""
	switch {
	case kind == resourceSubject && r.target != nil:
		name = r.target.name()
	case kind != resourceSubject && rawjson.KindOf(r.params.Name) == rawjson.String:
		name = wire.Cut(string(rawjson.Unquote(r.params.Name)), 64)
	}
	return slog.String(kind.noun(), name)
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
