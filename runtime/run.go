package runtime

import (
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// errGoexit is the error of a call whose tool has called runtime.Goexit.
var errGoexit = errors.New("the tool ended its goroutine with runtime.Goexit")

// untimed is passed to run if the duration of the call is not measured.
const untimed timestamp = 0

// run runs the call and answers it, in the goroutine that schedule has chosen. It begins at begun.
func (c *call) run(begun timestamp) {
	defer c.contain()
	run := c.extras().taskRun()
	switch {
	case c.method != nil:
		c.runMethod(begun)
	case run != nil:
		run.attend()
	default:
		c.runTool(begun)
	}
}

// runTool runs the tool, prompt, resource or completion, and answers the call.
func (c *call) runTool(begun timestamp) {
	buf := wire.GetBuffer()
	defer wire.PutBuffer(buf)
	render := (*call).appendResult
	if c.render != nil {
		render = c.render
	}
	msg, err := render(c, wire.BeginResult(*buf, c.id))
	c.timed(begun)
	switch {
	case c.asks(err):
		return
	case err != nil:
		c.fail(err)
		return
	}
	*buf = wire.EndResponse(msg)
	c.toolState.size.was(len(*buf))
	c.answer(*buf, Served, outcomeOf(c, nil))
}

// timed records how long the tool took. The time for sending the answer does not count.
func (c *call) timed(begun timestamp) {
	if begun != untimed {
		c.pace.took(now().since(begun))
	}
}

// contain is deferred by each goroutine that works for the call. It recovers a panic, and answers the call with an
// error if it has no answer yet. Panics of tools are recovered elsewhere; this is a panic of a custom method, a
// transport, a task store, or this module.
func (c *call) contain() {
	if v := recover(); v != nil {
		defer c.containAnswer()
		c.fail(&mcptool.PanicError{Tool: c.name(), Value: v, Stack: debug.Stack()})
	}
}

// containAnswer is contain for that answer, since a transport that has panicked may panic again.
func (c *call) containAnswer() {
	if v := recover(); v != nil {
		s := c.from
		s.log.LogAttrs(s.ctx, slog.LevelError, "call cannot be answered", c.attr(), slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
	}
}
