// Package task keeps tasks: calls of tools that are answered with a handle and get their
// result later, perhaps after the client, or the server, has come back.
//
// A [Record] is all that is known of one task. A [Store] keeps records; the server that runs a
// task, and those that clients ask about it, know it through the store alone. The store of a
// [runtime.Server] that has none set is a [Memory]: its tasks end with the process. Package
// integrations/boltstore, a module of its own, keeps them in a file.
//
// # A store of one's own
//
// A store has six methods, and package task/tasktest checks all that they promise. Three things
// make it fit for servers behind a load balancer, without these knowing of one another:
//
//   - Update takes a record only if nobody has changed it since it was read. So a task that
//     was cancelled by one instance cannot be completed by another: a task that has
//     ended never changes again.
//   - Wait returns when a record has changed. That is how the instance that runs a task hears that
//     another one was asked to cancel it, or was given the answer to a question.
//   - Create has stored the record when it returns. A client is told of a task only then.
//
// A store that outlives the processes that run tasks has to end the tasks of a process that
// has died: see [Record.Abandon].
//
// [runtime.Server]: https://pkg.go.dev/github.com/mcptool-go/mcptool/runtime#Server
package task
