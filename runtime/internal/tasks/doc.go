// Package tasks runs the tasks of a server: calls of tools that are answered at once with a handle, and whose results
// clients get later. It knows the records of tasks and how they change; package taskserver knows the call that runs the
// tool, the messages to the client and the audit. A [Run] has the former, and its [Call] the latter.
//
// # How a call becomes a task
//
// Packages runtime and taskserver decide: the client has requested a task, the tool requires one, or the call takes longer than
// Limits.Tasks.Delay. [Tasks.Create] then checks the limits and stores the record. Only when the record is stored, and
// the request has not been cancelled meanwhile, does [Run.Begin] start the task, and only then does the client get its
// id; otherwise [Run.Discard] deletes the record. From then on the call is independent of its request and of the
// connection. Two goroutines work for it besides the tool: one watches the record, and for a durable task one renews the
// lease.
//
// # What is stored when
//
// The store of the program is used through a [Store], which gives each method 10 s and turns panics into errors. All
// changes are optimistic ([task.Change]): read, modify, and store unless the record has changed meanwhile. The record
// changes
//
//   - when the tool reports progress, at most once per poll interval ([Run.Report]), without waiting for the store;
//   - when a durable tool keeps a value ([Run.StoreLog]): the tool continues after the journal is stored;
//   - when the tool sends requests to the client, and when they are answered ([Run.Ask]);
//   - when a client cancels the task or answers its requests (tasks/cancel and tasks/update, in package taskserver);
//   - when the task ends ([Run.End]).
//
// Every instance of a server may change the record. The run therefore watches it: if the record has ended or has
// expired, or another run has begun, the context of the call ends with [taskengine.ErrCancelled],
// [taskengine.ErrExpired] or [taskengine.ErrLeaseLost].
//
// # Claims, leases and epochs
//
// A task is durable if its tool is and the store is a [task.Queue]. Its record contains all that is needed to run it
// again, and the run has a lease, which it renews three times per lease time. If that fails, the context of the call
// ends with [taskengine.ErrLeaseLost] before the lease has expired, so that two processes do not run the task at once. While a
// server has sessions or endpoints it claims tasks without a lease ([Tasks.ClaimWhile]), renews the lease to know when it
// expires, and runs the tool again from its beginning, with the journal. Each claim increments the epoch of the record.
// A change by an earlier run is refused with [task.ErrStale].
//
// If the tool is missing at this server, or takes other arguments by now, the task is left to other servers for five
// minutes ([Tasks.WaitForTool]). If the task cannot be run again, it fails.
//
// # How a task asks its client
//
// [Run.Ask] adds the requests to the record, whose status becomes input_required. A modern client finds them there and
// answers with tasks/update, at any instance; the run waits until the record has all answers. A legacy client gets the
// requests as messages of the session that began the task. Then the requests are removed and the answers are added to
// the journal, in one change, so that the next run of a durable task has either the requests or the answers.
//
// # How a task ends
//
// The first of the tool, its timeout and Shutdown ends the task ([Run.Conclude]); the others wait until the end is
// stored. A task ends once: if the record has ended already, because the client has cancelled the task, the result is
// dropped. If the server stops or the lease is lost, the run of a durable task ends without ending the task
// ([Run.HandOver]). The task counts as running until its tool has returned ([Run.Leave]).
//
// # When the store fails
//
// A progress report is lost; the next one is newer. A value of Once or a request to the client is tried again for 10 s;
// then the run of a durable task is given up, since another run can continue from the journal, and otherwise the tool
// gets an error. If the record can neither be watched nor read for 10 s, the task could not be cancelled any more, and
// ends; a durable task loses its lease instead. The end of a task is tried again for 10 s. Then the task fails without
// its result, and if that cannot be stored either, [Store] shows the end from memory, and the run continues to try until
// the TTL of the task has passed. Such a task counts as running, which bounds their number.
//
// # Shutdown
//
// [Tasks.Shutdown] prevents new tasks and stops claiming. Durable tasks that wait for their client are released at once,
// so that another process continues them. When its context ends, all calls are cancelled: durable tasks are released, the
// others fail. Tasks whose tools do not return are stored as failed without waiting for the tools; durable ones must wait
// for their lease to expire. Last, ends that are only in memory are tried once more; [taskengine.ErrNotStored] counts the lost ones.
package tasks
