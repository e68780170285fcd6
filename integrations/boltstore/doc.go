// Package boltstore implements a [task.Queue] that keeps tasks in a file, so that they survive the process. It is for a
// single server process on one machine.
//
//	store, err := boltstore.Open("/var/lib/reports/tasks.db", boltstore.Limits{})
//	if err != nil {
//		return err
//	}
//	srv := &runtime.Server{Name: "reports", Version: "1.0.0", Tasks: tasks.New(store)}
//	… // serve, and at the end:
//	return errors.Join(srv.Shutdown(ctx), store.Close())
//
// It is a separate module because of its dependency on go.etcd.io/bbolt, which the core module does not need.
//
// # What survives
//
// A new task is on the disk when Create returns nil, and the end of a task with its result is on the disk when Update
// returns nil. They survive a power failure after that. Changes between the two, such as status messages, client
// requests and answers, are kept only in memory: a task that is not durable cannot continue in another process. For a
// durable task ([task.Durable]) they are also on the disk, except status messages: the store is a [task.Queue].
//
// A task in the file that has not ended when the file is opened belongs to a process that has exited. A durable task
// can be claimed and continues in this process. [Open] makes other tasks fail with that reason, see
// [task.Record.Abandon], but keeps the time of their last change. Each write is a transaction, so no record is written partially, even if the process is killed.
//
// # One process
//
// Only one [Store] can have a file open. Another one, in this or another process, waits for Limits.Lock and then gets
// [ErrLocked]. So this store is not for several servers behind a load balancer: they need a shared store, such as
// integrations/jetstream. The command integrations/copytasks copies tasks from a file to such a store, using
// [Store.Records] and package task/taskcopy.
//
// # Limits, time and size
//
// The number of tasks and the TTL have the same limits as in [task.Memory]. The number of bytes per principal is not
// limited, and Limits.Bytes limits only new tasks: the end of a task is stored in any case. An expired record does not
// exist for the methods of the Store. It is deleted from the file on expiry or, at the latest, when the file is next
// opened.
//
// The space of deleted records is reused. So the size of the file is about the maximum total size of records over time,
// which Limits.Bytes bounds. Records of running tasks are also in memory. For ended tasks, everything
// except results, errors and inputs is also in memory.
//
// # Compaction
//
// A file of more than 8 MiB with less than half of it in use is compacted: its records are copied to a new file, which
// is checked and then renamed to the old one. [Open] does this, and an open store does it a minute after the write that
// led to this state, if no writes are pending and at most 16 MiB are in use. Reads continue during compaction; writes
// wait until it is done. On a disk that writes about 100 MB/s, compacting a file of 256 MiB takes 0.2 s with 1 MiB or
// 16 MiB in use, and 0.8 s with 100 MiB.
//
// The new file is in the same directory, with the suffix ".compacting". This name is reserved for the store: Open
// removes such a file left by an interrupted process. The process needs write permission for the directory. The new
// file has the permissions and the owner of the old one, but not its access control list or other attributes. If the
// path is a symbolic link, its target is replaced. If compaction fails, for example because the disk is full, the old
// file stays in use, and compaction is retried after an hour, and when the file is opened.
//
// Do not replace or delete the file while a store has it open, for example to restore a backup: the store continues to
// use the file it opened, and data stored there is lost when it is closed.
//
// A file is not compacted if it has more than one hard link or was moved since it was opened, or on Windows, Solaris,
// AIX and Android, where an open and locked file cannot be replaced. The file does not shrink then.
//
// # Full disks
//
// On a full disk, Create, Update and Delete fail with the error of the operating system. Nothing stored before is lost,
// the file can be opened and read, and writes work again when there is room. Delete needs room as well, because bbolt
// writes new copies of the changed pages. On most file systems it can use the pages that earlier writes have left free,
// so it usually works; if it does not, free some space on the disk, or copy the tasks to another disk with copytasks. The
// space of a deleted record can be used for any others, even large ones, because records are stored in pieces in any
// free pages.
//
// A failed write of one record does not affect other records. If an expired record cannot be deleted, the Store retries
// every minute.
//
// # Damage
//
// The file is read through a memory map. If it is truncated while open, or turns out to be damaged, all methods that
// need the file return [ErrCorrupt] until it is opened again. Records of running tasks are in memory and can still be
// read. The process continues.
//
// # Cost
//
// Each task waits for the disk twice: on creation and at its end. A durable task also waits for each value of Once,
// each question and each answer. Concurrent writes share a transaction, and so one wait for the disk. There is no
// option to write without waiting, because a client could then lose a task after it has received its id.
package boltstore
