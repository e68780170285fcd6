// Package task keeps tasks: calls of tools that are answered with a handle, and whose result the client gets later, perhaps
// after the client has reconnected or the server has restarted.
//
// A [Record] is the complete state of one task. A [Store] keeps records; the server that runs a task, and the servers that
// clients ask about it, share only the store. If a [runtime.Server] has no store set, it uses a [Memory]: its tasks end with
// the process. Package integrations/boltstore, a module of its own, keeps them in a file.
//
// # Implementing a store
//
// A store has six methods, and package task/tasktest checks everything that they promise. Three properties make it suitable
// for servers behind a load balancer that do not communicate with each other:
//
//   - Update accepts a record only if nobody has changed it since it was read. So a task that was cancelled by one
//     instance cannot be completed by another: a task that has ended never changes again.
//   - Wait returns when a record has changed. In this way the instance that runs a task learns that another instance has
//     been asked to cancel it, or has received the answer to a client request.
//   - Create has stored the record when it returns. Only then is the client told of the task.
//
// A store that outlives the processes that run tasks has to end the tasks of a process that has died: see
// [Record.Abandon].
//
// [runtime.Server]: https://pkg.go.dev/github.com/mcptool-go/mcptool/runtime#Server
package task
