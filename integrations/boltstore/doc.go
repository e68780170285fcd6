// Package boltstore keeps tasks in a file, so that they survive the process: a [task.Store] for
// one server on one machine.
//
//	store, err := boltstore.Open("/var/lib/reports/tasks.db", boltstore.Limits{})
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	srv := &runtime.Server{Name: "reports", Version: "1.0.0", Tasks: store}
//
// It is a module of its own, for the sake of go.etcd.io/bbolt, which the core does without.
//
// # What survives
//
// A task that Create has accepted is in the file, and so is the end of a task that Update has
// accepted, with its result: both are on the disk when the method returns, also if the power
// fails then. What happens in between, the status messages, questions and answers of a task that
// works, is kept in memory and costs no write: nobody could go on with it, for it ends with the
// process.
//
// So when a file is opened, each of its tasks has ended, or is one of a process that is no more.
// The latter fail, with an error that says so; see [task.Record.Abandon]. Nothing is half
// written, whenever the process was killed: each write is a transaction.
//
// # One process
//
// A file belongs to the process that has it open. Another one that opens it waits for
// Limits.Lock and gets [ErrLocked]. Servers behind a load balancer need a store that
// they share.
//
// # Limits, time and size
//
// Limits and time to live are those of [task.Memory]. A record whose time has passed is not there,
// and is deleted from the file, or when that is opened next if the process ends before.
//
// The file does not shrink, but what is deleted makes room for what comes: it is about as large as
// the most that was in it at one time, which Limits.Bytes bounds, and the reserve. Small parts of the records are
// also in memory, and all of those that work; results are not.
//
// # Full disks
//
// bbolt copies the pages that it changes, also to delete. So that records can be deleted and expire on a full disk, and the
// file be opened, it has a reserve of 128 KiB, which deletions may use and what Open writes, and nothing else. Create and
// Update fail with the error of the system when the disk has no room for a record besides. What is deleted makes room for
// others, also for large ones: they are kept in pieces, wherever pages are free. On file systems that do not write in place,
// as Btrfs and ZFS, the reserve is of no use.
//
// A record that cannot be written costs only itself. Expired records that could not be deleted are tried again each minute,
// and when the file is opened.
//
// # Damage
//
// The file is read through a memory map. If it is truncated while it is open, or found damaged otherwise, what needs it returns
// [ErrCorrupt] from then on, until it is opened anew; tasks that work are in memory, and can be read. The process goes on.
//
// There is one exception. Where more than 2 MiB of the file are free and the disk is full, there may be no room for the list of
// free pages. If it is missing and a write fails besides, bbolt reads the whole file, and the process ends if it cannot.
//
// # What it costs
//
// A task waits for the disk twice: to be created and to end. What many tasks write at one time is
// written together, so that the disk is waited for once. There is no option to do without, for a
// client that was told of a task would find it gone.
package boltstore
