package runtime

import "errors"

// errGoexit is what happened to a call whose goroutine was ended under it.
var errGoexit = errors.New("the tool ended its goroutine with runtime.Goexit")

// run runs the call and replies. Its goroutine is chosen by schedule.
func (c *call) run() {
	defer c.contain()
	run := c.extras().taskRun()
	switch {
	case c.method != nil:
		c.runMethod()
	case run != nil:
		run.attend()
	default:
		c.runTool()
	}
}

// runTool runs the tool and replies.
func (c *call) runTool() {
	buf := c.toolState.size.buffer()
	defer putBuffer(buf)
	msg, err := c.appendResult(beginResult(*buf, c.id))
	switch {
	case c.asks(err):
		return
	case err != nil:
		c.fail(err)
		return
	}
	*buf = endResponse(msg)
	c.toolState.size.was(len(*buf))
	c.answer(*buf, Served, c.succeeded())
}
