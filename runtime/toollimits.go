package runtime

import (
	"errors"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
)

// toolLimits are the limits of one tool, with their current use.
type toolLimits struct {
	rate    *admission.RateLimiter[rateKey] // calls of each caller; nil: no limit
	running *admission.Semaphore            // calls that run at once; nil: no limit
	timeout *private.TimeoutError           // ends a call that runs too long; nil: no limit
}

// newToolLimits returns the limits of the tool on a server with these limits; nil if it has none.
func newToolLimits(t *mcptool.Tool, l *limits) *toolLimits {
	s := internals.Settings(t)
	timeout, isRated := s.Timeout, s.Rate != mcptool.Rate{} && !l.IgnoreRates
	if timeout == 0 && s.Task == mcptool.TaskSupportForbidden {
		timeout = l.CallTimeout // tasks have a TTL instead
	}
	if timeout == 0 && !isRated && s.Concurrent == 0 {
		return nil
	}
	made := new(toolLimits)
	if timeout > 0 {
		made.timeout = &private.TimeoutError{Tool: s.Name, Limit: timeout}
	}
	if isRated {
		made.rate = admission.NewRateLimiter[rateKey](s.Rate.Calls, s.Rate.Per, s.Rate.Burst)
	}
	if n := s.Concurrent; n > 0 {
		made.running = admission.NewQueuedSemaphore(n, l.MaxWaitingCalls, quarter(l.MaxWaitingCalls))
	}
	return made
}

// acquire acquires the semaphore of the calls that run, if there is one; noun is the kind of the item, for the error. A
// repeated run of a durable task waits indefinitely, because its client cannot call again.
func (l *toolLimits) acquire(c *call, noun string) error {
	if l == nil || l.running == nil {
		return nil
	}
	err := l.tryAcquire(c)
	for run := c.extras().run; isBusy(err) && run != nil && run.again && sleep(c, time.Second); {
		err = l.tryAcquire(c)
	}
	if isBusy(err) {
		return engine.NewBusyError("the %s is busy: at most %d of its calls run at once, and others are already waiting; call it again later", noun, l.running.Size())
	}
	return err
}

// isBusy reports whether an error means that a semaphore cannot be acquired now.
func isBusy(err error) bool {
	return errors.Is(err, admission.ErrFull) || errors.Is(err, admission.ErrTimeout)
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
	handOver(c)
	c.from.peer.stepAside(c)
	defer c.from.peer.stepBack(c)
	return l.running.Wait(c, who, turn, most)
}

// release releases the semaphore, if there is one.
func (l *toolLimits) release() {
	if l != nil && l.running != nil {
		l.running.Release()
	}
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

// invoke runs the tool of a call that has these limits. A late result is not sent, but a defect is still logged.
func (l *toolLimits) invoke(c *call, dst []byte) (result []byte, rest *mcptool.Result, err error) {
	if err := l.acquire(c, c.noun()); err != nil {
		return dst, nil, err
	}
	if l.timeout != nil {
		c.beginTool()
	}
	defer func() { // also if the tool ends its goroutine
		if l.timeout != nil && c.endTool() && defect(err) == nil {
			rest, err = nil, l.timeout
		}
		l.release()
	}()
	return c.callFunc(dst)
}

// callFunc calls the func of the tool.
func (c *call) callFunc(dst []byte) (result []byte, rest *mcptool.Result, err error) {
	c.from.running.add(c)
	defer c.from.running.remove(c) // also if the func ends its goroutine
	return internals.Call(c, c.tool, c.args, dst)
}

// outOfTime answers the call because it has timed out. The tool may still be running: it holds its semaphore until it
// returns, and its result is dropped. It is logged if it does not return soon.
func (c *call) outOfTime() {
	defer c.contain()
	time.AfterFunc(c.from.limits.CloseGrace, func() {
		c.from.running.logStuck(func(other *call) bool { return other == c })
	})
	if run := c.extras().run; run != nil && run.outOfTime() {
		return
	}
	if x := c.extras(); x.late != nil {
		defer close(x.late)
	}
	c.fail(c.timeout())
	c.from.peer.flush()
}
