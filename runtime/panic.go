package runtime

import (
	"log/slog"
	"runtime/debug"

	"github.com/mcptool-go/mcptool/mcptool"
)

// contain is deferred by each goroutine that works for the call: a panic does not end the process, and the call is
// answered for it, if it still can be. Tools contain their own; this is one of a method, of the
// transport, of a store of tasks, or ours.
func (c *call) contain() {
	if v := recover(); v != nil {
		defer c.containAnswer()
		c.fail(&mcptool.PanicError{Tool: c.name(), Value: v, Stack: debug.Stack()})
	}
}

// containAnswer is contain for that answer: a transport that panics may do so again.
func (c *call) containAnswer() {
	if v := recover(); v != nil {
		s := c.session
		s.log.LogAttrs(s.ctx, slog.LevelError, "call cannot be answered", c.attr(), slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
	}
}
