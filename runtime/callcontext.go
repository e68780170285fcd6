package runtime

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/mcptool"
)

// callContext is the context of a call, as far as [mcptool.Host] is not concerned. Most
// calls end before anybody waits for that, so what can be waited for is made when it is
// first asked for. Until then it takes no lock.
type callContext struct {
	origin *origin
	ending atomic.Pointer[ending] // nil: it has not ended, and nobody waits for that; see quiet
	due    timestamp              // the deadline of a call that has a limit and does not wait
}

// origin is what the contexts of calls derive from.
type origin struct {
	ctx  context.Context // the connection's, or that of the message alone
	shut context.Context // the endpoint's, nil in a session
}

// ending is how the context of a call ends, or has ended.
type ending struct {
	mu      sync.Mutex
	made    context.Context // derived from the origin, nil if nobody has asked
	stop    context.CancelCauseFunc
	release func() bool // has origin.shut forget it; nil in a session
	cause   error       // why, if ended
	ended   bool
	expired bool // it has ended because of deadline

	watched  bool // somebody looks after how long the call takes; see arm
	returned bool // the tool has, so the deadline is of no more interest

	limit    *mcptool.TimeoutError // the cause when deadline comes; nil: there is no deadline
	deadline time.Time             // of a call that does not wait, until limit is set
	timer    *time.Timer           // answers the call then; nil while the call is watched
}

// The endings of all calls that nobody has asked about. They never change, and take no lock.
var (
	beforeTool = &ending{} // of a call with a limit that is watched; before its tool runs
	inTool     = &ending{} // the same, while its tool runs
	afterTool  = &ending{} // the same, when its tool has returned in time
	quiet      = &ending{} // of any call that has ended without a cause
)

// limit returns how long the call may take once its tool runs, nil for as long as it likes.
func (c *call) limit() *mcptool.TimeoutError {
	if c.toolState == nil || c.limits == nil {
		return nil
	}
	return c.limits.timeout
}

// copyOf returns an ending of the call's own that says what e does, one of those above or nil.
func (c *call) copyOf(e *ending) *ending {
	own := &ending{ended: e == quiet, returned: e == afterTool || e == quiet, watched: e == beforeTool || e == inTool || e == afterTool}
	if c.limit() != nil {
		own.deadline = time.Now().Add(c.due.since(now()))
	}
	if e == inTool || e == afterTool || e == quiet {
		own.limit = c.limit()
	}
	return own
}

// isShared reports whether e is nobody's own.
func (e *ending) isShared() bool {
	return e == nil || e == quiet || e == beforeTool || e == inTool || e == afterTool
}

// ownEnding returns the ending, which is the call's own from here on.
func (c *call) ownEnding() *ending {
	for {
		e := c.ending.Load()
		if !e.isShared() {
			return e
		}
		own := c.copyOf(e)
		if c.ending.CompareAndSwap(e, own) {
			return own
		}
	}
}

// derived returns a context of the standard library that ends when the call does. It is what
// others derive theirs from, and where [context.Cause] finds the cause.
func (c *call) derived() context.Context {
	e := c.ownEnding()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.made != nil {
		return e.made
	}
	switch from := c.origin; {
	case e.ended: // before the origin did, perhaps
		e.made, e.stop = context.WithCancelCause(context.WithoutCancel(from.ctx))
		if !e.expired { // or the deadline sees to it
			e.stop(e.cause)
		}
	case from.shut != nil:
		e.made, e.stop = context.WithCancelCause(context.WithoutCancel(from.ctx))
		e.endWith(from.ctx, ErrDisconnected)
		e.release = e.endWith(from.shut, ErrShutdown)
	default:
		e.made, e.stop = context.WithCancelCause(from.ctx)
	}
	if e.limit != nil {
		e.bound()
	}
	return e.made
}

// bind has the context end when the time is up, with the limit as its cause. While the call is watched there is no timer
// yet: most calls have ended long before.
func (c *call) bind() {
	if c.ending.CompareAndSwap(beforeTool, inTool) {
		return
	}
	e := c.ownEnding()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.limit = c.limit()
	if !e.watched { // it may have waited
		e.deadline = time.Now().Add(e.limit.Limit)
		e.timer = time.AfterFunc(e.limit.Limit, c.outOfTime)
	}
	if e.made != nil {
		e.bound()
	}
}

// watch says that somebody looks after how long the call takes, until arm is called. Nobody else must know the call yet.
func (c *call) watch() {
	if c.limit() != nil {
		c.ending.Store(beforeTool)
	}
}

