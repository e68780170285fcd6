// Package boltstore has a [task.Queue] that keeps tasks in a file, so that they survive the process. It is for one
// server process on one machine.
//
//	store, err := boltstore.Open("/var/lib/reports/tasks.db", boltstore.Limits{})
//	if err != nil {
//		return err
//	}
//	srv := &runtime.Server{Name: "reports", Version: "1.0.0", Tasks: store}
//	… // serve, and at the end:
//	return errors.Join(srv.Shutdown(ctx), store.Close())
//
// It is a separate module because it depends on go.etcd.io/bbolt, which the core module does not need.
//
// # What survives
//
// A new task is on the disk when Create returns nil, and the end of a task with its result is on the disk when Update
// returns nil. They survive a power failure after that. Changes between the two, such as status messages, client
// requests and answers, are kept only in memory: a task that is not durable cannot continue in another process. Of a durable
// task ([task.Durable]) they are on the disk, too, except status messages: the store is a [task.Queue].
//
// A task in the file that has not ended when the file is opened belongs to a process that has ended. A durable one is
// free to be claimed, and goes on in this process. [Open] makes others fail with that reason; see
// [task.Record.Abandon]. Each write is a transaction, so no record is written partly, even if the process is killed.
//
// # One process
//
// Only one [Store] can have a file open. Another one, in this process or in another, waits for Limits.Lock and then
// gets [ErrLocked]. So this store is not for several servers behind a load balancer: they need a store that they can
// share, such as that of integrations/jetstream. The command integrations/copytasks copies the tasks of a file to it, with
// [Store.Records] and [task.Copy].
//
// # Limits, time and size
//
// The numbers of tasks and the TTL are limited as by [task.Memory]. There is no limit of bytes per principal, and
// Limits.Bytes limits only new tasks: the end of a task is stored in any case. A record whose TTL has passed does not
// exist for the methods of the Store. It is then deleted from the file, or the next time the file is opened.
//
// The room of deleted records is used again. So the size of the file is about the largest total size of records at any
// time, which Limits.Bytes bounds, plus a reserve. Records of running tasks are also in memory. Of records of ended
// tasks, all but the results, errors and inputs are in memory.
//
// # Compaction
//
// A file of more than 8 MiB of which less than half is in use is compacted: its records are copied to a new file, which is
// checked and then gets the name of the old one. [Open] does it, and an open store does it a minute after the write that
// made it so, if nothing is to be written then and at most 16 MiB are in use. Reads go on meanwhile; a write waits until it
// is done. On a disk that writes some 100 MB a second, a file of 256 MiB takes 0.2 s if 1 MiB or 16 MiB of it are in use,
// and 0.8 s if 100 MiB are.
//
// The new file is beside the old one and has its name with ".compacting" at the end, a name that belongs to the store: Open
// removes a file that an interrupted process has left there. The process needs write permission for the directory. The new
// file has the permissions and the owner of the old one, but not its access control list or other attributes. If the path is
// a symbolic link, the file that it leads to is replaced. If compaction fails, for example because the disk is full, the old
// file stays in use, and it is tried again after an hour, and when the file is opened.
//
// Do not replace or delete the file while a store has it open, for example to restore a backup: the store goes on with the
// file that it has opened, and what it stores is lost when it is closed.
//
// A file with more than one hard link is not compacted, nor one that has been moved since it was opened, nor any on Windows,
// Solaris, AIX and Android, where a file that is open and locked cannot be replaced. There the file does not shrink.
//
// # Full disks
//
// To change or delete a record, bbolt writes new copies of pages. The file has a reserve of 128 KiB that only deletions
// and [Open] may use, so that on a full disk records can still be deleted and the file can be opened. Create and Update
// fail with the error of the operating system if there is no room for a record in addition to the reserve. A deleted
// record makes room for others, also for large ones, because records are stored in pieces wherever pages are free. The
// reserve does not help on file systems that do not write in place, such as Btrfs and ZFS.
//
// An error when a record is written does not affect other records. If an expired record cannot be deleted, the Store
// tries again every minute, and when the file is opened.
//
// # Damage
//
// The file is read through a memory map. If it is truncated while it is open, or turns out to be damaged, all methods
// that need the file return [ErrCorrupt] until it is opened again. Records of running tasks are in memory and can still
// be read. The process continues.
//
// There is one exception. If more than 2 MiB of the file are free and the disk is full, there may be no room for the
// list of free pages. If in addition a write fails, bbolt reads the whole file to rebuild the list, and if that fails
// it ends the process.
//
// # Cost
//
// Each task waits for the disk twice: when it is created and when it ends. A durable one also waits for each value of Once,
// each question and each answer. Records that are written at the same time share one transaction, and so one wait for the
// disk. There is no option to write without waiting, because then a client could lose a task after it has got its id.
package boltstore
