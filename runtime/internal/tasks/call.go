package tasks

import (
	"context"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/task"
)

// Call is the call of a task, which runs the tool.
type Call interface {
	// Context returns the context of the call.
	Context() context.Context
	// End ends the context with a cause; only the first one counts.
	End(cause error)
	// Caller returns the caller whose limit the task counts against.
	Caller() admission.Caller
	// Attr returns the name of the tool and RequestID the id of the request, for the log.
	Attr() slog.Attr
	RequestID() string
	// Begin runs the tool, in another goroutine.
	Begin()
	// Hold makes the memory of the call count until drop is called, also when the tool has returned.
	Hold() (drop func())
	// Announce sends a new status of the task to a client that does not poll.
	Announce(r task.Record)
	// RecordEnded ends the call because the record of its task has ended without it: it sends no more messages.
	RecordEnded(r task.Record)
	// Stopped is called if Shutdown no longer waits for the tool.
	Stopped()
}

// Server runs claimed tasks again.
type Server interface {
	// Rerun returns the call for another run of a task, or why the task cannot be run. If lacksTool is set, this server
	// lacks the tool at present, and others may have it.
	Rerun(run *Run) (call Call, why string, lacksTool bool)
	// GivenUp is called with the record of a task that has failed because it cannot be run again.
	GivenUp(r *task.Record)
}
