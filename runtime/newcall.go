package runtime

import (
	"context"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// build creates the call of the request, which may be a task, or a retry with answers of the client.
func (r *request) build() (*call, *wireError) {
	c := newCall(r)
	if isTask := r.from.stages.task; r.method.calls && isTask != nil && (c.support != mcptool.TaskSupportForbidden || r.params.Task != nil) {
		if err := isTask(r, c); err != nil { // tasks.go
			return nil, err
		}
	} else if c.support == mcptool.TaskSupportRequired { // a tool that was added after Server.Check
		return nil, wrongTaskSupport(c.tool, "runs only as a task, and this server has no tasks")
	}
	isRetry := r.params.State != nil || r.params.Responses != nil
	if isRetry && r.method.retries && r.version.Has(wire.PerRequest) {
		if err := r.from.stages.retry(r, c); err != nil { // askstate.go
			return nil, err
		}
	}
	return c, nil
}

// newCall returns the call of the request. Its arguments refer to the text of the message; own copies them if the call
// runs later than in the turn of the goroutine that has read the message.
func newCall(r *request) *call {
	o, p := r.from, r.params
	c := &call{
		from: o, version: r.version, toolState: r.target, access: r.access, args: argumentsOf(r),
	}
	if r.uri != nil {
		c.extra.Store(&r.uri.extras)
	}
	if r.values != nil {
		c.needExtras().values = context.WithoutCancel(r.values)
	}
	kept := c.small[:0]
	if n := len(r.id) + len(p.Meta.Raw) + len(p.Meta.ProgressToken); n > len(c.small) {
		kept = make([]byte, 0, n)
	}
	c.id, kept = keep(kept, r.id)
	if p.Meta.ProgressToken != nil {
		progress := &respond.Progress{By: reporter{c}, Interval: o.limits.ProgressInterval}
		progress.Token, kept = keep(kept, p.Meta.ProgressToken)
		c.out.Track(progress)
	}
	if p.Meta.Kind == rawjson.Object {
		c.meta, _ = keep(kept, p.Meta.Raw)
	}
	if p.Meta.LogLevel != nil && r.version.Has(wire.PerRequest) {
		if level := wire.ParseLogLevel(p.Meta.LogLevel); level != wire.NoLogLevel {
			c.needExtras().logLevel = level
		}
	}
	if r.op != nil {
		r.op.call, r.op.Meta = c, c.meta
		c.op.Store(r.op)
	}
	return c
}

// argumentsOf returns the input of the call of the request: the arguments of a tool or prompt, the variables of a
// resource, or the params of a completion or a custom method.
func argumentsOf(r *request) []byte {
	switch {
	case r.method.calls, r.method.subject.kind == promptSubject:
		return r.params.Arguments
	case r.uri != nil:
		return r.uri.variables
	case r.params.Kind == rawjson.Object:
		return r.params.Raw
	default:
		return []byte("{}")
	}
}

// keep appends a copy of part, which may be nil, to kept, which has enough capacity.
func keep(kept, part []byte) (copied, rest []byte) {
	if part == nil {
		return nil, kept
	}
	start := len(kept)
	kept = append(kept, part...)
	return kept[start:len(kept):len(kept)], kept
}
