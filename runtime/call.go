package runtime

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// call is one request that runs code of the program: a tool, prompt, resource, completion or custom method. It is the
// context of the func that it runs, and its host of package mcptool. Since the func may keep its context, calls are not reused.
type call struct {
	exchange
	callContext
	*toolState
	access *Access // of the caller

	// Raw JSON; nil if absent. The arguments are a part of the message if the goroutine that has read it runs the call;
	// otherwise, like the others, a copy. The arguments of a resource are the variables of its URI.
	id, args, meta []byte

	extra atomic.Pointer[callExtras]
	small [8]byte // memory for id and other short values
}

// build creates the call of the request, which may be a task, or a retry with answers of the client.
func (r *request) build() (*call, *wireError) {
	c := newCall(r)
	if r.method.calls && (c.support != mcptool.TaskSupportForbidden || r.params.Task != nil) {
		if err := r.from.stages.task(r, c); err != nil { // tasks.go
			return nil, err
		}
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
		exchange:  exchange{from: o, version: r.version},
		toolState: r.target, access: r.access, args: argumentsOf(r),
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
		progress := &progress{call: c}
		progress.token, kept = keep(kept, p.Meta.ProgressToken)
		c.needExtras().reports = progress
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

// size returns the number of bytes that the call holds while it waits.
func (c *call) size() int {
	return len(c.id) + len(c.given()) + len(c.meta)
}

// given returns the input from the client as JSON: the URI of a resource, otherwise the arguments.
func (c *call) given() []byte {
	if uri := c.extras().uri; uri != nil {
		return uri.raw
	}
	return c.args
}

// own copies the parts of the message that the call refers to, so that the call can outlive the text.
func (c *call) own() {
	if uri := c.extras().uri; uri != nil { // its variables are not in the text of the message
		uri.raw = bytes.Clone(uri.raw)
		return
	}
	c.args = bytes.Clone(c.args)
}

// abandoned implements [pending]: the session ends before the tool has returned.
func (c *call) abandoned() {
	c.early()
	c.fail(ErrShutdown)
}

// cancelled implements [pending]: the client has cancelled the call.
func (c *call) cancelled(reason string) {
	cause := ErrCancelled
	if reason != "" {
		cause = fmt.Errorf("%w: %s", ErrCancelled, reason)
	}
	c.unwanted.Store(true) // before end: a tool that respects its context answers at once
	c.end(cause)           // before silence, which may have to wait for a message being sent
	c.early()
	c.silence()
	c.mu.Lock()
	c.extras().reports.stop()
	c.mu.Unlock()
	c.from.log.LogAttrs(c.from.ctx, slog.LevelInfo, "call cancelled by the client", c.attr(),
		slog.String("request_id", string(c.id)), slog.String("reason", reason))
}

// CallInfo implements host of package mcptool.
func (c *call) CallInfo() mcptool.CallInfo {
	info := c.from.callInfo(c.version, c.access, c.meta)
	info.RequestID = string(c.id)
	if c.tool != nil {
		switch name := c.name(); c.kind {
		case promptSubject:
			info.Prompt = name
		case resourceSubject:
			info.Resource = name
		default:
			info.Tool = name
		}
	}
	return info
}

// callOf returns the call whose context is ctx or a parent of it; nil if there is none.
func callOf(ctx context.Context) *call {
	c, _ := callctx.Of(ctx).Host.(*call)
	return c
}

// callExtras are the fields that few calls need. They are allocated when the first of them is set, because every call
// is allocated, and quick ones should be cheap.
type callExtras struct {
	reports  *progress                  // nil if the client did not ask for progress; guarded by exchange.mu
	asking   atomic.Pointer[replay.Run] // requests to the client; nil if there are none
	waits    int                        // number of reasons why other calls run in its place; guarded by session.mu
	late     chan struct{}              // closed when its timeout has expired; nil if not used
	uri      *readURI                   // the URI to read; nil if the call does not read a resource
	parents  *parents                   // contexts that its context derives from; nil means the contexts of its origin
	values   context.Context            // of the request that the transport has received; nil if there are none
	run      runner                     // nil if the call neither is nor becomes a task
	reserved *engine.Reservation        // held while the call is in flight; nil if the transport reserves nothing
	contents atomic.Int64               // bytes reserved for its arguments and for files that it reads, see Reserve
	logLevel wire.LogLevel              // minimum level for the client, of a modern request
	slots    atomic.Int32               // slots for long work that it has
	use      *limitUse                  // of the limits of its tool; nil if it has none
	leave    func()                     // gives back the slot in which the response is made; nil: it has none
	isError  bool                       // the result is an error of the tool
	coerced  atomic.Pointer[string]     // locations of converted arguments, for observers; nil: none
}

// noExtras are the extras of a call without any. They are never modified.
var noExtras callExtras

// extras returns the extras of the call, for reading.
func (c *call) extras() *callExtras {
	if x := c.extra.Load(); x != nil {
		return x
	}
	return &noExtras
}

// needExtras returns the extras of the call, which it allocates if necessary.
func (c *call) needExtras() *callExtras {
	if c.extra.Load() == nil {
		c.extra.CompareAndSwap(nil, new(callExtras))
	}
	return c.extra.Load()
}
