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

// disk is the open file of a store. bbolt reads it through a memory map without checks: it panics on a damaged file,
// and reading a truncated one raises a signal that ends the process. So each transaction first checks the length of the
// file, and converts a panic or fault to an error. After that the disk is unusable, since bbolt may hold its locks.
type disk struct {
	*bbolt.DB // the writer replaces it and os with readers locked
	os        *os.File
	path      string       // absolute, without symbolic links
	used      atomic.Int64 // bytes of the file in use by the last transaction
	damage    atomic.Pointer[error]
	readers   sync.RWMutex
}

// view runs a read transaction.
func (d *disk) view(f func(*bbolt.Tx) error) error {
	d.readers.RLock()
	defer d.readers.RUnlock()
	return d.transact(d.View, f)
}

// update runs a write transaction.
func (d *disk) update(f func(*bbolt.Tx) error) error { return d.transact(d.change, f) }

// change is like bbolt's Update, but does not roll back after a panic in f, since a rollback could read damaged pages.
func (d *disk) change(f func(*bbolt.Tx) error) error {
	tx, err := d.Begin(true)
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

// checkSize returns an error if the file is shorter than the data written.
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

// isDamaged marks the disk as unusable and returns the reason.
func (d *disk) isDamaged(why error) error {
	d.damage.CompareAndSwap(nil, &why)
	return *d.damage.Load()
}

// close closes the file. The memory map of a damaged file stays until the process exits, since bbolt could wait forever
// for its own locks.
func (d *disk) close() error {
	if d.damage.Load() != nil {
		return d.os.Close()
	}
	return d.Close()
}
