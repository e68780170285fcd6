package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// call is one request that runs code of the program: a tool, prompt, resource, completion or custom method. It is the
// context of the func that it runs, and its [mcptool.Host]. Since the func may keep its context, calls are not reused.
type call struct {
	exchange
	callContext
	*toolState
	access *Access // of the caller

	// Raw JSON; nil if absent. The arguments are a part of the message if the goroutine that has read it runs the call;
	// otherwise, like the others, a copy. The arguments of a resource are the variables of its URI.
	id, args, meta []byte

	extra   atomic.Pointer[callExtras]
	audited atomic.Int64 // when the call began; zero if it has no audit record, or after that was written
	small   [8]byte      // memory for id and other short values
}

// name returns the name of the tool, prompt or method, or the URI or template of the resource.
func (s *toolState) name() string {
	if s.tool == nil {
		return s.row.name
	}
	return s.tool.Name()
}

// attr returns the kind and the name for the log.
func (s *toolState) attr() slog.Attr { return slog.String(s.noun(), s.name()) }

// size returns the number of bytes that the call holds while it waits.
func (c *call) size() int {
	return len(c.id) + len(c.given()) + len(c.meta)
}

// given returns the input from the client as JSON: the URI of a resource, otherwise the arguments.
func (c *call) given() []byte {
	if uri := c.extras().readURI(); uri != nil {
		return uri.raw
	}
	return c.args
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
	c.extras().progress().stop()
	c.mu.Unlock()
	c.audit(outcomeCancelled, 0)
	c.from.log.LogAttrs(c.from.ctx, slog.LevelInfo, "call cancelled by the client", c.attr(),
		slog.String("request_id", string(c.id)), slog.String("reason", reason))
}

// CallInfo implements [mcptool.Host].
func (c *call) CallInfo() mcptool.CallInfo {
	info := c.from.callInfo(c.version, c.access, c.meta)
	info.RequestID = string(c.id)
	if c.tool != nil {
		c.kind.name(&info, c.tool.Name())
	}
	return info
}

// callOf returns the call whose context is ctx or a parent of it; nil if there is none.
func callOf(ctx context.Context) *call {
	c, _ := callctx.Of(ctx).Host.(*call)
	return c
}

// callExtras are the fields that few calls need. They are allocated when the first of them is set, because every call
// is allocated, and quick ones should be cheap. The methods of a nil callExtras return the values for a call without
// them.
type callExtras struct {
	reports  *progress                  // nil if the client did not ask for progress; guarded by exchange.mu
	asking   atomic.Pointer[replay.Run] // requests to the client; nil if there are none
	waits    int                        // number of reasons why other calls run in its place; guarded by Session.mu
	late     chan struct{}              // closed when its timeout has expired; nil if not used
	uri      *readURI                   // the URI to read; nil if the call does not read a resource
	parents  *parents                   // contexts that its context derives from; nil means those of its origin
	run      *taskRun                   // nil if the call neither is nor becomes a task
	reserved *Reservation               // held while the call is in flight; nil if the transport reserves nothing
	contents atomic.Int64               // bytes reserved for its arguments and for files that it reads, see Reserve
	logLevel wire.LogLevel              // minimum level for the client, of a modern request
	slots    atomic.Int32               // slots for long work that it has
	leave    func()                     // gives back the slot in which the response is made; nil: it has none
	isError  bool                       // the result is an error of the tool
	coerced  atomic.Pointer[string]     // locations of converted arguments, for the audit record; nil: none
}

// extras returns the extras of the call; nil if it has none.
func (c *call) extras() *callExtras { return c.extra.Load() }

// needExtras returns the extras of the call, which it allocates if necessary.
func (c *call) needExtras() *callExtras {
	if c.extra.Load() == nil {
		c.extra.CompareAndSwap(nil, new(callExtras))
	}
	return c.extra.Load()
}

func (x *callExtras) progress() *progress {
	if x == nil {
		return nil
	}
	return x.reports
}

func (x *callExtras) taskRun() *taskRun {
	if x == nil {
		return nil
	}
	return x.run
}

func (x *callExtras) readURI() *readURI {
	if x == nil {
		return nil
	}
	return x.uri
}

func (x *callExtras) reservation() *Reservation {
	if x == nil {
		return nil
	}
	return x.reserved
}

// questions returns the requests of the call to its client; nil if there are none.
func (x *callExtras) questions() *replay.Run {
	if x == nil {
		return nil
	}
	return x.asking.Load()
}
