package runtime

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/task"
)

// job is the running of a call that is a task, or may become one. It has a goroutine of its own;
// the one that the session runs calls with waits no longer than until there is a task.
type job struct {
	call  *call
	tasks *tasks
	// atOnce says that the call is a task from the start; otherwise it becomes one when it
	// takes long.
	atOnce bool
	ttl    time.Duration
	done   chan struct{} // closed when the tool has returned
	// named is closed when a client of the handshake era has been sent the answer that names the task;
	// nil if it has been when the tool is run.
	named <-chan struct{}

	claimed   atomic.Bool   // its end is being stored, or has been
	concluded chan struct{} // closed when that has been done
	created   task.Record   // as it was stored first; written before there is a task

	mu      sync.Mutex
	release func() bool   // undoes tie
	over    bool          // the tool has returned
	id      string        // of the task, "" while there is none; read without mu by who knows there is one
	message string        // what the tool said last of its progress
	stored  string        // of that, what the store knows
	told    time.Time     // when it was stored
	timer   *time.Timer   // stores message when the interval has passed
	results []*taskResult // the tasks/result that wait for this one
	ended   sync.Once     // it was said that the task has ended
}

// interval is how long clients should wait between two looks.
func (j *job) interval() time.Duration {
	return positive(j.call.tool.Task().PollInterval, j.tasks.limits.PollInterval)
}

// attend runs the call. It returns when that has ended, or has become a task.
func (j *job) attend() {
	c := j.call
	if j.atOnce {
		if err := j.promote(); err != nil {
			j.untie()
			c.refuseTask(err)
			return
		}
		j.begin()
		return
	}
	s := c.session
	j.begin()
	timer := time.NewTimer(j.tasks.limits.Delay)
	defer timer.Stop()
	select {
	case <-j.done:
		return
	case <-timer.C:
	}
	if err := j.promote(); err != nil {
		if !errors.Is(err, errNoTask) {
			s.log.LogAttrs(s.ctx, slog.LevelWarn, "call does not become a task", c.attr(), slog.Any("error", err))
		}
		<-j.done // the client waits for the result, as it would without tasks
	}
}

// tie has the call end with its request, until it is a task.
func (j *job) tie() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tieLocked()
}

// tieLocked is tie for who holds j.mu.
func (j *job) tieLocked() {
	c, s := j.call, j.call.session
	if s.endpoint == nil {
		j.release = context.AfterFunc(s.ctx, func() { c.end(context.Cause(s.ctx)) })
		return
	}
	gone := context.AfterFunc(s.ctx, func() { c.end(ErrDisconnected) })
	closed := context.AfterFunc(s.endpoint.closing, func() { c.end(ErrShutdown) })
	j.release = func() bool {
		untied := gone()
		return closed() && untied
	}
}

// untie undoes tie.
func (j *job) untie() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.release()
}

// refuseTask answers a call that must be a task and cannot.
func (c *call) refuseTask(err error) {
	if errors.Is(err, errNoTask) {
		c.fail(ErrShutdown)
		return
	}
	text := err.Error()
	if !errors.Is(err, errManyTasks) && !errors.Is(err, errTasksShut) && !errors.Is(err, task.ErrFull) {
		text = "the task cannot be stored" + c.session.hide(c, []slog.Attr{slog.Any("error", err)})
	}
	e := &wireError{code: codeInternal, message: text}
	compose(func(msg []byte) { c.answer(msg, Served, outcomeRefused) }, func(dst []byte) []byte { return appendError(dst, c.id, e) })
}

// errNoTask says that a call is not to become a task after all.
var errNoTask = errors.New("the call has ended, or has asked something")

// promote makes the call a task: it stores it, and then answers the request with it.
func (j *job) promote() error {
	c := j.call
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.over || j.hasAsked() || c.Err() != nil {
		return errNoTask
	}
	if err := j.tasks.enter(j); err != nil {
		return err
	}
	now := time.Now().UTC()
	r := task.Record{
		ID: task.NewID(), Principal: c.access.principal(), Tool: c.tool.Name(), Revision: c.version.String(), Status: task.Working, Message: j.message,
		Created: now, Updated: now, TTL: j.ttl, PollInterval: j.interval(), Version: 1,
	}
	ctx, cancel := context.WithTimeout(c, storeTime)
	defer cancel()
	if err := j.tasks.store.Create(ctx, r); err != nil {
		j.tasks.leave(j)
		return err
	}
	if !j.release() || c.Err() != nil { // too late: nobody will hear of the task
		j.tasks.leave(j)
		return cmp.Or(j.tasks.store.Delete(context.WithoutCancel(ctx), r.ID), errNoTask)
	}
	j.created = r
	j.setID(r.ID)
	if j.stored = j.message; j.stored != "" {
		j.told = now
	}
	go j.watch()
	c.becomes(&r)
	j.log("task begins", &r)
	return nil
}

