package runtime

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// taskRun is the run of a call that is a task, or may become one. It has its own goroutine; the goroutine of the
// session that runs the call waits only until the call is a task.
type taskRun struct {
	call  *call
	tasks *tasks
	// atOnce means that the call is a task from the start; otherwise it becomes one when it takes long.
	atOnce bool
	ttl    time.Duration
	done   chan struct{} // closed when the tool has returned
	// again means that it is not the first run of the task: the client is not connected.
	again bool
	// named is closed when the answer with the id of the task has been sent to a legacy client; nil if it has been sent
	// before the tool runs.
	named <-chan struct{}

	claimed   atomic.Bool   // the end is being stored, or has been stored
	concluded chan struct{} // closed when the end has been stored
	created   task.Record   // the first record; set before the call is a task

	mu      sync.Mutex
	release func() bool   // undoes tie
	over    bool          // the tool has returned
	id      string        // of the task; "" before; read without mu if the call certainly is a task
	message string        // of the last progress report
	stored  string        // the message in the record
	told    time.Time     // when it was stored
	timer   *time.Timer   // stores message when the interval is over
	results []*taskResult // the tasks/result requests that wait for the task
	ended   sync.Once     // the end was announced
}

// interval returns how long clients should wait between two polls.
func (t *taskRun) interval() time.Duration {
	return positive(t.call.tool.Task().PollInterval, t.tasks.limits.PollInterval)
}

// attend runs the call. It returns when the call has ended or has become a task.
func (t *taskRun) attend() {
	c := t.call
	if t.atOnce {
		if err := t.promote(); err != nil {
			t.untie()
			c.refuseTask(err)
			return
		}
		t.begin()
		return
	}
	s := c.from
	t.begin()
	timer := time.NewTimer(t.tasks.limits.Delay)
	defer timer.Stop()
	select {
	case <-t.done:
		return
	case <-timer.C:
	}
	if err := t.promote(); err != nil {
		if !errors.Is(err, errNoTask) {
			s.log.LogAttrs(s.ctx, slog.LevelWarn, "call does not become a task", c.attr(), slog.Any("error", err))
		}
		<-t.done // the client waits for the result, as it would without tasks
		return
	}
}

// tie makes the call end with its request, until it is a task.
func (t *taskRun) tie() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tieLocked()
}

// tieLocked is tie for a caller that holds t.mu.
func (t *taskRun) tieLocked() {
	t.release = t.call.from.afterEnd(t.call.end)
}

// untie undoes tie.
func (t *taskRun) untie() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.release()
}

// refuseTask answers a call that must be a task but cannot become one.
func (c *call) refuseTask(err error) {
	if errors.Is(err, errNoTask) {
		c.fail(ErrShutdown)
		return
	}
	text := err.Error()
	switch {
	case errors.Is(err, errManyTasks), errors.Is(err, errTasksShut):
	case errors.Is(err, task.ErrFull):
		text = task.ErrFull.Error()
		c.from.log.LogAttrs(c, slog.LevelWarn, "task cannot be stored", c.attr(), slog.Any("error", err))
	default:
		text = "the task cannot be stored" + hide(c, []slog.Attr{slog.Any("error", err)})
	}
	e := internalError(text)
	wire.Compose(func(msg []byte) { c.answer(msg, Served, outcomeRefused) }, func(dst []byte) []byte { return e.AppendResponse(dst, c.id) })
}

// errNoTask means that a call can no longer become a task.
var errNoTask = errors.New("the call has ended, or has asked something")

// promote makes the call a task: it stores the record, and then answers the request with the task. Meanwhile no value
// of Once is returned to the tool: the record contains the values from before, and later ones are stored in it.
func (t *taskRun) promote() error {
	if !t.isDurable() {
		return t.create(replay.Log{})
	}
	return t.call.memory().Commit(func(*replay.Log) {}, t.create)
}

// create is promote, with the log of the run so far.
func (t *taskRun) create(known replay.Log) error {
	c := t.call
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || t.hasAsked() || c.Err() != nil {
		return errNoTask
	}
	if err := t.tasks.enter(t); err != nil {
		return err
	}
	began := time.Now()
	now := began.UTC()
	durable, err := t.durable(known)
	if err != nil {
		t.tasks.leave(t)
		return err
	}
	r := task.Record{
		ID: rand.Text(), Principal: c.access.principal(), Tool: c.tool.Name(), Revision: c.version.String(), Status: task.Working, Message: t.message,
		Created: now, Updated: now, TTL: t.ttl, PollInterval: t.interval(), Durable: durable, Version: 1,
	}
	if err := t.tasks.store.Create(c, r); err != nil {
		t.tasks.leave(t)
		t.tasks.retract(c, r.ID, err)
		return err
	}
	if !t.release() || c.Err() != nil { // too late: the client will not get the task
		t.tasks.leave(t)
		return cmp.Or(t.tasks.store.Delete(context.WithoutCancel(c), r.ID), errNoTask)
	}
	t.created = r
	t.setID(r.ID)
	if t.stored = t.message; t.stored != "" {
		t.told = now
	}
	go t.watch()
	if durable != nil {
		go t.renewLease(lease{queue: t.tasks.queue, id: r.ID, epoch: durable.Epoch, until: began.Add(t.tasks.queue.LeaseTime())})
	}
	c.becomes(&r)
	t.log("task begins", &r)
	return nil
}

