// Package jetstream shares tasks and notices between several instances of a server, for example behind a load balancer.
// It stores them in NATS JetStream: in an existing NATS server or cluster, or in a NATS server embedded in the program.
//
//	js, err := jetstream.Connect("nats://nats.internal:4222", jetstream.Options{})
//	if err != nil {
//		return err
//	}
//	srv := &runtime.Server{Name: "reports", Version: "1.0.0", Tasks: tasks.New(js.Tasks()), Bus: bus.New(js.Bus())}
//	… // serve, and at the end:
//	return errors.Join(srv.Shutdown(ctx), js.Close())
//
// [Conn.Tasks] is a [task.Queue]: a task of one instance can be polled, answered and cancelled through any other, and a
// task of a durable tool is run by another instance if its own has died. [Conn.Bus] is a [bus.Bus]. Notices are not stored. After
// an interruption, including one between nodes of a cluster, it delivers [bus.KindMissed] within a heartbeat interval.
//
// With embedded.Open instead of [Connect], the NATS server runs in the program: as a single server, or as one node of a
// cluster of three.
//
// It is a separate module because of its dependencies on the NATS server and client, which the core module does not
// need.
//
// # What survives
//
// A new task is stored when Create returns nil, and a change when Update returns nil. Stored means that the NATS server
// has acknowledged it, which guarantees:
//
//   - with three nodes and three replicas: two nodes have it, so that it survives the loss of one node. While only one
//     of three runs, nothing can be stored or read.
//   - with a single server: this server has it.
//   - with package embedded: it was synced to the disk first, so that it survives a power failure, even of all nodes at the
//     same time. Other NATS servers sync every two minutes by default (sync_interval): a power failure or a crash of
//     the operating system of several nodes at the same time, or of a single server, can lose data acknowledged since
//     then. Set sync_interval: always in their configuration to prevent that.
//
// Records are read from the leader of their stream. If a network fault separates it from the other nodes, it may return
// older records for some seconds until it detects the fault; it stores nothing in that time.
//
// If the connection breaks while a record is being stored, the error is [ErrUnavailable], and the record may or may not
// have been stored; [task.Change] reads it again. If Create gets no response, a task may exist that is unknown to any
// client. It ends when its TTL has passed or when the [Conn] is closed; a durable one is run.
//
// # Permissions and storage
//
// If NATS users have permissions, the user of this connection needs to publish to NAME.> and $JS.API.>, and to
// subscribe to NAME.> and _INBOX.>, where NAME is Options.Name. An account with limits must allow four streams, and one
// and a half times Limits.Bytes: without space, tasks can be neither answered nor cancelled.
//
// An embedded server with a full disk stores nothing. In a cluster, the other nodes continue while they are a majority.
// When there is space again, the server resumes within half a minute, without a restart. Options.Logger receives both
// events.
//
// # Instance failures
//
// A task runs in the instance that created it. [Conn.Close] makes its running tasks fail. An instance that exits
// without it, or that is suspended or cut off from NATS, counts as dead after three missed heartbeats, and the others
// make its tasks fail: about 15 to 25 s later with the default of Options.Heartbeat, with the reason of
// [task.Record.Abandon]. If no other instance runs, the next one that connects does so. An instance that was only
// suspended gets [task.ErrEnded] when it resumes and stores a change of such a task.
//
// # Durable tasks
//
// Tasks of durable tools ([task.Durable]) do not fail with their instance. Each has a lease of Options.Lease, 15 s by
// default, which its instance renews. When the lease has expired, another instance claims the task and runs it again,
// at most about 4 s later: the server deletes the message of a lease up to two seconds late, never early, by its own
// clock, and the instances look for free tasks every two seconds. If a node of the cluster failed with the instance,
// NATS may have to elect another leader first, which takes some seconds. A task released by
// [github.com/mcptool-go/mcptool/runtime.Server.Shutdown] is claimed at once.
//
// At most one run at a time can change a task: a claim increases the epoch in the record, by compare-and-set, and a
// record of an earlier epoch is rejected with [task.ErrStale]. Leases cannot fully guarantee that at most one func runs
// at a time: the context of a func is cancelled before the lease of its instance expires, but a func that ignores its
// context, or a process that was suspended and has not noticed yet, may overlap with the next run.
//
// # Interruptions
//
// A [Conn] reconnects for as long as it takes. Until then all methods fail at once with [ErrUnavailable], except calls
// of Wait that are already waiting: these continue to wait. A request without a response, for example because a cluster
// has no majority, fails after 5 s.
//
// Wait is woken by a message from the instance that changed the record. If that is lost, Wait sees the change after at
// most 5 s.
//
// # Limits, time and size
//
// [Limits] apply to all instances together and are approximate, since instances do not wait for each other. The end of
// a task is stored in any case, unless the NATS server itself has no space: then Create and Update return
// [task.ErrFull] or [ErrUnavailable]. Result, error and inputs of a record may have 64 MiB together; above that, the
// error is [task.ErrFull]. Data over 16 KiB is stored in several messages, before the record, so that no reader sees a
// part of it, and the default message limit of NATS is sufficient.
//
// Expiry depends on the clocks of the instances, which must be roughly in sync: [Connect] and embedded.Open return
// [ErrClock] if the clock differs from the server's by more than five minutes. An expired record does not exist
// for the methods of the store; the server deletes it one or two seconds later. The TTL of a task cannot be changed.
// Ids and principals must be valid UTF-8, and the time of creation must be between 1678 and 2262: otherwise the error
// is [task.ErrInvalid].
//
// Lists read the records one by one. They leave out and log unreadable records ([ErrRecord]).
//
// # Streams
//
// The records are in the streams NAME-records, NAME-parts, NAME-durable and NAME-instances, with NAME from
// Options.Name, and messages between instances have the subjects NAME.changed.> and NAME.notice. The streams are
// created with file storage. A NATS user who may publish to NAME.> and use the JetStream API can read and change all
// tasks: use NATS accounts or permissions on a shared server. Do not delete or purge the streams while instances run:
// they do not recreate them, and durable tasks without their message in NAME-durable are not claimed.
//
// # From a single server to a cluster
//
// A NATS server that becomes a node of a cluster deletes its previous streams, so embedded.Open rejects the directory of a
// single server in a cluster and the reverse. Start the cluster with new directories, stop the instances that use the
// single server, and copy:
//
//	go run ./integrations/copytasks -from /var/lib/reports/nats -to nats://nats.internal:4222
//
// For embedded nodes, set Node.Listen and use nats://SECRET@HOST:PORT, with the Secret of the nodes as the token. The
// source is the directory of a single embedded.Open server, or the URL of a running NATS server. The command compares each
// task after copying. It uses package task/taskcopy with [Conn.Records]. Durable tasks that have not ended continue in
// the cluster.
package jetstream
