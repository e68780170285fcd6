package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
)

// beginTool starts the timeout, which is also the cause when it ends the context. Then the call is answered. The caller
// must call endTool when the tool has returned.
func (c *call) beginTool() {
	whole := c.derived()
	clock := &toolClock{Context: whole, timeout: c.timeout()}
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
	c.live.Store(l)
	clock.start()
}

// callFunc calls the func of the tool.
func (c *call) callFunc(dst []byte) (result []byte, rest *mcptool.Result, err error) {
	c.from.running.add(c)
	defer c.from.running.remove(c) // also if the func ends its goroutine
	return c.from.contextOf.call(c, c.tool, c.args, dst)
}

// outOfTime answers the call because it has timed out. The tool may still be running: it holds its semaphore until it
// returns, and its result is dropped. It is logged if it does not return soon.
func (c *call) outOfTime() {
	defer c.contain()
	time.AfterFunc(c.from.limits.CloseGrace, func() {
		c.from.running.logStuck(func(other *call) bool { return other == c })
	})
	if run := c.extras().run; run != nil && run.OutOfTime() {
		return
	}
	if x := c.extras(); x.late != nil {
		defer close(x.late)
	}
	c.fail(c.timeout())
	c.from.peer.flush()
}

// invoke runs the tool of the call within its limits; otherwise it is like Call of mcptool.Internal.
func invoke(c *call, dst []byte) (result []byte, rest *mcptool.Result, err error) {
	if c.limits == nil {
		result, rest, err = c.callFunc(dst)
	} else {
		result, rest, err = c.limits.invoke(c, dst)
	}
	if err != nil {
		if long, ok := errors.AsType[*private.TooLongError](err); ok {
			err = tooLarge(c, largeError{size: long.Most, more: true})
		}
	}
	return result, rest, err
}

// invoke runs the tool of a call that has these limits. A late result is not sent, but a defect is still logged. A tool
// with [mcptool.AskFirst] acquires its semaphore after the question: see Admit of [callctx.Server].
func (l *toolLimits) invoke(c *call, dst []byte) (result []byte, rest *mcptool.Result, err error) {
	use := &limitUse{limits: l}
	c.needExtras().use = use
	if !internals.Settings(c.tool).AskFirst {
		if err := use.admit(c); err != nil {
			return dst, nil, err
		}
	}
	if l.timeout != nil {
		c.beginTool()
	}
	defer func() { // also if the tool ends its goroutine
		use.end()
		if l.timeout != nil && c.endTool() && defect(err) == nil {
			rest, err = nil, l.timeout
		}
	}()
	return c.callFunc(dst)
}

// acquire acquires the semaphore of the calls that run, if there is one; noun is the kind of the item, for the error. A
// repeated run of a durable task waits indefinitely, because its client cannot call again.
func (l *toolLimits) acquire(c *call, noun string) error {
	if l == nil || l.running == nil {
		return nil
	}
	err := l.tryAcquire(c)
	for run := c.extras().run; isBusy(err) && run != nil && run.IsAgain() && sleep(c, time.Second); {
		err = l.tryAcquire(c)
	}
	if isBusy(err) {
		return engine.NewBusyError("the %s is busy: at most %d of its calls run at once, and others are already waiting; call it again later", noun, l.running.Size())
	}
	return err
}

// tryAcquire acquires the semaphore, and waits for it within the limits. Meanwhile other calls of the session can run,
// behind this one.
func (l *toolLimits) tryAcquire(c *call) error {
	who := c.access.caller()
	turn, err := l.running.Queue(who)
	if turn == nil {
		return err
	}
	most := time.Duration(0) // until the call ends
	switch timeout := c.timeout(); {
	case timeout != nil:
		most = timeout.Limit
	case c.access != nil && c.extras().run == nil:
		most = maxWait
	}
	c.from.peer.stepAside(c)
	defer c.from.peer.stepBack(c)
	return l.running.Wait(c, who, turn, most)
}

// rejoin acquires the semaphore again, which the call has held before. The error means that the call has ended.
func (l *toolLimits) rejoin(c *call) error {
	who := c.access.caller()
	turn := l.running.Rejoin(who)
	if turn == nil {
		return nil
	}
	c.from.peer.stepAside(c)
	defer c.from.peer.stepBack(c)
	return l.running.Wait(c, who, turn, 0)
}

// release releases the semaphore, if there is one.
func (l *toolLimits) release() {
	if l != nil && l.running != nil {
		l.running.Release()
	}
}

// isBusy reports whether an error means that a semaphore cannot be acquired now.
func isBusy(err error) bool {
	return errors.Is(err, admission.ErrFull) || errors.Is(err, admission.ErrTimeout)
}

// admit acquires the semaphore before the tool runs, unless that was done before.
func (u *limitUse) admit(c *call) error {
	if u == nil {
		return nil
	}
	u.acquiring.Lock()
	defer u.acquiring.Unlock()
	if u.admitted {
		return nil
	}
	u.startClock(c, false)
	if err := u.limits.acquire(c, c.noun()); err != nil {
		return err
	}
	u.admitted = true
	u.hold(c)
	return nil
}

// hold records that the semaphore was acquired, or releases it if it is not needed any more. Then it starts the clock.
func (u *limitUse) hold(c *call) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.holds = u.open == 0 && !u.ended; !u.holds {
		u.limits.release()
	}
	u.startClock(c, u.holds)
}

// startClock starts or stops the clock of the tool, if there is one.
func (u *limitUse) startClock(c *call, on bool) {
	switch l := c.live.Load(); {
	case l == nil || l.clock == nil:
	case on:
		l.clock.start()
	default:
		l.clock.pause()
	}
}

// suspend is called before a request to the client, and resume after it.
func (u *limitUse) suspend(c *call) {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.open++; u.ended || u.open > 1 {
		return
	}
	u.startClock(c, false)
	if u.holds {
		u.holds = false
		u.limits.release()
	}
}

// resume continues the tool after the last open request. It waits for the semaphore until the call ends, however many
// others wait, because the user has answered.
func (u *limitUse) resume(c *call) {
	if u == nil {
		return
	}
	u.mu.Lock()
	u.open--
	u.mu.Unlock()
	u.acquiring.Lock()
	defer u.acquiring.Unlock()
	u.mu.Lock()
	isRunning := u.open == 0 && !u.ended
	if isRunning && (u.holds || !u.admitted || u.limits.running == nil) {
		u.startClock(c, true)
		isRunning = false
	}
	u.mu.Unlock()
	if isRunning && u.limits.rejoin(c) == nil {
		u.hold(c)
	}
}

// end releases the semaphore after the tool has returned.
func (u *limitUse) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ended = true
	if u.holds {
		u.holds = false
		u.limits.release()
	}
}

// endTool records that the tool has returned, and reports whether that was too late. It does not rely on the timer
// alone, since after a suspension of the machine the tool and the timer continue at the same time.
func (c *callContext) endTool() (isLate bool) {
	l := c.live.Load()
	l.detach()
	if l.clock.stop() {
		l.stop(l.clock.timeout)
	}
	return l.timedOut()
}

// maxWait is how long a call waits for the semaphore of its tool: about as long as clients wait for
// an answer. Trusted peers, tasks, and calls of tools with a timeout do not have this limit at the semaphore of their
// tool.
const maxWait = time.Minute
