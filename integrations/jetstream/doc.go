// Package jetstream shares tasks and notices between several instances of a server, for example behind a load balancer. It
// keeps them in NATS JetStream: an existing NATS server or cluster, or a NATS server inside the program.
//
//	js, err := jetstream.Connect("nats://nats.internal:4222", jetstream.Options{})
//	if err != nil {
//		return err
//	}
//	srv := &runtime.Server{Name: "reports", Version: "1.0.0", Tasks: js.Tasks(), Bus: js.Bus()}
//	… // serve, and at the end:
//	return errors.Join(srv.Shutdown(ctx), js.Close())
//
// [Conn.Tasks] is a [task.Queue]: a task that one instance runs can be asked for, answered and cancelled through any other,
// and if its tool is durable another instance runs it when its own has died.
// [Conn.Bus] is a [runtime.Bus]. Notices are not stored. After an interruption, also between the nodes of a
// cluster, it delivers [runtime.NoticesMissed] within the time of a heartbeat.
//
// With [Embedded] in the place of [Connect], the NATS server runs in the program: a single one, or one node of a cluster of
// three.
//
// It is a separate module because it depends on the NATS server and client, which the core module does not need.
//
// # What survives
//
// A new task is stored when Create returns nil, and a change when Update returns nil. Stored means that the NATS server has
// acknowledged it, which promises:
//
//   - of three nodes and three replicas: two nodes have it, so that it survives the loss of one node. While only one of
//     three runs, nothing can be stored or read.
//   - of a single server: this server has it.
//   - of [Embedded]: it was synced to the disk before, so that it survives a power failure, also of all nodes at the same
//     time. Other NATS servers sync every two minutes by default (sync_interval): a power failure or a crash of the
//     operating system of several nodes at the same time, or of a single server, can lose what was acknowledged since. Set
//     sync_interval: always in their configuration to prevent that.
//
// Records are read from the node that leads their stream. If a network fault separates it from the other nodes, it can answer
// with older records for some seconds until it notices that; it stores nothing then.
//
// If the connection breaks while a record is stored, the error is [ErrUnavailable], and the record may have been stored or
// not; [task.Change] reads it again. If no answer comes to Create, a task may exist that no client knows. It ends when its TTL
// has passed or when the [Conn] is closed; a durable one is run.
//
// # Permissions and room
//
// If users of the NATS server have permissions, that of this connection may publish to NAME.> and $JS.API.>, and subscribe to
// NAME.> and _INBOX.>, where NAME is Options.Name. An account with limits must allow four streams, and half as much again as
// Limits.Bytes: where nothing more can be stored, tasks can be neither answered nor cancelled.
//
// An embedded server whose disk is full stores nothing. Of a cluster, the other nodes go on while they are a majority. When there
// is room again, the server stores again within half a minute, and need not be restarted. Options.Logger gets both.
//
// # Instances that end
//
// A task runs in the instance that has created it. [Conn.Close] makes those that still run fail. An instance that ends
// without it, or that is stopped or cut off from NATS, is counted as dead after three missed heartbeats, and the others make
// its tasks fail: about 15 to 25 s later with the default of Options.Heartbeat, with the reason of [task.Record.Abandon]. If
// there is no other instance, the next one that connects does so. An instance that was only stopped and goes on gets
// [task.ErrEnded] when it stores something of such a task.
//
// # Durable tasks
//
// Tasks of durable tools ([task.Durable]) do not fail with their instance. Each has a lease of Options.Lease, 15 s by default,
// which its instance renews. When the lease has run out, another instance claims the task and runs it again: at most about 4 s
// later, because the server deletes the message of a lease up to two seconds late, never early, by its own clock, and the
// instances look every two seconds. If the instance has taken a node of the cluster with it, NATS may have to elect another
// leader first, which takes some seconds. A task that [runtime.Server.Shutdown] has released is claimed at once.
//
// At most one run at a time can change a task: whoever claims it increases the epoch in the record, by compare-and-set, and a
// record of an earlier epoch is refused with [task.ErrStale]. That at most one func runs at a time is as certain as leases can
// make it: an instance that is cut off has the context of the func cancelled before its lease runs out, but a func that ignores
// its context, or a process that was stopped and has not noticed yet, goes on for a while beside the next run.
//
// # Interruptions
//
// A [Conn] connects again, for as long as it takes. Until then all methods fail at once with [ErrUnavailable], except calls
// of Wait that wait already: these go on waiting. A request that gets no answer, for example because a cluster has no
// majority, fails after 5 s.
//
// Wait is woken by a message from the instance that has changed the record. If that is lost, Wait sees the change after at
// most 5 s.
//
// # Limits, time and size
//
// [Limits] is for all instances together and approximate; they do not wait for each other. The end of a task is stored in any
// case, unless the NATS server itself has no room: then Create and Update return [task.ErrFull] or [ErrUnavailable]. Result,
// error and inputs of a record may have 64 MiB together; more is [task.ErrFull]. What is larger than 16 KiB is stored in
// several messages, before the record, so that no reader sees a part of it, and NATS needs no other limit of messages than
// its default.
//
// Expiry depends on the clocks of the instances, which must agree as far as expiry matters: [Connect] and [Embedded] refuse
// to start ([ErrClock]) if the clock differs from that of the server by more than five minutes. A record whose TTL has
// passed does not exist for the methods of the store; the server deletes it one or two seconds later. The TTL of a task
// cannot be changed. Ids and principals must be valid UTF-8, and the time of creation must lie between 1678 and 2262:
// otherwise the error is [task.ErrInvalid].
//
// Lists read the records one by one, and leave out records that cannot be read ([ErrRecord]), which are logged.
//
// # Streams
//
// The records are in the streams NAME-records, NAME-parts, NAME-durable and NAME-instances, with NAME from
// Options.Name, and messages between instances have the subjects NAME.changed.> and NAME.notice. They are created with
// file storage. A user of the NATS server who may publish to NAME.> and use the JetStream API can read and change all
// tasks: use accounts or permissions of NATS where others use the same server. Do not delete or purge the streams while
// instances run: they do not make them again, and durable tasks that lack a message of NAME-durable are not claimed.
//
// # From a single server to a cluster
//
// A NATS server that becomes a node of a cluster deletes the streams that it had before, so [Embedded] refuses the
// directory of a single server in a cluster and the reverse. Start the cluster with new directories, stop the instances
// that use the single server, and copy:
//
//	go run ./integrations/copytasks -from /var/lib/reports/nats -to nats://nats.internal:4222
//
// For nodes that are embedded, set Node.Listen and use nats://SECRET@HOST:PORT, with the Secret of the nodes as the token. The
// source is the directory of a single [Embedded] server, or the URL of a NATS server that runs. The command compares each
// task afterwards. It uses [task.Copy] with [Conn.Records]. Durable tasks that have not ended go on in the cluster.
package jetstream
