package tasks

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/task"
)

// Tasks is the tasks of a server: their store, and the runs in this process. It is safe for concurrent use.
type Tasks struct {
	store   *Store
	isGiven bool // the program has given the store

	config taskengine.Config
	log    *slog.Logger
	owner  string // identifies this server to other users of the queue

	shutting context.Context // ends when Shutdown begins, while mu is held; then no task begins any more
	shut     context.CancelFunc
	stopping context.Context // ends when Shutdown cancels the tasks; then each end gets one attempt
	stop     context.CancelFunc

	mu      sync.Mutex
	running map[*Run]int             // with the number of goroutines that have to leave
	owned   map[admission.Caller]int // number of running tasks of each caller
	active  sync.WaitGroup           // of all goroutines in running
	lost    int                      // number of ends that could not be stored
	drains  int                      // number of running calls of Drain
	unread  map[string]bool          // ids of the tasks whose ends Drain waits for clients to read; nil outside of Drain
	changed chan struct{}            // closed and replaced when running or unread changes during Drain
	claims  claims
	unfit   map[string]unfit // by id of the task
	noQueue atomic.Bool      // see WarnNoQueue
}

// New returns the tasks of a server, in a store; nil means a store in memory.
func New(store task.Store, config taskengine.Config) *Tasks {
	ts := &Tasks{
		store: newStore(store, config.OnWait), isGiven: store != nil, config: config, log: config.Log, owner: rand.Text(),
		running: map[*Run]int{}, owned: map[admission.Caller]int{}, unfit: map[string]unfit{}, changed: make(chan struct{}),
	}
	ts.shutting, ts.shut = context.WithCancel(context.Background())
	ts.stopping, ts.stop = context.WithCancel(context.Background())
	return ts
}

// Store returns the store, for the requests of clients.
func (ts *Tasks) Store() taskengine.Store { return ts.store }

// IsGiven reports whether the program has given a store, in which there may be earlier tasks.
func (ts *Tasks) IsGiven() bool { return ts.isGiven }

// HasQueue reports whether the store is a [task.Queue], so that tasks can be durable.
func (ts *Tasks) HasQueue() bool { return ts.store.queue != nil }

// WarnNoQueue logs, once, that the tasks of a durable tool are not durable because the store is not a queue.
func (ts *Tasks) WarnNoQueue(ctx context.Context, tool slog.Attr) {
	if !ts.noQueue.Swap(true) { // a sync.Once would make others wait for the log handler
		ts.log.LogAttrs(ctx, slog.LevelWarn, "tasks of a durable tool end with the process: the store of Server.Tasks is not a task.Queue", tool)
	}
}

// enter adds a run of a new task, within the limits.
func (ts *Tasks) enter(run *Run) error {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if len(ts.running) >= ts.config.MaxRunning || ts.owned[run.call.Caller()] >= ts.config.MaxRunningPerCaller {
		return taskengine.ErrTooMany
	}
	return ts.add(run)
}

// enterAgain adds another run of a durable task, or another goroutine of a run, which has to leave. The limits do not
// apply, because the task was accepted when it was created.
func (ts *Tasks) enterAgain(run *Run) error {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.add(run)
}

// add is enterAgain for a caller that holds ts.mu.
func (ts *Tasks) add(run *Run) error {
	if ts.shutting.Err() != nil {
		return taskengine.ErrClosed
	}
	if ts.running[run]++; ts.running[run] == 1 {
		ts.watch(run)
		ts.owned[run.call.Caller()]++
	}
	ts.active.Add(1)
	return nil
}

// leave undoes enter or enterAgain.
func (ts *Tasks) leave(run *Run) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	defer ts.active.Done()
	if ts.running[run]--; ts.running[run] > 0 {
		return
	}
	delete(ts.running, run)
	ts.noteChange()
	who := run.call.Caller()
	if ts.owned[who]--; ts.owned[who] == 0 {
		delete(ts.owned, who)
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
	return slices.Collect(maps.Keys(ts.running))
}

