package runtime

import (
	"context"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// asTask makes the call one that is or may become a task, if it should, on a server with these lists.
func (l *lists) asTask(r *request, c *call) *wireError {
	support, wished := c.support, r.params.Task
	switch {
	case r.version.Has(wire.PerRequest): // the server decides
		switch {
		case support == mcptool.TaskSupportForbidden:
		case r.declares(tasksExtension):
			c.mayBeTask(0, support == mcptool.TaskSupportRequired)
		case support == mcptool.TaskSupportRequired:
			return r.requireExtension(tasksExtension)
		}
		return nil
	case !r.version.Has(wire.CoreTasks), r.lacksSession():
		return nil
	case wished == nil && support == mcptool.TaskSupportRequired:
		return wrongTaskSupport(c.tool, "runs as a task; send params.task")
	case wished == nil, !l.offersTasks(r.version):
		return nil // a server without tasks ignores params.task
	case support == mcptool.TaskSupportForbidden:
		return wrongTaskSupport(c.tool, "does not run as a task; leave out params.task")
	}
	asked, err := readWish(wished)
	if err == nil {
		c.mayBeTask(asked, true)
	}
	return err
}

// mayBeTask makes the call one that is, or may become, a task. Its context ends with the request until it is
// a task, see [taskRun.attend], and then no longer with the connection.
func (c *call) mayBeTask(asked time.Duration, atOnce bool) {
	c.Own()
	x := c.needExtras()
	x.parents = &parents{ctx: context.WithoutCancel(c.from.ctx)}
	x.run = &taskRun{
		call: c, atOnce: atOnce, ttl: c.from.limits.Tasks.ttl(internals.Settings(c.tool).TaskTTL, asked), done: make(chan struct{}),
	}
}

// readWish reads the requested TTL in params.task; 0 if there is none.
func readWish(raw []byte) (ttl time.Duration, err *wireError) {
	if rawjson.KindOf(raw) != rawjson.Object {
		return 0, invalidParams("params.task must be an object")
	}
	wire.Members(raw, func(name string, value []byte) {
		if name != "ttl" {
			return
		}
		millis, bad := strconv.ParseFloat(string(value), 64)
		if rawjson.KindOf(value) != rawjson.Number || bad != nil || millis < 1 {
			err = invalidParams("params.task.ttl must be a number of milliseconds, 1 or more")
			return
		}
		const most = float64(1<<62) / float64(time.Millisecond) // beyond any limit
		ttl = time.Duration(min(millis, most)) * time.Millisecond
	})
	return ttl, err
}

// appendCreated appends the result of a call that has become a task.
func (c *core) appendCreated(dst []byte, r *task.Record, v wire.Version) []byte {
	if v.Has(wire.PerRequest) {
		return c.appendTail(wire.AppendTask(append(dst, '{'), r, v), []byte(`"task"`), v, nil)
	}
	dst = append(wire.AppendTask(append(dst, `{"task":{`...), r, v), '}')
	return c.appendResultTail(dst, v, wire.RelatedTask(r.ID))
}
