// Package task stores tasks: calls of tools that are answered at once with a handle, which the client uses to get the
// result later, perhaps after it has reconnected or the server has restarted.
//
// A [Record] is the complete state of one task. A [Store] keeps records. The server that runs a task and the servers
// that clients ask about the task share nothing but the store. By default a [runtime.Server] uses a [Memory], and its
// tasks end with the process. The module integrations/boltstore has a store that keeps tasks in a file, and
// integrations/jetstream one that several servers share.
//
// # Implementing a store
//
// A store has six methods; package task/tasktest tests all of their rules. Three of the rules make it possible that
// several servers behind a load balancer use one store without communicating with each other:
//
//   - Update accepts a record only if the stored record has not changed since it was read. So a task that one instance
//     has cancelled cannot be completed by another: a task that has ended never changes again.
//   - Wait returns when a record has changed. So the instance that runs a task detects that another instance has
//     cancelled it, or has stored the client's answer to a request.
//   - Create returns only after the record is stored, and the client gets the task's id only after that.
//
// Each method must also return when its context ends, because a server waits for it.
//
// The rules about single records are functions, which a store calls: [Valid] and [Next], and [Claimed] and [Released]
// for a [Queue]. Package task/taskqueue keeps the leases of a queue that only one process uses, and [Reserve] passes the
// memory of records to the limits of the server.
//
// A store that outlives the processes that run tasks must end the tasks of a process that has died, see
// [Record.Abandon]. If the store is a [Queue], the tasks of durable tools are instead run again by another process.
//
// Package task/taskcopy copies tasks from one store to another.
//
// [runtime.Server]: https://pkg.go.dev/github.com/mcptool-go/mcptool/runtime#Server
package task