// Drain waits until no task runs, before Shutdown, while clients can still request tasks. Durable tasks do not count: other
// processes continue them. If the store is in memory, Drain then waits, for at most the duration patience, until clients
// have read the ends of these tasks, because they are lost with the process, but not longer than half of the time until the
// deadline of ctx. It returns when ctx ends. It may be called concurrently: each listener of a server calls it. It stops
// claiming durable tasks, which Shutdown would soon release again.
func (ts *Tasks) Drain(ctx context.Context, patience time.Duration) {
	ts.mu.Lock()
	if ts.claims.stop != nil {
		ts.claims.stop()
	}
	if ts.drains++; ts.drains == 1 {
		ts.unread = map[string]bool{}
		for run := range ts.running {
			ts.watch(run)
		}
	}
	ts.mu.Unlock()
	defer func() {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		if ts.drains--; ts.drains == 0 {
			ts.unread = nil
		}
	}()
	if !ts.await(ctx, func() bool { return ts.attached() == 0 }) {
		return
	}
	if deadline, ok := ctx.Deadline(); ok {
		patience = min(patience, time.Until(deadline)/2) // the rest is for what follows
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ts.await(ctx, func() bool { return ts.attached()+len(ts.unread) == 0 })
}

// watch makes Drain, if it has begun, wait until the end of a run was read. The caller holds ts.mu.
func (ts *Tasks) watch(run *Run) {
	if _, isVolatile := ts.store.store.(*task.Memory); isVolatile && ts.unread != nil && run.created.Durable == nil {
		ts.unread[run.created.ID] = true
	}
}

// attached returns the number of runs that end with the process. The caller holds ts.mu.
func (ts *Tasks) attached() (n int) {
	for run := range ts.running {
		if run.created.Durable == nil {
			n++
		}
	}
	return n
}

// await waits until the condition, which is checked while ts.mu is held, is met. It reports false if ctx ends before.
func (ts *Tasks) await(ctx context.Context, condition func() bool) bool {
	for {
		ts.mu.Lock()
		isMet, changed := condition(), ts.changed
		ts.mu.Unlock()
		if isMet {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// WasRead records that a client has got the end of a task: see Drain.
func (ts *Tasks) WasRead(id string) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	delete(ts.unread, id)
	ts.noteChange()
}

// noteChange makes await check its condition again, if Drain has begun. The caller holds ts.mu.
func (ts *Tasks) noteChange() {
	if ts.drains > 0 {
		close(ts.changed)
		ts.changed = make(chan struct{})
	}
}

// Shutdown ends the tasks, as Server.Shutdown of package runtime documents. The error wraps the cause of ctx if tasks had
// to be cancelled, and [taskengine.ErrNotStored] if ends are lost.
func (ts *Tasks) Shutdown(ctx context.Context) error {
	ts.mu.Lock()
	ts.shut()
	ts.mu.Unlock()
	ts.endClaiming() //nolint:contextcheck // also if ctx has ended
	var err error
	idle := whenDone(&ts.active)
	select {
	case <-idle.Done():
	case <-ctx.Done():
		err = ts.cancelAll(ctx, idle)
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.lost > 0 {
		err = errors.Join(err, fmt.Errorf("%w: %d", taskengine.ErrNotStored, ts.lost))
	}
	return err
}

// cancelAll cancels the running tasks, and waits for a limited time until none is running. It returns the cause of ctx,
// which has ended, unless all of them continue in another process.
func (ts *Tasks) cancelAll(ctx context.Context, idle context.Context) error {
	ts.stop()
	var err error
	for _, run := range ts.all() {
		if run.created.Durable == nil {
			err = context.Cause(ctx)
		}
		run.call.End(taskengine.ErrShutdown)
	}
	if !sleep(idle, ts.config.Grace) {
		return err
	}
	left := ts.all()
	var abandoned sync.WaitGroup
	for _, run := range left {
		ts.log.LogAttrs(ctx, slog.LevelError, "tool ignores the end of its task", run.call.Attr(),
			slog.Duration("age", time.Since(run.created.Created)), slog.Any("cause", taskengine.ErrShutdown))
		abandoned.Go(run.abandon)
	}
	sleep(whenDone(&abandoned), taskengine.StoreTime+ts.config.Grace) //nolint:contextcheck // after the end of ctx
	return context.Cause(ctx)
}

// whenDone returns a context that ends when a group is done.
func whenDone(group *sync.WaitGroup) context.Context {
	done, end := context.WithCancel(context.Background())
	go func() {
		defer end()
		group.Wait()
	}()
	return done
}
