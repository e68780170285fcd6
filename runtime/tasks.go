package runtime

import (
	"context"
	"log/slog"

	"github.com/mcptool-go/mcptool/runtime/internal/tasks"
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
		MaxText: limits.MaxTextBytes, MaxJournal: limits.MaxResultBytes,
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
	err := c.tasks.Shutdown(ctx, c.limits.CloseGrace)
	c.notices.Close(c.limits.CloseGrace) // last: until then tasks publish and receive notices
	return err
}

// findTask returns the run of a task in this process; nil if there is none.
func (c *core) findTask(id string) *taskRun {
	run, _ := c.tasks.Find(id).(*taskRun)
	return run
}
