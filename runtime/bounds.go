package runtime

import (
	"slices"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// bounds are the limits of one tool, and how much of them is taken.
type bounds struct {
	rates   *rates                // how often it may be called; nil: as often as one likes
	places  *places               // how many calls run at once; nil: any number
	timeout *mcptool.TimeoutError // what a call is ended with that runs too long; nil: none does
}

// toolBounds are the bounds of the tools of a server. They are not the catalog's: what is taken of
// them is taken, also when the tools change.
type toolBounds struct {
	timeout time.Duration // of tools that do not say, 0 for none
	waiting waitlist      // empty, with how many calls may wait for a place

	mu     sync.Mutex
	byTool map[*mcptool.Tool]*bounds
}

func newToolBounds(l *Limits) *toolBounds {
	return &toolBounds{timeout: l.Call, waiting: waitlist{room: l.Waiting, each: l.PerCaller.Waiting}, byTool: map[*mcptool.Tool]*bounds{}}
}

// of returns the bounds of the tool, nil if it has none.
func (b *toolBounds) of(t *mcptool.Tool) *bounds {
	timeout := t.Timeout()
	if timeout == 0 && t.Task().Support == mcptool.TaskForbidden {
		timeout = b.timeout // tasks have a time to live
	}
	rate, isRated := t.RateLimit()
	if timeout == 0 && !isRated && t.Concurrent() == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if known := b.byTool[t]; known != nil {
		return known
	}
	made := new(bounds)
	if timeout > 0 {
		made.timeout = &mcptool.TimeoutError{Tool: t.Name(), Limit: timeout}
	}
	if isRated {
		made.rates = newRates(rate)
	}
	if n := t.Concurrent(); n > 0 {
		made.places = &places{most: int64(n), patience: timeout, waiting: b.waiting}
	}
	b.byTool[t] = made
	return made
}

// keep forgets the bounds of all but these tools.
func (b *toolBounds) keep(tools []*mcptool.Tool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for t := range b.byTool {
		if !slices.Contains(tools, t) {
			delete(b.byTool, t)
		}
	}
}

// invoke runs the tool within its bounds; otherwise it is [mcptool.Tool.AppendCall].
func (c *call) invoke(dst []byte) ([]byte, *mcptool.Result, error) {
	if c.bounds == nil {
		return c.tool.AppendCall(c, c.args, dst)
	}
	return c.invokeWithin(c.bounds, dst)
}

// invokeWithin is invoke for a tool with bounds. What comes too late is not sent, but for what the log has to know of.
func (c *call) invokeWithin(b *bounds, dst []byte) (result []byte, rest *mcptool.Result, err error) {
	if b.places != nil {
		if err := b.places.enter(c); err != nil {
			return dst, nil, err
		}
	}
	if b.timeout != nil {
		c.bind()
	}
	defer func() { // also if the tool ends its goroutine
		if b.timeout != nil && c.letGo() && defect(err) == nil {
			rest, err = nil, b.timeout
		}
		if b.places != nil {
			b.places.leave()
		}
	}()
	return c.tool.AppendCall(c, c.args, dst)
}

// outOfTime answers the call: its time is up. The tool may not have noticed; it keeps its
// places until it returns, and what it returns is dropped.
func (c *call) outOfTime() {
	defer c.contain()
	has := c.has()
	if !c.expire() || has.job != nil && has.job.outOfTime() {
		return
	}
	if has.late != nil {
		defer close(has.late)
	}
	c.fail(c.limit())
	c.session.flush()
}