// arm ends the watch: from now on a timer sees to the deadline.
func (c *call) arm() {
	if c.limit() == nil {
		return
	}
	e := c.ownEnding()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.watched = false
	if e.limit != nil && e.timer == nil && !e.returned {
		e.timer = time.AfterFunc(time.Until(e.deadline), c.outOfTime)
	}
}

// bound gives what was made the deadline. The caller holds e.mu.
func (e *ending) bound() {
	stop, made := e.stop, e.made
	bounded, cancel := context.WithDeadlineCause(made, e.deadline, e.limit)
	e.made = bounded
	e.stop = func(cause error) {
		stop(cause)
		cancel()
	}
}

// expire ends the context because of its deadline; it reports whether it had not ended.
func (c *call) expire() bool {
	e := c.ownEnding()
	e.mu.Lock()
	defer e.mu.Unlock()
	return c.expireLocked(e)
}

// expireLocked is expire for who holds e.mu.
func (c *call) expireLocked(e *ending) bool {
	if e.ended || e.made == nil && c.origin.err() != nil {
		return false
	}
	e.ended, e.expired, e.cause = true, true, e.limit // what was made has the same deadline
	if e.release != nil {
		e.release()
	}
	return true
}

// letGo is told that the tool has returned, and reports whether that was too late: the timer alone does not know, since
// a machine that has stood still lets tool and timer go on together. The origin forgets what has expired: the deadline
// ends what was made, and not what that derives from.
func (c *call) letGo() (isLate bool) {
	if c.ending.Load() == inTool && now() < c.due && c.ending.CompareAndSwap(inTool, afterTool) {
		return false
	}
	e := c.ownEnding()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.returned = true
	if e.timer != nil {
		e.timer.Stop()
	}
	if !e.ended && time.Until(e.deadline) <= 0 {
		c.expireLocked(e)
	}
	if e.expired && e.made != nil {
		e.stop(e.limit)
	}
	return e.timedOut()
}

// timedOut returns the limit that has ended the context, nil if none has.
func (c *call) timedOut() *mcptool.TimeoutError {
	e := c.ending.Load()
	if e.isShared() {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.timedOut() {
		return e.limit
	}
	return nil
}

// timedOut reports whether the limit has ended the context. The caller holds e.mu.
func (e *ending) timedOut() bool {
	return e.limit != nil && (e.expired || e.made != nil && errors.Is(context.Cause(e.made), e.limit))
}

// endWith has made end with ctx, if need be at once.
func (e *ending) endWith(ctx context.Context, cause error) (release func() bool) {
	stop := e.stop
	if ctx.Err() != nil {
		stop(cause)
	}
	return context.AfterFunc(ctx, func() { stop(cause) })
}

// end ends the context; the first cause counts.
func (c *call) end(cause error) {
	if cause == nil && c.origin.err() == nil {
		if e := c.ending.Load(); (e == nil || e == afterTool) && c.ending.CompareAndSwap(e, quiet) {
			return
		}
	}
	e := c.ownEnding()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended || e.made == nil && c.origin.err() != nil {
		return
	}
	e.ended, e.cause = true, cause
	if e.made != nil {
		e.stop(cause)
	}
	if e.release != nil {
		e.release()
	}
}

// err returns the Err of what ends first.
func (o *origin) err() error {
	if err := o.ctx.Err(); err != nil || o.shut == nil {
		return err
	}
	return o.shut.Err()
}

// Deadline implements [context.Context].
func (c *call) Deadline() (time.Time, bool) {
	earliest, ok := c.origin.ctx.Deadline()
	if c.limit() == nil {
		return earliest, ok
	}
	e := c.ownEnding()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.limit != nil && (!ok || e.deadline.Before(earliest)) {
		return e.deadline, true
	}
	return earliest, ok
}

// Done implements [context.Context].
func (c *call) Done() <-chan struct{} { return c.derived().Done() }

// Err implements [context.Context].
func (c *call) Err() error {
	e := c.ending.Load()
	switch {
	case e == quiet:
		return context.Canceled
	case e.isShared():
		return c.origin.err()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.made != nil:
		return e.made.Err()
	case e.expired:
		return context.DeadlineExceeded
	case e.ended:
		return context.Canceled
	default:
		return c.origin.err()
	}
}

// Value implements [context.Context].
func (c *call) Value(key any) any {
	switch key {
	case callctx.Host{}:
		return mcptool.Host(c)
	case callctx.Tool{}:
		if c.tool == nil {
			return nil
		}
		return c.tool
	default:
		return c.derived().Value(key)
	}
}
