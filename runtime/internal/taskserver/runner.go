package taskserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/connection"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/tasks"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/task"
)

// runner runs a call that is a task, or may become one. It has its own goroutine; the goroutine that runs
// the call waits only until the call is a task. It implements [tasks.Call] and [taskengine.Runner].
type runner struct {
	engine *Engine
	call   taskengine.Call
	tool   *mcptool.Tool
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
	task    *tasks.Run // nil until the call is a task; read without mu if the call certainly is one
	over    bool       // the tool has returned
	message string     // of the last progress report
}

// isModern reports whether the client of the call finds everything about its task in the record. Legacy clients get messages.
func (r *runner) isModern() bool { return r.call.Version().Has(wire.PerRequest) }

// isDurable reports whether the call, if it is or becomes a task, can be run again.
func (r *runner) isDurable() bool {
	return r.engine.HasQueue() && internals.Settings(r.tool).Durable
}

// interval returns how long clients should wait between two polls.
func (r *runner) interval() time.Duration {
	return positive(internals.Settings(r.tool).PollInterval, r.engine.config.PollInterval)
}

// Attend implements [taskengine.Runner].
func (r *runner) Attend() {
	r.release = r.call.FollowRequest()
	if r.atOnce {
		if err := r.promote(); err != nil {
			r.release()
			r.refuse(err)
			return
		}
		r.Begin()
		return
	}
	r.Begin()
	timer := time.NewTimer(r.engine.config.Delay)
	defer timer.Stop()
	select {
	case <-r.done:
		return
	case <-timer.C:
	}
	if err := r.promote(); err != nil {
		if !errors.Is(err, errNoTask) {
			r.log(slog.LevelWarn, "call did not become a task", slog.Any("error", err))
		}
		<-r.done // the client waits for the result, as it would without tasks
	}
}

// log logs something about the call.
func (r *runner) log(level slog.Level, what string, attr slog.Attr) {
	r.engine.config.Log.LogAttrs(r.call, level, what, r.Attr(), attr)
}

// refuse answers a call that must be a task but cannot become one.
func (r *runner) refuse(err error) {
	text := err.Error()
	switch {
	case errors.Is(err, errNoTask):
		r.call.Fail(taskengine.ErrShutdown)
		return
	case errors.Is(err, taskengine.ErrTooMany), errors.Is(err, taskengine.ErrClosed):
	case errors.Is(err, task.ErrFull):
		text = task.ErrFull.Error()
		r.log(slog.LevelWarn, "task cannot be stored", slog.Any("error", err))
	default:
		text = "the task cannot be stored" + r.call.Hide(err)
	}
	r.call.Refuse(text)
}

// errNoTask means that a call can no longer become a task.
var errNoTask = errors.New("the call has ended or has sent a request to the client")

// promote makes the call a task: it stores the record, and then answers the request with the task. Meanwhile no value
// of Once is returned to the tool: the record contains the values from before, and later ones are stored in it.
func (r *runner) promote() error {
	if !r.isDurable() {
		return r.create(replay.Log{})
	}
	return r.call.Memory().Commit(func(*replay.Log) {}, r.create)
}

// create is promote, with the log of the run so far.
func (r *runner) create(known replay.Log) error {
	c := r.call
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || r.hasAsked() || c.Err() != nil {
		return errNoTask
	}
	durable, err := r.durable(known)
	if err != nil {
		return err
	}
	stored, err := r.engine.Create(r, task.Record{
		Owner: c.Owner(), Tool: internals.Settings(r.tool).Name, Revision: c.Version().String(), Message: r.message,
		TTL: r.ttl, PollInterval: r.interval(), Durable: durable,
	})
	if err != nil {
		return err
	}
	if !r.release() || c.Err() != nil { // too late: the client will not get the task
		return cmp.Or(stored.Discard(), errNoTask)
	}
	r.task = stored
	answered := c.BecomeTask()
	stored.Begin()
	r.answer(stored.Record(), answered)
	return nil
}

// hasAsked reports whether the run has pending requests to the client, with which it will end. The caller holds r.mu.
func (r *runner) hasAsked() bool {
	asked := r.call.Asked()
	if asked == nil {
		return false
	}
	_, pending := asked.End()
	return len(pending) > 0
}

// answer answers the request with the task. A legacy task continues to send messages, independent of the request; a
// modern client polls. Answered is called with the size of the response.
func (r *runner) answer(rec *task.Record, answered func(size int)) {
	c := r.call
	defer c.Contain() // the task exists even if the answer fails
	wire.Compose(func(msg []byte) {
		defer answered(len(msg))
		if r.isModern() {
			c.Replace(nil, msg, engine.End{})
			return
		}
		named := make(chan struct{})
		r.named = named
		c.Replace(writer{runner: r}, msg, engine.End{EndExtra: &engine.EndExtra{Written: func() { close(named) }}})
	}, func(dst []byte) []byte {
		return wire.EndResponse(r.appendCreated(wire.BeginResult(dst, []byte(c.RequestID())), rec))
	})
}

// appendCreated appends the result of a call that has become a task.
func (r *runner) appendCreated(dst []byte, rec *task.Record) []byte {
	v := r.call.Version()
	if r.isModern() {
		return r.call.AppendTail(wire.AppendTask(append(dst, '{'), rec, v), []byte(`"task"`), nil)
	}
	dst = append(wire.AppendTask(append(dst, `{"task":{`...), rec, v), '}')
	return r.call.AppendTail(dst, nil, wire.RelatedTask(rec.ID))
}

