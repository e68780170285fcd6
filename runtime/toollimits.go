package runtime

import (
	"errors"
	"sync"
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

// newToolLimits returns the limits of the tool on a server with these limits; nil if it has none. Support is whether its
// calls run as tasks there.
func newToolLimits(t *mcptool.Tool, support mcptool.TaskSupport, l *limits) *toolLimits {
	s := internals.Settings(t)
	timeout, isRated := s.Timeout, s.Rate != mcptool.Rate{} && !l.IgnoreRates
	if timeout == 0 && support == private.TaskForbidden {
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
	for runner := c.extras().runner; isBusy(err) && runner != nil && runner.IsAgain() && sleep(c, time.Second); {
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
	switch timeout := c.target.timeout(); {
	case timeout != nil:
		most = timeout.Limit
	case c.access != nil && c.extras().runner == nil:
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

// maxWait is how long a call waits for the semaphore of its tool: about as long as clients wait for
// an answer. Trusted peers, tasks, and calls of tools with a timeout do not have this limit at the semaphore of their
// tool.
const maxWait = time.Minute

// limitUse is the share of a call in the limits of its tool. While requests to the client are open, its clock is stopped, and
// it does not hold the semaphore. A nil limitUse does nothing.
type limitUse struct {
	limits *toolLimits

	acquiring sync.Mutex // held while the semaphore is acquired, which may take long

	mu       sync.Mutex
	open     int  // requests to the client
	admitted bool // the semaphore was acquired once
	holds    bool // the semaphore
	ended    bool // the tool has returned
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
	if err := u.limits.acquire(c, c.target.noun()); err != nil {
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
	switch l := c.context.live.Load(); {
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
