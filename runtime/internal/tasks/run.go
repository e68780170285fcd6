package tasks

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/task"
)

// Run is a run of a task in this process: its record, the lease of a durable one, and the goroutines that watch the
// record and renew the lease. It is safe for concurrent use.
type Run struct {
	tasks   *Tasks
	call    Call
	created task.Record // the record at the beginning of this run
	until   time.Time   // when the lease of a durable task expires, by the clock of this process; never too late

	begun     atomic.Bool   // it is certain that the call is a task
	claimed   atomic.Bool   // the end is being stored, or has been stored
	concluded chan struct{} // closed when the end has been stored
	announced sync.Once     // the end

	mu      sync.Mutex
	message string      // of the last progress report
	told    time.Time   // when a message was stored
	timer   *time.Timer // stores message when the interval is over
}

// newRun returns a run of the task in a record. The lease began at this time.
func (ts *Tasks) newRun(call Call, r *task.Record, began time.Time) *Run {
	run := &Run{tasks: ts, call: call, created: *r, concluded: make(chan struct{})}
	if r.Durable != nil {
		run.until = began.Add(ts.store.queue.LeaseTime())
	}
	return run
}

// Create stores the record of a new task, within the limits. It sets the id, the times, and the status of the record.
// The task does not run before [Run.Begin]; if the call cannot become a task after all, [Run.Discard] deletes it.
func (ts *Tasks) Create(call Call, r task.Record) (*Run, error) {
	began := time.Now()
	r.ID, r.Version, r.Status, r.Created, r.Updated = rand.Text(), 1, task.StatusWorking, began.UTC(), began.UTC()
	if d := r.Durable; d != nil {
		d.Epoch, d.Owner, d.Attempts = 1, ts.owner, 1
	}
	run := ts.newRun(call, &r, began)
	if r.Message != "" {
		run.told = r.Created
	}
	if err := ts.enter(run); err != nil {
		return nil, err
	}
	if err := ts.store.Create(call.Context(), r); err != nil {
		_ = run.Discard() // it may be stored nevertheless: no client knows the task, and a durable one would be run
		return nil, err
	}
	return run, nil
}

// Discard deletes a task that has not begun.
func (r *Run) Discard() error {
	r.tasks.leave(r)
	return r.tasks.store.Delete(context.WithoutCancel(r.call.Context()), r.created.ID)
}

// Begin makes the call a task: from now on its record can end it.
func (r *Run) Begin() { r.begin("task begins") }

// begin is Begin, also for another run of a task.
func (r *Run) begin(what string) {
	r.begun.Store(true)
	go r.watch()
	if r.created.Durable != nil {
		go r.renewLease()
	}
	r.log(what, &r.created)
}

// Leave removes the run from the running tasks, after the tool has returned.
func (r *Run) Leave() { r.tasks.leave(r) }

// Record returns the record at the beginning of the run, which must not be modified.
func (r *Run) Record() *task.Record { return &r.created }

// log logs the beginning or the end of a task, without the id, which is a secret between server and client.
func (r *Run) log(what string, at *task.Record) {
	r.tasks.log.LogAttrs(r.call.Context(), slog.LevelInfo, what, r.call.Attr(), taskengine.OwnerAttr(at.Owner),
		slog.String("request_id", r.call.RequestID()), slog.String("status", string(at.Status)), slog.Duration("age", time.Since(at.Created)))
}

// logError logs an error about the task.
func (r *Run) logError(level slog.Level, what string, err error) {
	r.tasks.log.LogAttrs(r.call.Context(), level, what, r.call.Attr(), slog.Any("error", err))
}

// change changes the record of the task, and notifies the client. It tries again after errors that may be temporary. It
// logs the last error of the store, unless the task continues or has ended without this run.
func (r *Run) change(change func(*task.Record) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.call.Context()), taskengine.StoreTime)
	defer cancel()
	var before task.Status
	rec, err := retry(ctx, func() (task.Record, error) {
		return changeRun(ctx, r.tasks.store, &r.created, func(rec *task.Record) error {
			before = rec.Status
			return change(rec)
		})
	})
	switch {
	case err == nil:
		if before != rec.Status {
			r.Announce(&rec)
		}
	case hasMoved(err): // usually because the client has cancelled it, or it has expired
	default:
		r.logError(slog.LevelError, "task cannot be stored", err)
	}
	return err
}

// Announce sends a new status to a legacy client, and logs it. The end of the task is announced once.
func (r *Run) Announce(rec *task.Record) {
	if !rec.Status.Ended() {
		r.call.Announce(*rec)
		return
	}
	r.announced.Do(func() {
		r.log("task ends", rec)
		r.call.Announce(*rec)
	})
}

// watch ends the task when its record has ended or no longer exists: the client has cancelled the task, here or at
// another instance, or its TTL has passed. If the store fails for longer than [taskengine.StoreTime], the task could not be
// cancelled, so watch ends it; a durable task loses its lease instead.
func (r *Run) watch() {
	ctx := r.call.Context()
	defer contain.Panic(ctx, r.tasks.log, "task cannot be watched")
	for seen := uint64(0); ; {
		rec, err := r.nextChange(ctx, seen)
		seen = rec.Version
		switch {
		case ctx.Err() != nil && err != nil: // it has ended by itself
			return
		case errors.Is(err, task.ErrNotFound):
			r.call.End(taskengine.ErrExpired)
			return
		case err != nil:
			r.logError(slog.LevelError, "task cannot be watched", err)
			r.call.End(fmt.Errorf("the task is no longer kept: %w", err))
			return
		case epochOf(&rec) != epochOf(&r.created):
			r.call.End(taskengine.ErrLeaseLost)
			return
		case rec.Status.Ended():
			r.call.RecordEnded(rec)
			return
		}
	}
}

// nextChange waits for a change of the record. If waiting fails, it reads the record instead, which may be unchanged; it
// tries that for [taskengine.StoreTime], or for a durable task until its lease expires.
func (r *Run) nextChange(ctx context.Context, seen uint64) (task.Record, error) {
	rec, err := r.tasks.store.Wait(ctx, r.created.ID, seen)
	if err == nil || isFinal(err) || !sleep(ctx, time.Second) {
		return rec, err
	}
	r.logError(slog.LevelWarn, "cannot wait for changes of a task", err) //nolint:contextcheck // it is logged in the call's context
	if r.created.Durable == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, taskengine.StoreTime)
		defer cancel()
	}
	return retry(ctx, func() (task.Record, error) { return r.tasks.store.Get(ctx, r.created.ID) })
}

// Report stores a progress report as the message of the task, at most once per interval. It does not wait for the
// store. A report that is not stored yet when the task ends is dropped.
func (r *Run) Report(message string, interval time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.message = message; r.timer == nil {
		r.timer = time.AfterFunc(time.Until(r.told.Add(interval)), r.storeMessage)
	}
}

// storeMessage stores the last report in the record.
func (r *Run) storeMessage() {
	r.mu.Lock()
	message := r.message
	r.timer, r.told = nil, time.Now()
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(r.call.Context(), taskengine.StoreTime)
	defer cancel()
	_, _ = changeRun(ctx, r.tasks.store, &r.created, func(rec *task.Record) error { // the next report is newer
		rec.Message = message
		return nil
	})
}
