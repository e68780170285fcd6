// Package taskengine declares what package runtime and the code of tasks see of each other. Package runtime does not
// import that code: a program that serves tasks passes it in, see Server.Tasks of package runtime.
package taskengine

import (
	"context"
	"log/slog"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// Config configures an [Engine].
type Config struct {
	Log     *slog.Logger
	Lookup  func(name string) (*mcptool.Tool, bool) // finds the tools of stored tasks
	OnWait  func()                                  // called when a request or a run of a task begins to wait; nil: not called
	Changed func(id string)                         // called when a request has changed a task

	MaxRunning          int // number of tasks that run at once
	MaxRunningPerCaller int
	MaxJournal          int           // maximum length of the journal of a durable task, in bytes
	MaxAttempts         int           // number of runs of a durable task without progress
	MaxText             int           // length of a message in a record, in bytes
	PageSize            int           // number of tasks in a page of tasks/list
	Grace               time.Duration // how long Shutdown waits for tasks that it has cancelled
	Delay               time.Duration // after which a call that may become a task does
	PollInterval        time.Duration // default of tools without one
	DefaultTTL, MaxTTL  time.Duration
}

// Engine is the tasks of a server: their store, their runs in this process, and the requests of clients about them. It is
// safe for concurrent use.
type Engine interface {
	// Store returns the store, for the requests of clients.
	Store() Store
	// IsGiven reports whether the program has given a store, in which there may be earlier tasks.
	IsGiven() bool
	// NewRunner returns the runner of a call that is a task from the start, if atOnce is set, or otherwise becomes one when it
	// takes long. Wish is params.task of the request; nil if there is none. The error is a [RequestError].
	NewRunner(call Call, atOnce bool, wish []byte) (Runner, error)

	// Get, Cancel, Update, List and Result append the result of the request tasks/get, and so on. Result is called when the
	// task has ended. An error that is neither a [RequestError] nor [ErrBadCursor] is an error of the store.
	Get(r Request, dst []byte) ([]byte, error)
	Cancel(r Request, dst []byte) ([]byte, error)
	Update(r Request, dst []byte) ([]byte, error)
	List(r Request, dst []byte) ([]byte, error)
	Result(r Request, dst []byte) ([]byte, error)

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

// Server is the part of a server that runs stored tasks again.
type Server interface {
	// Restore returns the call of a stored task, or why it cannot be run. Runner runs the call, whose messages go to next, and
	// known has the values and answers of earlier runs.
	Restore(r *task.Record, v wire.Version, tool *mcptool.Tool, runner Runner, next engine.Writer, known replay.Log) (_ Call, why string)
	// GivenUp is called with the record of a task that has failed because it cannot be run again.
	GivenUp(r *task.Record)
}
