package runtime

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// ErrExpired is the cause that ends the context of a task whose record no longer exists, usually because its TTL has
// passed: see [mcptool.TaskTTL].
var ErrExpired = errors.New("the task took longer than it may")

var (
	errManyTasks = errors.New("too many tasks are running")
	errTasksShut = errors.New("the server is shutting down")

	errRunsAlready = errors.New("the queue has given the same run twice")
)

// tasks is the tasks of a server: their store, and the runs in this process.
type tasks struct {
	store  *endStore
	queue  *checkedStore // nil if the store is not a queue; then no task is durable
	owner  string        // identifies this server to other users of the queue
	limits TaskLimits
	log    *slog.Logger

	shutting context.Context // ends when Shutdown begins, while mu is held; then no task begins any more
	shut     context.CancelFunc

	mu      sync.Mutex
	running map[*taskRun]struct{}
	owned   map[Caller]int // number of running tasks of each caller
	idle    chan struct{}  // closed when no task is running; created by Shutdown
	claims  claims
	unfit   map[string]unfit // by id of the task
	noQueue sync.Once        // of the warning that there is no queue
}

func newTasks(store task.Store, limits *limits, log *slog.Logger) *tasks {
	if store == nil {
		store = struct{ task.Store }{task.NewMemory(task.MemoryLimits{})} // private to this process, so no leases
	}
	checked := newCheckedStore(store, log, limits.MaxTextBytes)
	ts := &tasks{
		store: newEndStore(checked, log), owner: rand.Text(), limits: limits.Tasks, log: log,
		running: map[*taskRun]struct{}{}, owned: map[Caller]int{}, unfit: map[string]unfit{},
	}
	if checked.queue != nil {
		ts.queue = checked
	}
	ts.shutting, ts.shut = context.WithCancel(context.Background())
	return ts
}

// enter adds a task run, within the limits.
func (ts *tasks) enter(run *taskRun) error {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	who := run.call.access.Caller()
	all, own := ts.store.count(run.call.access.principal()) // counting ends in memory bounds their number
	switch {
	case ts.shutting.Err() != nil:
		return errTasksShut
	case len(ts.running)+all >= ts.limits.MaxRunning, ts.owned[who]+own >= ts.limits.MaxRunningPerCaller:
		return errManyTasks
	}
	ts.running[run] = struct{}{}
	ts.owned[who]++
	return nil
}

// enterAgain adds another run of a durable task. The limit of its caller does not apply, because the task was accepted
// when it was created.
func (ts *tasks) enterAgain(run *taskRun) error {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.shutting.Err() != nil {
		return errTasksShut
	}
	for other := range ts.running {
		if other.id == run.created.ID && epochOf(&other.created) >= epochOf(&run.created) {
			return errRunsAlready
		}
	}
	ts.running[run] = struct{}{}
	ts.owned[run.call.access.Caller()]++
	return nil
}

// retract deletes a record that may have been stored although Create has failed: no client knows the task, and a
// durable one would be run.
func (ts *tasks) retract(ctx context.Context, id string, failed error) {
	if errors.Is(failed, task.ErrExists) || errors.Is(failed, task.ErrFull) || errors.Is(failed, task.ErrInvalid) {
		return
	}
	const most = time.Second // the client waits for its answer
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	defer cancel()
	_ = ts.store.Delete(ctx, id) // otherwise its TTL ends it
}

// leave removes a task run.
func (ts *tasks) leave(run *taskRun) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	delete(ts.running, run)
	who := run.call.access.Caller()
	if ts.owned[who]--; ts.owned[who] == 0 {
		delete(ts.owned, who)
	}
	ts.checkIdle()
}

// checkIdle notifies Shutdown when no task is running. The caller holds ts.mu.
func (ts *tasks) checkIdle() {
	if ts.idle != nil && len(ts.running) == 0 {
		close(ts.idle)
		ts.idle = nil
	}
}

// find returns the run of a task in this process; nil if there is none.
func (ts *tasks) find(id string) *taskRun {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for run := range ts.running {
		if run.id == id {
			return run
		}
	}
	return nil
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
	ts := c.tasks
	ts.mu.Lock()
	ts.shut()
	idle := make(chan struct{})
	if ts.idle != nil {
		idle = ts.idle // another call is already waiting
	}
	ts.idle = idle
	ts.checkIdle()
	ts.mu.Unlock()
	ts.endClaiming(c.limits.CloseGrace)
	var err error
	select {
	case <-idle:
	case <-ctx.Done():
		err = c.stopTasks(ctx, idle)
	}
	err = errors.Join(err, ts.store.close(c.limits.CloseGrace))
	c.notices.Close(c.limits.CloseGrace) // last: until then tasks publish and receive notices
	return err
}

// stopTasks cancels the running tasks, and waits for a limited time until none is running. It returns the cause of ctx,
// which has ended, unless all of them continue in another process.
func (c *core) stopTasks(ctx context.Context, idle <-chan struct{}) error {
	ts := c.tasks
	ts.store.stop() // each end now gets one attempt, and each unstored one another
	var err error
	for _, run := range ts.all() {
		if !run.goesOn() {
			err = context.Cause(ctx)
		}
		run.call.end(ErrShutdown)
	}
	if wait(idle, c.limits.CloseGrace) {
		return err
	}
	left := ts.all()
	c.log.LogAttrs(ctx, slog.LevelError, "tools ignore that their tasks were cancelled", slog.Int("tasks", len(left)))
	var abandoned sync.WaitGroup
	for _, run := range left {
		abandoned.Go(run.abandon)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		abandoned.Wait()
	}()
	if !wait(done, storeTime) {
		ts.store.giveUp()
		wait(done, c.limits.CloseGrace)
	}
	return context.Cause(ctx)
}

// all returns all task runs.
func (ts *tasks) all() []*taskRun {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	all := make([]*taskRun, 0, len(ts.running))
	for run := range ts.running {
		all = append(all, run)
	}
	return all
}
