// Package task stores tasks: calls of tools that are answered at once with a handle, which the client uses to get the
// result later, perhaps after it has reconnected or the server has restarted.
//
// A [Record] is the complete state of one task. A [Store] keeps records. It is all that the server that runs a task
// shares with the servers that clients ask about the task. By default a [runtime.Server] uses a [Memory], and its tasks
// end with the process. The module integrations/boltstore has a store that keeps them in a file, and
// integrations/jetstream one that several servers share.
//
// # Implementing a store
//
// A store has six methods; package task/tasktest tests all of their rules. Three of the rules allow several servers
// behind a load balancer to use one store without other communication between them:
//
//   - Update accepts a record only if the stored record has not changed since it was read. So a task that one instance
//     has cancelled cannot be completed by another: a task that has ended never changes again.
//   - Wait returns when a record has changed. So the instance that runs a task learns that another instance has been
//     asked to cancel it, or has received the answer to a client request.
//   - Create returns only after the record is stored. Only then does the client get the task's id.
//
// A store that outlives the processes that run tasks must end the tasks of a process that has died: see
// [Record.Abandon]. Tasks of durable tools are run again by another process instead, if the store is a [Queue].
//
// [Copy] moves tasks from one store to another.
//
// [runtime.Server]: https://pkg.go.dev/github.com/mcptool-go/mcptool/runtime#Server
package task
