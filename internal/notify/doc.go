// Package notify passes the changes of a server on to the clients of all its instances: a list of the registry has
// changed, a resource was updated, or a task was cancelled or answered. Package runtime writes the messages.
//
// # The life of a notice
//
//  1. Something changes. The registry calls the funcs that watch it (watchRegistry), and package runtime calls
//     [Hub.TaskChanged]. Neither waits for clients or for the Bus.
//  2. At this instance [Hub] delivers the notice: of a list to every [Client] that has joined, of a resource to the
//     subscriptions that the index finds, and of a task to the requests that wait for it.
//  3. With a Bus the notice is also queued, without duplicates, even if this instance has no clients. A goroutine that
//     runs only while the queue is not empty publishes it, and tries again if the Bus fails (publisher.go of
//     runtime/internal/busclient, which only programs with a Bus link).
//  4. The Bus calls the receiver of every other instance (receiver.go there), which has subscribed when its first client
//     joined or its first task was waited for. An instance ignores its own notices, and publishes no notice of others.
//     It does not trust what it receives: of a resource that does not exist here, clients do not learn the URI.
//     A list that has changed elsewhere counts as changed here, although the registry is the same (generations).
//  5. Each [Client] keeps only what it does not know yet: for each [Stream] the generations of the lists that it was
//     notified of, and for each [Subscription] the URIs that were updated. So what is kept does not grow with the number
//     of changes, and no notice is kept.
//  6. A goroutine of the client sends what is due, through streams that have begun. It calls the funcs of package
//     runtime, which check that the resource still exists for the caller, and write the message. Notifications
//     are sent at once, but not within 100 ms after the last ones.
//
// A notice may be lost, by the Bus or because too many are queued. It only makes its receivers look up the current
// state, so a lost one leaves a cache stale until the client lists or reads again, and a task does not depend on it. A
// Bus that may have lost some delivers a notice of the kind "missed", which counts as a change of everything.
//
// # Subscriptions to resources
//
// A client is notified of updates of the resource that it has subscribed to and of resources below it: docs://guide and
// docs://guide/ are above docs://guide/intro. The index by URI makes an update free for clients with other subscriptions.
// If more than 64 resources below are updated within 100 ms, the client is notified of the resource that it has
// subscribed to instead.
//
// # Locks
//
// The lock of the [Hub] is acquired before the one of a [Client], and that before the one of the index. No func of
// package runtime is called while one of them is held, so that package may call methods while it holds its own locks;
// but [Client.Join] and [Client.Close] also lock the registry.
package notify
