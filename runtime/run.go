package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// Run implements [connection.Call]: it runs the call and answers it, in the goroutine that schedule has chosen. It begins at
// begun; the zero time means that its duration is not measured. The tool of a call that is or may become a task runs in
// another goroutine; this one is blocked in Attend until the call has ended or has become a task.
func (c *call) Run(begun time.Time) {
	defer c.contain()
	if runner := c.extras().runner; runner != nil {
		runner.Attend()
		return
	}
	buf := wire.GetBuffer()
	defer wire.PutBuffer(buf)
	msg, err := c.target.render(c, wire.BeginResult(*buf, c.id))
	if !begun.IsZero() { // the time for sending the answer does not count
		c.target.pace.took(time.Since(begun))
	}
	switch {
	case c.extras().asking.Load() != nil && c.from.stages.asks(c, err):
	case err != nil:
		c.fail(err)
	default:
		*buf = wire.EndResponse(msg)
		c.target.size.was(len(*buf))
		how := observe.OutcomeOK
		if c.extras().isError {
			how = observe.OutcomeError
		}
		c.answer(*buf, how, nil)
	}
}

// fail answers the call with an error.
func (c *call) fail(err error) {
	if listed, ok := errors.AsType[*listError](err); ok {
		c.refuse(listed.answer, listed.how)
		return
	}
	e := explain(c, err)
	c.refuse(&e, outcomeOf(c, err))
}

// refuse answers the call with e.
func (c *call) refuse(e *wireError, how observe.Outcome) {
	wire.Compose(func(msg []byte) { c.answer(msg, how, e) }, func(dst []byte) []byte { return c.from.appendError(dst, c.id, e, c.version) })
}

// answer sends the response and ends the call; e is nil unless the response is an error. If the call was already answered
// or cancelled, it only ends the call.
func (c *call) answer(msg []byte, how observe.Outcome, e *wireError) {
	end, sent := engine.End{}, true // also if the transport panics
	if e != nil {
		end = e.end()
	}
	defer func() { // when nothing is locked
		if op := c.op.Load(); sent && op != nil {
			op.end(how, e, len(msg))
		}
	}()
	c.from.unread.Add(1) // before it is no longer in flight: see logStuck
	defer c.from.unread.Add(-1)
	c.from.peer.freeID(c)
	defer c.end(nil)
	err := c.out.Respond(msg, end)
	sent = !errors.Is(err, respond.ErrOver)
	c.from.sent(err)
}

// contain is deferred by each goroutine that works for the call. It recovers a panic, and answers the call with an
// error if it has no answer yet. Panics of tools are recovered elsewhere; this is a panic of a custom method, a
// transport, a task store, or this module.
func (c *call) contain() {
	if v := recover(); v != nil {
		c.recovered(v)
	}
}

// recovered is contain for a func that has recovered v.
func (c *call) recovered(v any) {
	defer func() { // a transport that has panicked may panic again
		if v := recover(); v != nil {
			c.from.log.LogAttrs(c.from.ctx, slog.LevelError, "call cannot be answered", c.target.attr(), slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
		}
	}()
	c.fail(&mcptool.PanicError{Tool: c.target.name(), Value: v, Stack: debug.Stack()})
}

// Exited implements [connection.Call]: it answers a call whose tool has ended the goroutine.
func (c *call) Exited() {
	c.out.Early()
	c.fail(errGoexit)
}

// outOfTime answers the call because it has timed out. The tool may still be running: it holds its semaphore until it
// returns, and its result is dropped. It is logged if it does not return soon.
func (c *call) outOfTime() {
	defer c.contain()
	time.AfterFunc(c.from.limits.CloseGrace, func() {
		c.from.running.logStuck(func(other *call) bool { return other == c })
	})
	if runner := c.extras().runner; runner != nil && runner.OutOfTime() {
		return
	}
	if x := c.extras(); x.late != nil {
		defer close(x.late)
	}
	c.fail(c.target.timeout())
	c.from.peer.flush()
}

// Abandoned implements [respond.Pending]: the session ends before the tool has returned.
func (c *call) Abandoned() {
	c.out.Early()
	c.fail(ErrShutdown)
}

// Cancelled implements [respond.Pending]: the client has cancelled the call.
func (c *call) Cancelled(reason string) {
	cause := ErrCancelled
	if reason != "" {
		cause = fmt.Errorf("%w: %s", ErrCancelled, reason)
	}
	func() {
		defer c.op.Load().end(observe.OutcomeCancelled, nil, 0) // also if the transport panics
		c.from.sent(c.out.Cancel(func() {
			c.end(cause)
			c.out.Early()
		}))
	}()
	c.from.log.LogAttrs(c.from.ctx, slog.LevelInfo, "call cancelled by the client", c.target.attr(),
		slog.String("request_id", string(c.id)), slog.String("reason", reason))
}

// invoke runs the tool of the call within its limits; otherwise it is like Call of mcptool.Internal.
func invoke(c *call, dst []byte) (result []byte, rest *mcptool.Result, err error) {
	if c.target.limits == nil {
		result, rest, err = callFunc(c, dst)
	} else {
		result, rest, err = invokeLimited(c, dst)
	}
	if err != nil {
		if long, ok := errors.AsType[*private.TooLongError](err); ok {
			err = tooLarge(c, largeError{size: long.Most, more: true})
		}
	}
	return result, rest, err
}

// invokeLimited is invoke for a tool with limits. A late result is not sent, but a defect is still logged. A tool
// with [mcptool.AskFirst] acquires its semaphore after the question: see Admit of [callctx.Server].
func invokeLimited(c *call, dst []byte) (result []byte, rest *mcptool.Result, err error) {
	l := c.target.limits
	use := &limitUse{limits: l}
	c.needExtras().use = use
	if !internals.Settings(c.target.tool).AskFirst {
		if err := use.admit(c); err != nil {
			return dst, nil, err
		}
	}
	if l.timeout != nil {
		beginTool(c)
	}
	defer func() { // also if the tool ends its goroutine
		use.end()
		if l.timeout != nil && c.context.endTool() && defect(err) == nil {
			rest, err = nil, l.timeout
		}
	}()
	return callFunc(c, dst)
}

// beginTool starts the timeout, which is also the cause when it ends the context. Then the call is answered. The caller
// must call endTool when the tool has returned.
func beginTool(c *call) {
	whole := c.derived()
	clock := &toolClock{Context: whole, timeout: c.target.timeout()}
	bounded, cancel := context.WithCancelCause(clock)
	l := &liveContext{Context: bounded, clock: clock}
	l.stop = func(cause error) {
		whole.stop(cause)
		cancel(context.Cause(whole)) // which has the first cause
	}
	l.detach = context.AfterFunc(bounded, func() {
		if l.timedOut() {
			c.outOfTime()
		}
	})
	c.context.live.Store(l)
	clock.start()
}

// callFunc calls the func of the tool.
func callFunc(c *call, dst []byte) (result []byte, rest *mcptool.Result, err error) {
	c.from.running.add(c)
	defer c.from.running.remove(c) // also if the func ends its goroutine
	if f := c.from.contextOf; f != nil {
		return f.call(c, c.target.tool, c.args, dst)
	}
	return internals.Call(c, c.target.tool, c.args, dst)
}
