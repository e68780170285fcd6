package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/connection"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/task"
)

// taskRun is the run of a call that is a task, or may become one. It has its own goroutine; the goroutine that runs
// the call waits only until the call is a task. It implements [taskengine.Call].
type taskRun struct {
	call *call
	// atOnce means that the call is a task from the start; otherwise it becomes one when it takes long.
	atOnce bool
	ttl    time.Duration
	done   chan struct{} // closed when the tool has returned
	// again means that it is not the first run of the task: the client is not connected.
	again bool
	// named is closed when the answer with the id of the task has been sent to a legacy client; nil if it has been sent
	// before the tool runs.
	named <-chan struct{}

	// release prevents the call from ending with its request, and reports whether it was in time; set before the tool runs.
	release func() bool

	mu      sync.Mutex
	task    taskengine.Run // nil until the call is a task; read without mu if the call certainly is one
	over    bool           // the tool has returned
	message string         // of the last progress report
}

// interval returns how long clients should wait between two polls.
func (t *taskRun) interval() time.Duration {
	return positive(internals.Settings(t.call.tool).PollInterval, t.call.from.limits.Tasks.PollInterval)
}

// attend runs the call. It returns when the call has ended or has become a task.
func (t *taskRun) attend() {
	c := t.call
	t.release = c.from.afterEnd(c.end)
	if t.atOnce {
		if err := t.promote(); err != nil {
			t.release()
			c.refuseTask(err)
			return
		}
		t.Begin()
		return
	}
	s := c.from
	t.Begin()
	timer := time.NewTimer(s.limits.Tasks.Delay)
	defer timer.Stop()
	select {
	case <-t.done:
		return
	case <-timer.C:
	}
	if err := t.promote(); err != nil {
		if !errors.Is(err, errNoTask) {
			s.log.LogAttrs(s.ctx, slog.LevelWarn, "call did not become a task", c.attr(), slog.Any("error", err))
		}
		<-t.done // the client waits for the result, as it would without tasks
	}
}

// refuseTask answers a call that must be a task but cannot become one.
func (c *call) refuseTask(err error) {
	if errors.Is(err, errNoTask) {
		c.fail(ErrShutdown)
		return
	}
	text := err.Error()
	switch {
	case errors.Is(err, taskengine.ErrTooMany), errors.Is(err, taskengine.ErrClosed):
	case errors.Is(err, task.ErrFull):
		text = task.ErrFull.Error()
		c.from.log.LogAttrs(c, slog.LevelWarn, "task cannot be stored", c.attr(), slog.Any("error", err))
	default:
		text = "the task cannot be stored" + hide(c, []slog.Attr{slog.Any("error", err)})
	}
	c.refuse(internalError(text), observe.OutcomeRefused)
}

// errNoTask means that a call can no longer become a task.
var errNoTask = errors.New("the call has ended or has sent a request to the client")

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
	durable, err := t.durable(known)
	if err != nil {
		return err
	}
	run, err := c.from.tasks.Create(t, task.Record{
		Owner: c.access.owner(), Tool: c.name(), Revision: c.version.String(), Message: t.message,
		TTL: t.ttl, PollInterval: t.interval(), Durable: durable,
	})
	if err != nil {
		return err
	}
	if !t.release() || c.Err() != nil { // too late: the client will not get the task
		return cmp.Or(run.Discard(), errNoTask)
	}
	t.task = run
	message := c.op.Load()
	if message != nil {
		op := &observation{Operation: message.Operation, from: message.from, access: message.access, call: c}
		op.Kind = observe.KindTask
		c.op.Store(c.from.begin(message.ctx, op))
	}
	run.Begin()
	t.answer(run.Record(), message)
	return nil
}

// hasAsked reports whether the run has pending requests to the client, with which it will end. The caller holds t.mu.
func (t *taskRun) hasAsked() bool {
	run := t.call.extras().asking.Load()
	if run == nil {
		return false
	}
	_, pending := run.End()
	return len(pending) > 0
}

// answer answers the request with the task. A legacy task continues to send messages, independent of the request; a
// modern client polls. Message is the operation of the request; nil if there is none.
func (t *taskRun) answer(r *task.Record, message *observation) {
	c := t.call
	defer c.contain() // the task exists even if the answer fails
	s := c.from
	c.from.peer.discharge(c)
	wire.Compose(func(msg []byte) {
		defer message.end(observe.OutcomeTask, nil, len(msg))
		if c.version.Has(wire.PerRequest) {
			s.sent(c.out.Replace(nil, msg, engine.End{}))
			return
		}
		named := make(chan struct{})
		t.named = named
		s.sent(c.out.Replace(taskWriter{run: t}, msg, engine.End{EndExtra: &engine.EndExtra{Written: func() { close(named) }}}))
	}, func(dst []byte) []byte {
		return wire.EndResponse(s.appendCreated(wire.BeginResult(dst, c.id), r, c.version))
	})
}

// Begin implements [taskengine.Call]. It runs the tool. The task run holds the memory of the arguments, which it needs longer
// than the call is in flight.
func (t *taskRun) Begin() { go t.work(t.Hold()) }

// Hold implements [taskengine.Call].
func (t *taskRun) Hold() (drop func()) {
	memory := t.call.extras().reserved
	if !memory.Hold() {
		return func() {}
	}
	return memory.Release
}

// work runs the tool; it is the body of the goroutine of the task run. Drop drops the memory of the arguments.
func (t *taskRun) work(drop func()) {
	defer close(t.done)
	defer t.call.release() // bytes that were reserved while it was not in flight
	defer drop()
	defer t.call.contain()
	err := errGoexit
	var result []byte
	defer func() { // also if the tool ends its goroutine
		if v := recover(); v != nil { // a bug of this module: panics of the tool are recovered elsewhere
			err = &mcptool.PanicError{Tool: t.call.name(), Value: v, Stack: debug.Stack()}
		}
		t.settle(result, err)
	}()
	result, err = t.call.render(t.call, nil)
}

