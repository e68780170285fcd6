package mcptool

import (
	"cmp"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
)

// Task sets whether calls of the tool run as tasks. It is for tools that take longer than clients wait. The default is
// "forbidden": each call is answered when the func returns. In the tag it is task=optional or task=required. It needs a server with tasks, see the field Tasks
// of [github.com/mcptool-go/mcptool/runtime.Server]: on another one, an optional task runs as a plain call, and a tool that
// requires tasks is a mistake.
//
// The func needs no change. While it runs as a task, the client sees the message of the last [Progress], and [Caller]
// still describes the caller. The context of the func outlives the request and the connection; it ends when the client
// cancels the task, when its TTL has passed ([TaskTTL]), or when the server stops. [Elicit] and the other funcs that
// send requests to the client block until there is an answer, in every revision.
func Task(support TaskSupport) ToolOption {
	return toolOption(func(d *definition) { set(d, &d.Task, "the option Task", cmp.Or(support, private.TaskForbidden)) })
}

// TaskTTL sets how long a task of the tool and its result are kept, counted from the creation of the task; at least one
// millisecond. A task that is still running when its TTL has passed is cancelled. The default is set by the server, as is
// the maximum ([github.com/mcptool-go/mcptool/runtime.TaskLimits]). A client of revision 2025-11-25 may ask for another
// TTL within the maximum. The option is a mistake without [Task].
func TaskTTL(ttl time.Duration) ToolOption {
	return toolOption(func(d *definition) { set(d, &d.TaskTTL, "the option TaskTTL", ttl) })
}

// PollInterval sets how long clients should wait between polls of a task of the tool; at least one millisecond. The
// default is set by the server ([github.com/mcptool-go/mcptool/runtime.TaskLimits]). The option is a mistake without
// [Task].
func PollInterval(interval time.Duration) ToolOption {
	return toolOption(func(d *definition) { set(d, &d.PollInterval, "the option PollInterval", interval) })
}

// Durable sets whether tasks of the tool survive the process that runs them, if the server keeps its tasks in a store that
// survives it: a [github.com/mcptool-go/mcptool/task.Queue]. When the process dies, another one, or the same one after it
// has been started again, runs the func again from the top. In the tag it is durable. The default is false: a task whose
// process has died fails. The option is a mistake without [Task].
//
// The func follows the three rules of [Elicit], also if it sends no requests: everything that must not happen twice is
// in [Once], whose values are stored as soon as they are made; it sends the same requests and uses the same keys of
// Once whenever the earlier answers and values are the same; and it returns the errors of Elicit and Once. A func of
// Once that ran just before the process died may run again, because its value was not stored. An external effect that
// must not happen twice, such as a payment, needs an idempotency key that an earlier Once has created, so that the
// other system recognizes the repetition.
//
// The func runs in at most one process at a time, within the limits of leases: if a process loses its connection to the
// store, the context of its func is cancelled before the lease expires, but a func that ignores its context continues
// while the next run has begun. Its writes to the task are rejected, and its progress, results and requests do not
// reach the client.
//
// [CallInfo.RequestID] is the id of the call in the first run, and "" in later ones.
//
// If the process crashes in several consecutive runs, the task fails with that reason.
func Durable(yes bool) ToolOption {
	return toolOption(func(d *definition) { set(d, &d.Durable, "the option Durable", yes) })
}