// setID is where find looks for the id, too. The caller holds j.mu.
func (j *job) setID(id string) {
	j.tasks.mu.Lock()
	defer j.tasks.mu.Unlock()
	j.id = id
}

// hasAsked reports whether the run of the call has left questions, and will end with them. The
// caller holds j.mu.
func (j *job) hasAsked() bool {
	run := j.call.has().asking.Load()
	if run == nil {
		return false
	}
	_, pending := run.End()
	return len(pending) > 0
}

// becomes answers the request with the task. What a task of the handshake era has to say goes on
// being sent, beside the request; of a later one the client learns by asking.
func (c *call) becomes(r *task.Record) {
	defer c.contain() // there is a task, whatever becomes of the answer
	s := c.session
	c.discharge()
	compose(func(msg []byte) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.mute() {
			return // it was cancelled just now
		}
		to := c.to
		c.to = taskStream{c.has().job} // first: the transport may panic
		if c.version.has(perRequest) {
			c.has().progress.stop()
			c.over = true
		} else {
			c.has().job.named = written(to)
		}
		to.reply(msg, Served)
	}, func(dst []byte) []byte { return endResponse(s.appendCreated(beginResult(dst, c.id), r, c.version)) })
}

// log notes the beginning or the end of a task. The id is a secret between us and the client.
func (j *job) log(what string, r *task.Record) {
	c := j.call
	j.tasks.log.LogAttrs(c, slog.LevelInfo, what, c.attr(), slog.String("principal", r.Principal),
		slog.String("request_id", string(c.id)), slog.String("status", string(r.Status)), slog.Duration("age", time.Since(r.Created)))
}

// begin has the tool run. It holds the memory of the arguments, which it needs longer than the call is in flight.
func (j *job) begin() {
	j.call.has().memory.hold()
	go j.work()
}

// work runs the tool; it is the body of the goroutine of the job.
func (j *job) work() {
	defer close(j.done)
	defer j.call.has().memory.drop()
	defer j.call.contain()
	err := errGoexit
	var result []byte
	defer func() { j.settle(result, err) }() // also when the tool ends its goroutine
	result, err = j.call.outcome()
}

// outcome runs the tool and returns the result object.
func (c *call) outcome() (result []byte, err error) {
	defer func() {
		// The tool contains its panics; this one is ours.
		if v := recover(); v != nil {
			err = &mcptool.PanicError{Tool: c.name(), Value: v, Stack: debug.Stack()}
		}
	}()
	return c.appendResult(nil)
}

// settle takes what came of the call.
func (j *job) settle(result []byte, err error) {
	c := j.call
	j.mu.Lock()
	j.over = true
	if j.timer != nil {
		j.timer.Stop()
	}
	isTask := j.id != ""
	if !isTask {
		j.release()
	}
	j.mu.Unlock()
	switch {
	case isTask:
		j.finish(result, err)
	case c.asks(err):
	case err != nil:
		c.fail(err)
	default:
		compose(func(msg []byte) { c.answer(msg, Served, c.succeeded()) }, func(dst []byte) []byte {
			return endResponse(append(beginResult(dst, c.id), result...))
		})
	}
}

// finish stores how the task has ended, and ends the call.
func (j *job) finish(result []byte, err error) {
	defer j.tasks.leave(j)
	j.store(result, err)
	j.call.end(nil)
}

// outOfTime ends the task because its tool runs longer than it may; it reports whether there is a
// task. It goes on counting among those that run until the tool has returned.
func (j *job) outOfTime() bool {
	if !j.isTask() {
		return false
	}
	j.store(nil, j.call.limit())
	return true
}

// isTask reports whether there is a task.
func (j *job) isTask() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.id != ""
}
