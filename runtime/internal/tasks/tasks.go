package tasks

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/task"
)

// Errors of [Tasks.Create].
var (
	ErrTooMany = errors.New("too many tasks are running")
	ErrClosed  = errors.New("the server is shutting down")
)

var errRunsAlready = errors.New("the queue has given the same run twice")

// Config configures [New].
type Config struct {
	Store               task.Store // nil means a store in memory
	Log                 *slog.Logger
	MaxRunning          int // number of tasks that run at once
	MaxRunningPerCaller int
	MaxText             int // maximum length of a message in a record from the store, in bytes
	MaxJournal          int // maximum length of the journal of a durable task, in bytes
}

// Tasks is the tasks of a server: their store, and the runs in this process. It is safe for concurrent use.
type Tasks struct {
	// Store is the store, for the requests of clients.
	Store *Store

	config Config
	log    *slog.Logger
	queue  *checkedStore // nil if the store is not a queue; then no task is durable
	owner  string        // identifies this server to other users of the queue

	shutting context.Context // ends when Shutdown begins, while mu is held; then no task begins any more
	shut     context.CancelFunc

	mu      sync.Mutex
	running map[*Run]struct{}
	owned   map[admission.Caller]int // number of running tasks of each caller
	idle    chan struct{}            // closed when no task is running; created by Shutdown
	claims  claims
	unfit   map[string]unfit // by id of the task
	noQueue sync.Once        // see WarnNoQueue
}

// New returns the tasks of a server.
func New(config Config) *Tasks {
	store := config.Store
	if store == nil {
		store = struct{ task.Store }{task.NewMemory(task.MemoryLimits{})} // private to this process, so no leases
	}
	checked := newCheckedStore(store, config.Log, config.MaxText)
	ts := &Tasks{
		Store: newStore(checked, config.Log), config: config, log: config.Log, owner: rand.Text(),
		running: map[*Run]struct{}{}, owned: map[admission.Caller]int{}, unfit: map[string]unfit{},
	}
	if checked.queue != nil {
		ts.queue = checked
	}
	ts.shutting, ts.shut = context.WithCancel(context.Background())
	return ts
}

// HasQueue reports whether the store is a [task.Queue], so that tasks can be durable.
func (ts *Tasks) HasQueue() bool { return ts.queue != nil }

// WarnNoQueue logs, once, that the tasks of a durable tool are not durable because the store is not a queue.
func (ts *Tasks) WarnNoQueue(ctx context.Context, tool slog.Attr) {
	ts.noQueue.Do(func() {
		ts.log.LogAttrs(ctx, slog.LevelWarn, "tasks of a durable tool end with the process: Server.Tasks is no task.Queue", tool)
	})
}

// enter adds a run, within the limits.
func (ts *Tasks) enter(run *Run) error {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	who := run.call.Caller()
	all, own := ts.Store.count(run.created.Principal) // counting ends in memory bounds their number
	switch {
	case ts.shutting.Err() != nil:
		return ErrClosed
	case len(ts.running)+all >= ts.config.MaxRunning, ts.owned[who]+own >= ts.config.MaxRunningPerCaller:
		return ErrTooMany
	}
	ts.running[run] = struct{}{}
	ts.owned[who]++
	return nil
}

// enterAgain adds another run of a durable task. The limit of its caller does not apply, because the task was accepted
// when it was created.
func (ts *Tasks) enterAgain(run *Run) error {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.shutting.Err() != nil {
		return ErrClosed
	}
	for other := range ts.running {
		if other.created.ID == run.created.ID && epochOf(&other.created) >= epochOf(&run.created) {
			return errRunsAlready
		}
	}
	ts.running[run] = struct{}{}
	ts.owned[run.call.Caller()]++
	return nil
}

// leave removes a run.
func (ts *Tasks) leave(run *Run) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	delete(ts.running, run)
	who := run.call.Caller()
	if ts.owned[who]--; ts.owned[who] == 0 {
		delete(ts.owned, who)
	}
	ts.checkIdle()
}

// checkIdle notifies Shutdown when no task is running. The caller holds ts.mu.
func (ts *Tasks) checkIdle() {
	if ts.idle != nil && len(ts.running) == 0 {
		close(ts.idle)
		ts.idle = nil
	}
}

// Find returns the call of the task with this id if it runs in this process, and otherwise nil.
func (ts *Tasks) Find(id string) Call {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for run := range ts.running {
		if run.created.ID == id && run.begun.Load() {
			return run.call
		}
	}
	return nil
}

// all returns all runs.
func (ts *Tasks) all() []*Run {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	all := make([]*Run, 0, len(ts.running))
	for run := range ts.running {
		all = append(all, run)
	}
	return all
}

// Shutdown ends the tasks. From then on no task begins. Durable tasks that wait for their client are left to another
// process at once. Other tasks may continue until ctx ends; then they are cancelled, with the cause [ErrShutdown], and
// have the time grace to end. In the end it tries once more to store the ends of tasks that the store has not accepted,
// for at most grace. The error wraps the cause of ctx if tasks had to be cancelled, and [ErrNotStored] if ends are lost.
func (ts *Tasks) Shutdown(ctx context.Context, grace time.Duration) error {
	ts.mu.Lock()
	ts.shut()
	idle := make(chan struct{})
	if ts.idle != nil {
		idle = ts.idle // another call is already waiting
	}
	ts.idle = idle
	ts.checkIdle()
	ts.mu.Unlock()
	ts.endClaiming(grace)
	var err error
	select {
	case <-idle:
	case <-ctx.Done():
		err = ts.stop(ctx, idle, grace)
	}
	return errors.Join(err, ts.Store.close(grace))
}

// stop cancels the running tasks, and waits for a limited time until none is running. It returns the cause of ctx, which
// has ended, unless all of them continue in another process.
func (ts *Tasks) stop(ctx context.Context, idle <-chan struct{}, grace time.Duration) error {
	ts.Store.stop() // each end now gets one attempt, and each unstored one another
	var err error
	for _, run := range ts.all() {
		if run.created.Durable == nil {
			err = context.Cause(ctx)
		}
		run.call.End(ErrShutdown)
	}
	if wait(idle, grace) {
		return err
	}
	left := ts.all()
	ts.log.LogAttrs(ctx, slog.LevelError, "tools ignore that their tasks were cancelled", slog.Int("tasks", len(left)))
	var abandoned sync.WaitGroup
	for _, run := range left {
		abandoned.Go(run.abandon)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		abandoned.Wait()
	}()
	if !wait(done, StoreTime) {
		ts.Store.giveUp()
		wait(done, grace)
	}
	return context.Cause(ctx)
}

// wait waits until done is closed, at most for this duration, and reports whether done was closed.
func wait(done <-chan struct{}, most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
