package runtime

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/mcptool"
)

// callContext is the context of a call, without the methods of [mcptool.Host]. Most calls end before anything waits for
// their end, so such calls need neither a lock nor memory: a number is the whole state.
//
//	open ─watch─▶ watched ─beginTool─▶ running ─endTool─▶ returned ─end─▶ ended
//	  └───────────────────────────end───────────────────────────────────────▲
//
// Each state can become detailed, by needDetail: when something waits for the end, when a deadline needs a timer, or
// when the call ends with a cause. From then on the ending is the state, under its lock.
type callContext struct {
	state  contextState
	ending atomic.Pointer[ending] // nil until the state is about to be detailed
	due    timestamp              // deadline of a call with a timeout, in the watched states
}

// contextState is the state of a call's context, see [callContext]. The zero value is open.
type contextState struct{ n atomic.Uint32 }

const (
	stateOpen     uint32 = iota // the call has not ended
	stateWatched                // a reader checks how long it takes, instead of a timer; its tool does not run yet
	stateRunning                // watched, and the tool runs
	stateReturned               // watched, and the tool has returned in time
	stateEnded                  // the call has ended without a cause
	stateDetailed               // see the ending
)

// is reports whether the context is in a state.
func (s *contextState) is(state uint32) bool { return s.n.Load() == state }

// change changes the state, and reports whether it was the expected one.
func (s *contextState) change(from, to uint32) bool { return s.n.CompareAndSwap(from, to) }

// origin has the contexts from which the context of a call derives.
type origin struct {
	ctx  context.Context // the context of the connection, or of the message alone
	shut context.Context // the context of the endpoint; nil in a session
}

// ending is the detailed state of a call's context.
type ending struct {
	mu      sync.Mutex
	made    context.Context // derived from the origin; nil until it is needed
	stop    context.CancelCauseFunc
	release func() bool // detaches from origin.shut; nil in a session
	cause   error       // the reason, if ended
	ended   bool
	expired bool // it was ended by the deadline

	watched  bool // a reader checks how long the call takes, see startTimer
	returned bool // the tool has returned, so the deadline no longer matters

	timeout  *mcptool.TimeoutError // the cause when the deadline passes; nil: no deadline
	deadline time.Time             // of a watched call, set even if timeout is nil
	timer    *time.Timer           // answers the call at the deadline; nil while the call is watched
}

// timeout returns how long the tool of the call may run; nil means no limit.
func (c *call) timeout() *mcptool.TimeoutError {
	if c.toolState == nil || c.limits == nil {
		return nil
	}
	return c.limits.timeout
}

// needDetail returns the ending, which is the state from then on. The caller must lock it before reading.
func (c *call) needDetail() *ending {
	if e := c.ending.Load(); e != nil {
		return e
	}
	e := new(ending)
	e.mu.Lock() // until it is complete
	defer e.mu.Unlock()
	if !c.ending.CompareAndSwap(nil, e) {
		return c.ending.Load()
	}
	for {
		state := c.state.n.Load()
		c.describe(e, state)
		if c.state.change(state, stateDetailed) {
			return e
		}
	}
}

// describe copies the state to the ending.
func (c *call) describe(e *ending, state uint32) {
	e.ended = state == stateEnded
	e.returned = state == stateReturned || state == stateEnded
	e.watched = state == stateWatched || state == stateRunning || state == stateReturned
	timeout := c.timeout()
	if timeout != nil {
		e.deadline = time.Now().Add(c.due.since(now()))
	}
	e.timeout = nil
	if state == stateRunning || state == stateReturned || state == stateEnded {
		e.timeout = timeout
	}
}

// derived returns a context of the standard library that ends when the call does. Child contexts derive from it, and
// [context.Cause] finds the cause in it.
func (c *call) derived() context.Context {
	e := c.needDetail()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.made != nil {
		return e.made
	}
	switch from := c.origin(); {
	case e.ended: // possibly before the origin has
		e.made, e.stop = context.WithCancelCause(context.WithoutCancel(from.ctx))
		if !e.expired { // otherwise the deadline ends it
			e.stop(e.cause)
		}
	case from.shut != nil:
		e.made, e.stop = context.WithCancelCause(context.WithoutCancel(from.ctx))
		e.endWith(from.ctx, ErrDisconnected)
		e.release = e.endWith(from.shut, ErrShutdown)
	default:
		e.made, e.stop = context.WithCancelCause(from.ctx)
	}
	if e.timeout != nil {
		e.bound()
	}
	return e.made
}

// beginTool starts the timeout, which is also the cause when it ends the context. A watched call has no timer: most
// calls have ended long before.
func (c *call) beginTool() {
	if c.state.change(stateWatched, stateRunning) {
		return
	}
	e := c.needDetail()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.timeout = c.timeout()
	if !e.watched { // it may have waited
		e.deadline = time.Now().Add(e.timeout.Limit)
		e.timer = time.AfterFunc(e.timeout.Limit, c.outOfTime)
	}
	if e.made != nil {
		e.bound()
	}
}

// watch records that a reader checks how long the call takes, until startTimer is called. It must be called before
// another goroutine can find the call.
func (c *call) watch() {
	if c.timeout() != nil {
		c.state.change(stateOpen, stateWatched)
	}
}

// startTimer ends the watch; from then on a timer ends the call at its deadline.
func (c *call) startTimer() {
	if c.timeout() == nil {
		return
	}
	e := c.needDetail()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.watched = false
	if e.timeout != nil && e.timer == nil && !e.returned {
		e.timer = time.AfterFunc(time.Until(e.deadline), c.outOfTime)
	}
}

