package boltstore

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// disk is the file of a store, as bbolt has it open. bbolt reads through a memory map and trusts what it finds there:
// where the file is damaged it panics, and where it has been truncated the system raises a signal that ends the process. So
// each transaction first looks whether the file is as long as it should be, and a fault or a panic all the same makes an
// error. The disk is not used any more then: bbolt may hold its locks.
type disk struct {
	*bbolt.DB // the writer replaces it and os while it has locked readers
	os        *os.File
	path      string       // of the file, absolute and without symbolic links
	used      atomic.Int64 // bytes of the file that the last transaction knew of
	damage    atomic.Pointer[error]
	readers   sync.RWMutex
	reserve   reserve // the writer's
}

// view runs a transaction that reads.
func (d *disk) view(f func(*bbolt.Tx) error) error {
	d.readers.RLock()
	defer d.readers.RUnlock()
	return d.transact(d.View, f)
}

// update runs a transaction that writes.
func (d *disk) update(f func(*bbolt.Tx) error) error { return d.transact(d.change, f) }

// updateAlone runs a transaction that writes, and begins when nobody reads: all pages that are not in use are free then.
func (d *disk) updateAlone(f func(*bbolt.Tx) error) error {
	return d.transact(func(f func(*bbolt.Tx) error) error {
		d.readers.Lock()
		tx, err := d.Begin(true)
		d.readers.Unlock()
		return runIn(tx, err, f)
	}, f)
}

// change is Update of bbolt, but where f panics the transaction stays: to roll it back, bbolt could read what is damaged.
func (d *disk) change(f func(*bbolt.Tx) error) error {
	tx, err := d.Begin(true)
	return runIn(tx, err, f)
}

// runIn runs f in a transaction that has begun, unless that failed, and commits it.
func runIn(tx *bbolt.Tx, err error, f func(*bbolt.Tx) error) error {
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (d *disk) transact(run func(func(*bbolt.Tx) error) error, f func(*bbolt.Tx) error) (err error) {
	if damage := d.damage.Load(); damage != nil {
		return *damage
	}
	if err := d.checkSize(d.used.Load()); err != nil {
		return err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			err = d.isDamaged(corrupt(v))
		}
	}()
	err = run(func(tx *bbolt.Tx) error {
		d.used.Store(tx.Size())
		if err := d.checkSize(tx.Size()); err != nil {
			return err
		}
		return f(tx)
	})
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		err = ErrClosed
	}
	return err
}

// checkSize returns an error if the file is shorter than what has been written.
func (d *disk) checkSize(used int64) error {
	info, err := d.os.Stat()
	switch {
	case errors.Is(err, os.ErrClosed):
		return ErrClosed
	case err != nil:
		return err
	case info.Size() < used:
		return d.isDamaged(fmt.Errorf("%w: it has been truncated to %d bytes of %d", ErrCorrupt, info.Size(), used))
	}
	return nil
}

// isDamaged notes that the disk cannot be used any more, and returns why.
func (d *disk) isDamaged(why error) error {
	d.damage.CompareAndSwap(nil, &why)
	return *d.damage.Load()
}

// close closes the file. The memory map of a damaged one stays until the process ends: bbolt could wait forever for its
// own locks.
func (d *disk) close() error {
	if d.damage.Load() != nil {
		return d.os.Close()
	}
	return d.Close()
}