// setID sets the id, which find reads. The caller holds t.mu.
func (t *taskRun) setID(id string) {
	t.tasks.mu.Lock()
	defer t.tasks.mu.Unlock()
	t.id = id
}

// hasAsked reports whether the run has pending requests to the client, with which it will end. The caller holds t.mu.
func (t *taskRun) hasAsked() bool {
	run := t.call.extras().questions()
	if run == nil {
		return false
	}
	_, pending := run.End()
	return len(pending) > 0
}

// becomes answers the request with the task. A legacy task continues to send messages, independent of the request; a
// modern client polls.
func (c *call) becomes(r *task.Record) {
	defer c.contain() // the task exists even if the answer fails
	s := c.from
	c.from.peer.discharge(c)
	wire.Compose(func(msg []byte) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.mute() {
			return // it was cancelled meanwhile
		}
		to := c.redirect(taskStream{c.extras().taskRun()}) // first: the transport may panic
		if c.version.Has(wire.PerRequest) {
			c.extras().progress().stop()
			c.over = true
		} else {
			c.extras().taskRun().named = written(to)
		}
		to.reply(msg, Served)
	}, func(dst []byte) []byte {
		return wire.EndResponse(s.appendCreated(wire.BeginResult(dst, c.id), r, c.version))
	})
}

// log logs the beginning or the end of a task, without the id, which is a secret between server and client.
func (t *taskRun) log(what string, r *task.Record) {
	c := t.call
	t.tasks.log.LogAttrs(c, slog.LevelInfo, what, c.attr(), slog.String("principal", r.Principal),
		slog.String("request_id", string(c.id)), slog.String("status", string(r.Status)), slog.Duration("age", time.Since(r.Created)))
}

// begin runs the tool. The task run holds the memory of the arguments, which it needs longer than the call is in
// flight.
func (t *taskRun) begin() {
	t.call.extras().reservation().hold()
	go t.work()
}

// work runs the tool; it is the body of the goroutine of the task run.
func (t *taskRun) work() {
	defer close(t.done)
	defer t.call.release() // bytes that were reserved after the call had become a task
	defer t.call.extras().reservation().drop()
	defer t.call.contain()
	err := errGoexit
	var result []byte
	defer func() { t.settle(result, err) }() // also if the tool ends its goroutine
	result, err = t.call.outcome()
}

// outcome runs the tool and returns the result object.
func (c *call) outcome() (result []byte, err error) {
	defer func() {
		// Panics of the tool are recovered elsewhere; this is a bug of this module.
		if v := recover(); v != nil {
			err = &mcptool.PanicError{Tool: c.name(), Value: v, Stack: debug.Stack()}
		}
	}()
	return c.render(c, nil)
}

// settle handles the result of the tool.
func (t *taskRun) settle(result []byte, err error) {
	c := t.call
	t.mu.Lock()
	t.over = true
	if t.timer != nil {
		t.timer.Stop()
	}
	isTask := t.id != ""
	if !isTask {
		t.release()
	}
	t.mu.Unlock()
	switch {
	case isTask:
		t.finish(result, err)
	case c.asks(err):
	case err != nil:
		c.fail(err)
	default:
		wire.Compose(func(msg []byte) { c.answer(msg, Served, outcomeOf(c, nil)) }, func(dst []byte) []byte {
			return wire.EndResponse(append(wire.BeginResult(dst, c.id), result...))
		})
	}
}

// finish stores the end of the task, and ends the call.
func (t *taskRun) finish(result []byte, err error) {
	defer t.tasks.leave(t)
	t.store(result, err)
	t.call.end(nil)
	if t.again { // it is not in flight
		t.call.release()
	}
}

// outOfTime ends the task because its tool has timed out. It reports whether the call is a task. The task counts as
// running until the tool has returned.
func (t *taskRun) outOfTime() bool {
	if !t.isTask() {
		return false
	}
	t.store(nil, t.call.timeout())
	return true
}

// isTask reports whether the call is a task.
func (t *taskRun) isTask() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id != ""
}
