package taskengine

import (
	"context"
	"encoding/json"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/task"
)

// Call is what tasks see of the call of a tool. It is the context of the call.
type Call interface {
	context.Context
	// End ends the context with a cause; only the first one counts.
	End(cause error)

	// Tool returns the tool.
	Tool() *mcptool.Tool
	// Version returns the revision of the request, and RequestID its id as JSON.
	Version() wire.Version
	RequestID() string
	// Owner returns the caller that the task belongs to, and Caller the one whose limits it counts against.
	Owner() task.Owner
	Caller() admission.Caller
	// Durable returns the data to run the call again, without a journal.
	Durable() (*task.Durable, error)
	// Hold makes the memory of the arguments count until drop is called.
	Hold() (drop func())

	// FollowRequest makes the call end with its request until release is called, which reports whether it was in time.
	FollowRequest() (release func() bool)
	// Run runs the tool and calls settle with the result, also if the tool panics or ends its goroutine.
	Run(settle func(result []byte, err error))
	// Answer answers the request with the result of Run.
	Answer(result []byte, err error)
	// Fail answers the request with an error of the call, and Refuse with an internal error.
	Fail(err error)
	Refuse(text string)
	// Hide logs an error that the client may not read, and returns a reference to it.
	Hide(err error) string
	// Contain recovers a panic, and answers the request if it has no answer. It must be deferred.
	Contain()

	// BecomeTask begins the operation of the task, for observers. Answered ends the operation of the request with the size of
	// its response.
	BecomeTask() (answered func(size int))
	// Replace answers the request with msg. Later messages of the call go to next, or are dropped if next is nil.
	Replace(next engine.Writer, msg []byte, end engine.End)
	// AppendTail ends a result object of this type, see [wire.ServerInfo.AppendTail].
	AppendTail(dst, kind, meta []byte) []byte

	// Explain returns the end of a task in the form for its client, a result or an error, and whether it is a failure.
	Explain(result []byte, err error) (_ []byte, e *wire.Error, failed bool)
	// Outcome returns the outcome of a run, and EndTask ends the operation of the task.
	Outcome(err error) observe.Outcome
	EndTask(how observe.Outcome, size int)
	// Timeout returns the error of a tool that has timed out.
	Timeout() error

	// Output is where the messages of the call are sent.
	Output() *respond.Out
	// Send sends a message that belongs to no request. It reports whether the client can never get it.
	Send(msg []byte) (lost bool)
	// IsConnected reports whether messages can reach the client.
	IsConnected() bool
	// Waiting returns where a tasks/result that waits for the task is answered, in the session that began the task, because
	// that session receives the answers of the client; nil if none waits.
	Waiting(id string) *respond.Out

	// Memory returns the values of Once and the requests to the client. Asked is the same, or nil if there are none.
	Memory() *replay.Run
	Asked() *replay.Run
	// Ask sends the requests one after the other, and waits for the answers.
	Ask(ctx context.Context, requests []wire.ClientRequest) ([]json.RawMessage, error)
	// Pause stops the use of the limits of the tool until resume.
	Pause() (resume func())
}

// Questions are the requests to the client of one Ask of a tool.
type Questions interface {
	// Requests returns the requests in the form of the revision.
	Requests() []wire.ClientRequest
	// Recall returns the answers that are known, and the keys of the requests. With [mcptool.ErrAnswerPending], the requests
	// without an answer are pending.
	Recall() (answers []json.RawMessage, keys []string, err error)
	// Later returns the answers that came with the call, or records the requests to be sent with the answer.
	Later() ([]json.RawMessage, error)
}

// Runner runs a call that is or may become a task. It is what calls see of tasks.
type Runner interface {
	// Attend runs the call. It returns when the call has ended or has become a task.
	Attend()
	// IsTask reports whether the call has become a task.
	IsTask() bool
	// ID returns the id of the task. It must not be called before the call certainly is one.
	ID() string
	// IsAgain reports whether it is not the first run of the task: the client is not connected.
	IsAgain() bool
	// Report records a progress report of the tool.
	Report(done, total float64, message string)
	// Ask sends requests to the client and waits for the answers.
	Ask(ctx context.Context, q Questions) ([]json.RawMessage, error)
	// Keeper returns the func that stores the answers of the client, with the values of Once; nil if the task is not
	// durable.
	Keeper() func(context.Context, replay.Log) error
	// OutOfTime ends the task, because its tool has timed out. It reports whether the call is a task.
	OutOfTime() bool
}