// bound sets the deadline of the derived context. The caller holds e.mu.
func (e *ending) bound() {
	stop, made := e.stop, e.made
	bounded, cancel := context.WithDeadlineCause(made, e.deadline, e.timeout)
	e.made = bounded
	e.stop = func(cause error) {
		stop(cause)
		cancel()
	}
}

// expire ends the context because of its deadline, and reports whether it had not ended before.
func (c *call) expire() bool {
	e := c.needDetail()
	e.mu.Lock()
	defer e.mu.Unlock()
	return c.expireLocked(e)
}

// expireLocked is expire for a caller that holds e.mu.
func (c *call) expireLocked(e *ending) bool {
	if e.ended || e.made == nil && c.origin().err() != nil {
		return false
	}
	e.ended, e.expired, e.cause = true, true, e.timeout // the derived context has the same deadline
	if e.release != nil {
		e.release()
	}
	return true
}

// endTool records that the tool has returned, and reports whether that was too late. It does not rely on the timer
// alone, since after a suspension of the machine the tool and the timer continue at the same time. If the deadline has
// passed, it ends only the derived context, not its origin.
func (c *call) endTool() (isLate bool) {
	if c.state.is(stateRunning) && now() < c.due && c.state.change(stateRunning, stateReturned) {
		return false
	}
	e := c.needDetail()
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
		e.stop(e.timeout)
	}
	return e.timedOut()
}

// timedOut returns the timeout that has ended the context; nil if none has.
func (c *call) timedOut() *mcptool.TimeoutError {
	if !c.state.is(stateDetailed) {
		return nil
	}
	e := c.ending.Load()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.timedOut() {
		return e.timeout
	}
	return nil
}

// timedOut reports whether the timeout has ended the context. The caller holds e.mu.
func (e *ending) timedOut() bool {
	return e.timeout != nil && (e.expired || e.made != nil && errors.Is(context.Cause(e.made), e.timeout))
}

// endWith makes the derived context end when ctx does, at once if ctx has ended.
func (e *ending) endWith(ctx context.Context, cause error) (release func() bool) {
	stop := e.stop
	if ctx.Err() != nil {
		stop(cause)
	}
	return context.AfterFunc(ctx, func() { stop(cause) })
}

// end ends the context with a cause; only the first one counts.
func (c *call) end(cause error) {
	if cause == nil && c.origin().err() == nil {
		if c.state.change(stateOpen, stateEnded) || c.state.change(stateReturned, stateEnded) {
			return
		}
	}
	e := c.needDetail()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended || e.made == nil && c.origin().err() != nil {
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

// origin returns the contexts from which the context of the call derives.
func (c *call) origin() *origin {
	if x := c.extras(); x != nil && x.origin != nil {
		return x.origin
	}
	return &c.session.origin
}

// err returns the Err of the context that has ended; nil if none has.
func (o *origin) err() error {
	if err := o.ctx.Err(); err != nil || o.shut == nil {
		return err
	}
	return o.shut.Err()
}

// Deadline implements [context.Context].
func (c *call) Deadline() (time.Time, bool) {
	earliest, ok := c.origin().ctx.Deadline()
	if c.timeout() == nil {
		return earliest, ok
	}
	e := c.needDetail()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.timeout != nil && (!ok || e.deadline.Before(earliest)) {
		return e.deadline, true
	}
	return earliest, ok
}

// Done implements [context.Context].
func (c *call) Done() <-chan struct{} { return c.derived().Done() }

// Err implements [context.Context].
func (c *call) Err() error {
	switch c.state.n.Load() {
	case stateEnded:
		return context.Canceled
	case stateDetailed:
	default:
		return c.origin().err()
	}
	e := c.ending.Load()
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
		return c.origin().err()
	}
}

// Value implements [context.Context].
func (c *call) Value(key any) any {
	switch key {
	case callctx.Host{}:
		return mcptool.Host(c)
	case callctx.Result{}:
		return callctx.Encoding(c)
	case processor.Key{}:
		if x := c.extras(); x != nil && x.inTurn.Load() { // would deadlock waiting for its own turn
			return nil
		}
		return c.session.processorQueue(c.access)
	case callctx.Tool{}:
		if c.tool == nil {
			return nil
		}
		return c.tool
	case callctx.CoercionKey{}:
		return (*coercion)(c)
	case callctx.URI{}:
		if uri := c.extras().readURI(); uri != nil {
			return uri.normal
		}
		return nil
	default:
		return c.derived().Value(key)
	}
}

// processStart is the reference of timestamps.
var processStart = time.Now()

// timestamp is a monotonic timestamp: time since process start. Unlike [time.Now] it does not read the wall clock,
// which would take as long as all other measurements of a quick call.
type timestamp time.Duration

// now returns the current timestamp.
func now() timestamp { return timestamp(time.Since(processStart)) }

// timestampOf returns the timestamp of a time that [time.Now] has returned.
func timestampOf(t time.Time) timestamp { return timestamp(t.Sub(processStart)) }

// after returns the timestamp d later.
func (t timestamp) after(d time.Duration) timestamp { return t + timestamp(d) }

// since returns the time elapsed since an earlier timestamp.
func (t timestamp) since(earlier timestamp) time.Duration { return time.Duration(t - earlier) }

// time returns the timestamp as a [time.Time]. Its wall clock is off if the clock was set since process start.
func (t timestamp) time() time.Time { return processStart.Add(time.Duration(t)) }