// settle handles the result of the tool.
func (t *taskRun) settle(result []byte, err error) {
	c := t.call
	t.mu.Lock()
	t.over = true
	isTask := t.task != nil
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
		wire.Compose(func(msg []byte) { c.answer(msg, outcomeOf(c, nil), nil) }, func(dst []byte) []byte {
			return wire.EndResponse(append(wire.BeginResult(dst, c.id), result...))
		})
	}
}

// finish stores the end of the task, and ends the call.
func (t *taskRun) finish(result []byte, err error) {
	defer t.task.Leave()
	t.store(result, err)
	t.call.end(nil)
}

// outOfTime ends the task because its tool has timed out. It reports whether the call is a task. The task counts as
// running until the tool has returned.
func (t *taskRun) outOfTime() bool {
	if t.begun() == nil {
		return false
	}
	t.store(nil, t.call.timeout())
	return true
}

// begun returns the task; nil if the call is not one, or not yet.
func (t *taskRun) begun() taskengine.Run {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.task
}

// isTask implements [runner], like the methods below.
func (t *taskRun) isTask() bool { return t.begun() != nil }

// id does not lock t.mu: messages of the call are sent while that is held.
func (t *taskRun) id() string    { return t.task.Record().ID }
func (t *taskRun) isAgain() bool { return t.again }

// report records a progress report of the tool as the message of the task.
func (t *taskRun) report(done, total float64, message string) {
	switch {
	case message != "":
	case total > 0:
		message = fmt.Sprintf("%g of %g", done, total)
	default:
		message = fmt.Sprintf("%g", done)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	t.message = wire.Cut(wire.OneLine(message, t.call.from.limits.MaxTextBytes), t.call.from.limits.MaxTextBytes)
	if t.task != nil {
		t.task.Report(t.message, t.interval())
	}
}

// ask sends requests to the client of a task run. Once the run is a task, the tool waits for the answers: a legacy
// client gets requests, and a modern one finds them in the task and answers them with tasks/update. Before that,
// requests are sent as in any other call.
func (t *taskRun) ask(ctx context.Context, r *clientRequests) ([]json.RawMessage, error) {
	c := t.call
	t.mu.Lock()
	if t.task == nil && c.version.Has(wire.PerRequest) { // a pending request keeps the call from becoming a task
		defer t.mu.Unlock()
		return r.askLater()
	}
	t.mu.Unlock()
	if err := t.awaitName(ctx); err != nil {
		return nil, err
	}
	answers, keys, err := r.recall()
	if err == nil { // an answer may have come with the call
		if failed := t.task.SyncLog(c.extras().asking.Load()); failed != nil {
			return nil, t.task.Gone(failed)
		}
	}
	if !errors.Is(err, mcptool.ErrAnswerPending) {
		return answers, err
	}
	defer c.memory().Settle(keys)
	if t.again && !c.version.Has(wire.PerRequest) {
		return nil, connection.ErrUnreachable // the connection of the client has ended with the first run
	}
	open, unanswered := taskengine.Questions{Log: c.memory()}, []wire.ClientRequest(nil)
	for i, answer := range answers {
		if answer == nil {
			open.Keys, open.Requests = append(open.Keys, keys[i]), append(open.Requests, r.sent[i].Append(nil))
			unanswered = append(unanswered, r.sent[i])
		}
	}
	if !c.version.Has(wire.PerRequest) {
		open.Send = func(ctx context.Context) ([]json.RawMessage, error) { return askNow(ctx, c, unanswered) }
	}
	c.extras().use.suspend(c)
	got, err := t.task.Ask(ctx, &open)
	c.extras().use.resume(c) //nolint:contextcheck // c is the context of the call
	if err != nil {
		return nil, err
	}
	for i := range answers {
		if answers[i] == nil {
			answers[i], got = got[0], got[1:]
		}
	}
	return answers, nil
}

// awaitName waits until the client can know the task, because it may reject a request of an unknown task.
func (t *taskRun) awaitName(ctx context.Context) error {
	if t.named == nil {
		return nil
	}
	select {
	case <-t.named:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-t.call.Done():
		return t.call.Err()
	}
}

// Context implements [taskengine.Call], like the methods below.
func (t *taskRun) Context() context.Context { return t.call }

func (t *taskRun) End(cause error)          { t.call.end(cause) }
func (t *taskRun) Caller() admission.Caller { return t.call.access.caller() }
func (t *taskRun) Attr() slog.Attr          { return t.call.attr() }
func (t *taskRun) RequestID() string        { return string(t.call.id) }
func (t *taskRun) Stopped()                 { t.call.op.Load().end(observe.OutcomeStopped, nil, 0) }

// Announce sends the status to a legacy client.
func (t *taskRun) Announce(r task.Record) {
	c := t.call
	if c.version.Has(wire.PerRequest) || c.from.ctx.Err() != nil {
		return
	}
	wire.Compose(func(msg []byte) { c.from.peer.send(msg) }, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{`...)
		return append(wire.AppendTask(dst, &r, c.version), `}}`...)
	})
}

// Cancelled ends the task because its record has ended. It sends no more messages.
func (t *taskRun) Cancelled(r task.Record) {
	c := t.call
	c.out.Close()
	c.end(ErrCancelled)
	if r.Status == task.StatusCancelled {
		c.op.Load().end(observe.OutcomeCancelled, nil, 0)
		t.task.Announce(&r)
	}
}
