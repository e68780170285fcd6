// Package taskengine declares what package runtime and the code that runs tasks see of each other. Package runtime does
// not import that code: a program that serves tasks passes it in, see Server.Tasks of package runtime.
package taskengine

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/task"
)

// Config configures an [Engine].
type Config struct {
	Log                 *slog.Logger
	OnWait              func() // called when a request or a run of a task begins to wait; nil: not called
	MaxRunning          int    // number of tasks that run at once
	MaxRunningPerCaller int
	MaxJournal          int           // maximum length of the journal of a durable task, in bytes
	Grace               time.Duration // how long Shutdown waits for tasks that it has cancelled
}

// Engine is the tasks of a server: their store, and the runs in this process. It is safe for concurrent use.
type Engine interface {
	// Store returns the store, for the requests of clients.
	Store() Store
	// IsGiven reports whether the program has given a store, in which there may be earlier tasks.
	IsGiven() bool
	// Create stores the record of a new task, within the limits. It sets the id, the times, and the status of the record.
	// The task does not run before Begin of the [Run]; if the call cannot become a task after all, Discard deletes it.
	Create(call Call, r task.Record) (Run, error)
	// Find returns the call of the task with this id if it runs in this process, and otherwise nil.
	Find(id string) Call
	// WasRead records that a client has got the end of a task: see Drain.
	WasRead(id string)
	// HasQueue reports whether the store is a [task.Queue], so that tasks can be durable.
	HasQueue() bool
	// WarnNoQueue logs, once, that the tasks of a durable tool are not durable because the store is not a queue.
	WarnNoQueue(ctx context.Context, tool slog.Attr)
	// Journal returns the log of a run as the journal of its record.
	Journal(log replay.Log) ([]byte, error)
	// WaitForTool leaves a durable task to other servers, because this one lacks its tool at present. It reports false if the
	// task has waited for too long.
	WaitForTool(ctx context.Context, r *task.Record, why string) bool
	// ClaimWhile makes a server claim durable tasks of processes that have died, until ctx ends. Without a queue it does
	// nothing.
	ClaimWhile(ctx context.Context, server Server)
	// Drain waits until no task runs, before Shutdown, while clients can still request tasks. Durable tasks do not count:
	// other processes continue them. If the store is in memory, Drain then waits, for at most the duration patience, until
	// clients have read the ends of these tasks.
	Drain(ctx context.Context, patience time.Duration)
	// Shutdown ends the tasks, as Server.Shutdown of package runtime documents. The error wraps the cause of ctx if tasks
	// had to be cancelled, and [ErrNotStored] if ends are lost.
	Shutdown(ctx context.Context) error
}

// Store is the program's store. Each method except Wait has the deadline [StoreTime], and a panic is an error. The end of
// a task that the program's store has not accepted is returned from memory.
type Store interface {
	task.Store
	// WakeUp makes requests that wait for a task look up its record.
	WakeUp(id string)
	// WakeAll is WakeUp for every task.
	WakeAll()
}

// Run is a run of a task in this process. It is safe for concurrent use.
type Run interface {
	// Discard deletes a task that has not begun.
	Discard() error
	// Begin makes the call a task: from now on its record can end it.
	Begin()
	// Leave removes the run from the running tasks, after the tool has returned.
	Leave()
	// Record returns the record at the beginning of the run, which must not be modified.
	Record() *task.Record
	// Announce sends a new status to a legacy client, and logs it. The end of the task is announced once.
	Announce(rec *task.Record)
	// Report stores a progress report as the message of the task, at most once per interval. It does not wait for the
	// store. A report that is not stored yet when the task ends is dropped.
	Report(message string, interval time.Duration)
	// StoreLog stores the log of the run in the record of a durable task.
	StoreLog(log replay.Log) error
	// SyncLog stores the part of the log that the record of a durable task does not have yet: answers that came with the
	// call. Known may be nil.
	SyncLog(known *replay.Run) error
	// Ask adds the requests to the record of the task, and waits for the answers. The journal of a durable task then has
	// them.
	Ask(ctx context.Context, q *Questions) ([]json.RawMessage, error)
	// Gone returns the error for the tool after err, an error of the record of its task.
	Gone(err error) error
	// Conclude calls end, which stores the end of the task. If the tool and its timeout end the task at the same time, the
	// first one counts, and the other one waits until the end is stored.
	Conclude(end func())
	// HandOver reports whether the run leaves a durable task to another process, because the server stops or the lease is
	// lost. If the server stops, the task is released, so that it continues at once. It is for Conclude.
	HandOver() bool
	// End stores the end of the task, for Conclude. It returns the resulting record, and reports whether this call has ended
	// the task, and whether the given end was stored.
	End(end *task.Record) (last task.Record, isThis, stored bool)
}

// Questions are requests of a task to its client that earlier runs have no answers to.
type Questions struct {
	Keys     []string
	Requests []json.RawMessage
	Log      *replay.Run // of the call
	// Send sends the requests and returns the answers. It is nil if the client finds the requests in the record, and
	// stores the answers there with tasks/update.
	Send func(ctx context.Context) ([]json.RawMessage, error)
}
