package runtime

import (
	"context"
	"encoding/json"

	"github.com/mcptool-go/mcptool/internal/ask"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// runner runs a call that is or may become a task. It is what the files about calls see of a task: see [taskRun].
type runner interface {
	// attend runs the call. It returns when the call has ended or has become a task.
	attend()
	// isTask reports whether the call has become a task.
	isTask() bool
	// id returns the id of the task. It must not be called before the call certainly is one.
	id() string
	// isAgain reports whether it is not the first run of the task: the client is not connected.
	isAgain() bool
	// report records a progress report of the tool.
	report(done, total float64, message string)
	// ask sends requests to the client and waits for the answers.
	ask(ctx context.Context, r *clientRequests) ([]json.RawMessage, error)
	// keeper returns the func that stores the answers of the client, with the values of Once; nil if the task is not
	// durable.
	keeper() func(context.Context, replay.Log) error
	// outOfTime ends the task, because its tool has timed out. It reports whether the call is a task.
	outOfTime() bool
}

// clientRequests are the requests to the client of one Ask.
type clientRequests struct {
	call  *call
	asked []ask.Request
	sent  []wire.ClientRequest // the same requests, in the form of the revision
}
