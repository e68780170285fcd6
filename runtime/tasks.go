package runtime

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/tasks"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// ErrExpired is the cause that ends the context of a task whose record no longer exists, usually because its TTL has
// passed: see [mcptool.TaskTTL].
var ErrExpired = tasks.ErrExpired

// ErrLeaseLost is the cause that ends the context of a durable task ([mcptool.Durable]) whose process cannot renew its
// lease, or finds that another process has the lease. The task continues elsewhere.
var ErrLeaseLost = tasks.ErrLeaseLost

// ErrNotStored is wrapped by the error of [Server.Shutdown] if the ends of some tasks could not be stored.
var ErrNotStored = tasks.ErrNotStored

func newTasks(store task.Store, limits *limits, log *slog.Logger) *tasks.Tasks {
	return tasks.New(tasks.Config{
		Store: store, Log: log, MaxRunning: limits.Tasks.MaxRunning, MaxRunningPerCaller: limits.Tasks.MaxRunningPerCaller,
		MaxJournal: limits.MaxResultBytes, Grace: limits.CloseGrace,
	})
}

// Shutdown ends the tasks of the server, which outlive the sessions that began them. Call it before the program ends,
// after the sessions were closed. From then on no task begins. Durable tasks ([mcptool.Durable]) that wait for their
// client are left to another process at once. Other tasks may continue until ctx ends; then they are cancelled, with
// the cause [ErrShutdown], and have [Limits.CloseGrace] to end. Tasks that have not ended by themselves are stored as
// failed, or if they are durable left to another process; the results of the others stay in the store. Shutdown tries
// once more to store ends of tasks that the store has not accepted yet, for at most CloseGrace, and logs the lost ones.
// If the store blocks, it waits about 10 s longer. With a [Server.Bus] it then publishes the remaining notices and
// unsubscribes, for at most CloseGrace. Without tasks and a Bus it returns at once.
//
// The error is nil if every task has ended by itself and its end is stored, or is durable and was left to another
// process. Otherwise it wraps the cause of ctx, [ErrNotStored], or both.
func (s *Server) Shutdown(ctx context.Context) error {
	c := s.core()
	err := c.tasks.Shutdown(ctx)
	c.notices.Close(c.limits.CloseGrace) // last: until then tasks publish and receive notices
	return err
}

// tasksExtension identifies the extension for tasks from revision 2026-07-28 on.
const tasksExtension = "io.modelcontextprotocol/tasks"

// hasTasks reports whether this server offers tasks to clients of revision v.
func (c *core) hasTasks(v wire.Version) bool {
	return (v.Has(wire.CoreTasks) || v.Has(wire.PerRequest)) && (c.taskStore || c.catalog().tasks)
}

// asTask makes the call one that is or may become a task, if it should.
func (r *request) asTask(c *call) *wireError {
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
	case wished == nil, !r.from.hasTasks(r.version):
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
	c.own()
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

// appendRelated appends the _meta of a message that the call sends, if the call is a task of a revision that requires
// it.
func (c *call) appendRelated(dst []byte) []byte {
	run := c.extras().run
	if run == nil || c.version.Has(wire.PerRequest) {
		return dst
	}
	dst = append(rawjson.AppendName(dst, "_meta"), '{')
	return append(append(dst, wire.RelatedTask(run.task.Record().ID)...), '}')
}