// Begin implements [tasks.Call]. It runs the tool. The run holds the memory of the arguments, which it needs longer
// than the call is in flight.
func (r *runner) Begin() {
	drop := r.Hold()
	go func() {
		defer close(r.done)
		defer drop()
		r.call.Run(r.settle)
	}()
}

// settle handles the result of the tool.
func (r *runner) settle(result []byte, err error) {
	r.mu.Lock()
	r.over = true
	isTask := r.task != nil
	if !isTask {
		r.release()
	}
	r.mu.Unlock()
	if !isTask {
		r.call.Answer(result, err)
		return
	}
	defer r.task.Leave()
	r.finish(result, err)
	r.call.End(nil)
}

// OutOfTime implements [taskengine.Runner]. The task counts as running until the tool has returned.
func (r *runner) OutOfTime() bool {
	if r.begun() == nil {
		return false
	}
	r.finish(nil, r.call.Timeout())
	return true
}

// begun returns the task; nil if the call is not one, or not yet.
func (r *runner) begun() *tasks.Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.task
}

// IsTask implements [taskengine.Runner], like the methods below.
func (r *runner) IsTask() bool { return r.begun() != nil }

// ID does not lock r.mu: messages of the call are sent while that is held.
func (r *runner) ID() string    { return r.task.Record().ID }
func (r *runner) IsAgain() bool { return r.again }

// Keeper returns keep for a durable task.
func (r *runner) Keeper() func(context.Context, replay.Log) error {
	if !r.isDurable() {
		return nil
	}
	return r.keep
}

// keep stores the log of the run in the record of the task, if there is a record. It is for [replay.Run.StoreWith].
func (r *runner) keep(_ context.Context, log replay.Log) error {
	if stored := r.begun(); stored != nil {
		return stored.StoreLog(log) //nolint:contextcheck // stored even if the tool is cancelled
	}
	return nil // promote will store it
}

// Report records a progress report of the tool as the message of the task.
func (r *runner) Report(done, total float64, message string) {
	switch {
	case message != "":
	case total > 0:
		message = fmt.Sprintf("%g of %g", done, total)
	default:
		message = fmt.Sprintf("%g", done)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	limit := r.engine.config.MaxText
	r.message = wire.Cut(wire.OneLine(message, limit), limit)
	if r.task != nil {
		r.task.Report(r.message, r.interval())
	}
}

// Ask implements [taskengine.Runner]. Once the run is a task, the tool waits for the answers: a legacy client gets requests,
// and a modern one finds them in the task and answers them with tasks/update. Before that, requests are sent as in any other
// call.
func (r *runner) Ask(ctx context.Context, q taskengine.Questions) ([]json.RawMessage, error) {
	c := r.call
	r.mu.Lock()
	if r.task == nil && r.isModern() { // a pending request keeps the call from becoming a task
		defer r.mu.Unlock()
		return q.Later()
	}
	r.mu.Unlock()
	if err := r.awaitName(ctx); err != nil {
		return nil, err
	}
	answers, keys, err := q.Recall()
	if err == nil { // an answer may have come with the call
		if failed := r.task.SyncLog(c.Asked()); failed != nil {
			return nil, r.task.Gone(failed)
		}
	}
	if !errors.Is(err, mcptool.ErrAnswerPending) {
		return answers, err
	}
	defer c.Memory().Settle(keys)
	if r.again && !r.isModern() {
		return nil, connection.ErrUnreachable // the connection of the client has ended with the first run
	}
	open, unanswered := tasks.Questions{Log: c.Memory()}, []wire.ClientRequest(nil)
	for i, request := range q.Requests() {
		if answers[i] == nil {
			open.Keys, open.Requests = append(open.Keys, keys[i]), append(open.Requests, request.Append(nil))
			unanswered = append(unanswered, request)
		}
	}
	if !r.isModern() {
		open.Send = func(ctx context.Context) ([]json.RawMessage, error) { return c.Ask(ctx, unanswered) }
	}
	resume := c.Pause()
	got, err := r.task.Ask(ctx, &open)
	resume()
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
func (r *runner) awaitName(ctx context.Context) error {
	if r.named == nil {
		return nil
	}
	select {
	case <-r.named:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-r.call.Done():
		return r.call.Err()
	}
}

// Context implements [tasks.Call], like the methods below.
func (r *runner) Context() context.Context { return r.call }

func (r *runner) End(cause error)          { r.call.End(cause) }
func (r *runner) Caller() admission.Caller { return r.call.Caller() }
func (r *runner) Attr() slog.Attr          { return slog.String("tool", internals.Settings(r.tool).Name) }
func (r *runner) RequestID() string        { return r.call.RequestID() }
func (r *runner) Hold() (drop func())      { return r.call.Hold() }
func (r *runner) Stopped()                 { r.call.EndTask(observe.OutcomeStopped, 0) }

// Announce sends the status to a legacy client.
func (r *runner) Announce(rec task.Record) {
	if r.isModern() || !r.call.IsConnected() {
		return
	}
	wire.Compose(func(msg []byte) { r.call.Send(msg) }, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{`...)
		return append(wire.AppendTask(dst, &rec, r.call.Version()), `}}`...)
	})
}

// RecordEnded ends the call because the record of the task has ended, usually because the client has cancelled the task. It
// sends no more messages.
func (r *runner) RecordEnded(rec task.Record) {
	r.call.Output().Close()
	r.call.End(taskengine.ErrCancelled)
	if rec.Status == task.StatusCancelled {
		r.call.EndTask(observe.OutcomeCancelled, 0)
		r.task.Announce(&rec)
	}
}
