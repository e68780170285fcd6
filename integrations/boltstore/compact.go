package boltstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
)

// A file is compacted when it is larger than compactFrom and less than half of it is in use. So compaction copies at
// most as much data as was written and deleted to reach that state.
const (
	// compactFrom is the minimum size for compaction: bbolt makes any file some MiB longer than needed.
	compactFrom = 8 << 20
	// compactLive is the maximum amount of data to compact while the store is open. Writes wait for compaction, so this
	// is the amount that a disk writes in a fraction of a second. Open compacts files with more data, since it reads
	// the whole file anyway.
	compactLive = 16 << 20
	// compactDelay is the delay between the write that leaves most of the file free and compaction. New records may use
	// the space in the meantime.
	compactDelay = time.Minute
	// compactRetry is the interval between failed attempts: each can write as much data as is in use, and a full disk
	// stays full for a while.
	compactRetry = time.Hour
	// compactBatch is the number of bytes of records copied in one transaction, which holds them in memory.
	compactBatch = 4 << 20
	// compactSuffix is the suffix of the name of the new file.
	compactSuffix = ".compacting"
)

// step is a step in opening or compacting a file.
type step string

const (
	stepOpened   step = "opened"   // the file of the store is open, but not yet locked
	stepBegun    step = "begun"    // the new file exists and has no records
	stepCopied   step = "copied"   // the new file has more records
	stepSynced   step = "synced"   // the new file is complete and synced
	stepRenamed  step = "renamed"  // the new file has the name of the old one
	stepReplaced step = "replaced" // the rename survives a power failure
	stepSwapped  step = "swapped"  // the store uses the new file
)

// onStep is called at each step. Tests use it to act as another process, or to exit.
var onStep = func(step) {}

// wasteful reports whether the file should be compacted: it is large, most of it is free, and at most the given number
// of bytes are in use.
func (d *disk) wasteful(most int64) bool {
	if !replaceable {
		return false
	}
	var size int64
	if err := d.view(func(tx *bbolt.Tx) error { size = tx.Size(); return nil }); err != nil {
		return false
	}
	stats := d.Stats()
	live := size - int64(stats.FreePageN+stats.PendingPageN)*pageSize
	return size > compactFrom && live < size/2 && live <= most
}

// compactOpened compacts a newly opened file if it should be compacted. It ignores a failure unless the file has become
// unusable.
func (d *disk) compactOpened() error {
	if !d.wasteful(math.MaxInt64) || d.compact() == nil {
		return nil
	}
	if damage := d.damage.Load(); damage != nil {
		return *damage
	}
	return nil
}

// compact replaces the file with a copy without free pages. Only the writer may call it. After an error the old file
// remains in use, unless d is damaged.
//
// The path always names a complete file that this process has locked: the copy is locked before it is renamed, and the
// old file stays locked until its last use. A process that waits for the lock of the old file gets it then; see
// openFile.
func (d *disk) compact() error {
	if err := d.hasOneName(); err != nil {
		return err
	}
	info, err := d.os.Stat()
	if err != nil {
		return err
	}
	fresh, err := createBeside(d.path)
	if err != nil {
		return err
	}
	onStep(stepBegun)
	if err := d.replaceBy(fresh, info); err != nil {
		return errors.Join(err, fresh.close(), os.Remove(fresh.path))
	}
	onStep(stepRenamed)
	err = syncDir(filepath.Dir(d.path))
	onStep(stepReplaced)
	closed := d.swap(fresh)
	onStep(stepSwapped)
	if err != nil {
		// After a power failure the old file could reappear, without any later writes.
		return d.isDamaged(fmt.Errorf("the directory of the file cannot be synced: %w", err))
	}
	return closed
}

// replaceBy fills a new file and renames it to the path of this one, which has the given info.
func (d *disk) replaceBy(fresh *disk, info os.FileInfo) error {
	if err := d.fill(fresh, info); err != nil {
		return err
	}
	if err := errors.Join(fresh.hasOneName(), d.hasOneName()); err != nil { // neither was replaced
		return err
	}
	return os.Rename(fresh.path, d.path)
}

// hasOneName returns an error if the path no longer names the file, or the file has other names. Those would continue
// to refer to the old file.
func (d *disk) hasOneName() error {
	if err := d.isAtPath(); err != nil {
		return err
	}
	info, err := os.Lstat(d.path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errReplaced // by a symbolic link to it
	case links(info) > 1:
		return errors.New("the file has hard links")
	}
	return nil
}

// createBeside creates the replacement for the file at path. If its name is taken, it returns an error without opening
// the file.
func createBeside(path string) (*disk, error) {
	name := path + compactSuffix
	var file *os.File
	db, err := bbolt.Open(name, 0o600, &bbolt.Options{
		Timeout: 1, FreelistType: bbolt.FreelistMapType, PageSize: pageSize,
		OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
			file, err = os.OpenFile(name, flag|os.O_EXCL, mode) //nolint:gosec // derived from the caller's path
			return file, err
		},
	})
	switch {
	case err == nil:
		return &disk{DB: db, os: file, path: name}, nil
	case file == nil:
		return nil, err
	}
	return nil, errors.Join(err, os.Remove(name))
}

// removeUnfinished removes the remains of an interrupted compaction of the file at path, which the caller has locked.
// It removes only a regular file; anything else prevents compaction.
func removeUnfinished(path string) {
	name := path + compactSuffix
	if !replaceable {
		return
	}
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
		_ = os.Remove(name) // if this fails, createBeside also fails
	}
}

// fill copies all records to a new file, gives it the owner and permissions of this file, which has the given info, and
// syncs it.
func (d *disk) fill(fresh *disk, info os.FileInfo) error {
	fresh.NoSync = true // it is synced at the end
	want, err := d.copyTo(fresh)
	if err != nil {
		return err
	}
	fresh.NoSync = false
	if err := errors.Join(inherit(fresh.os, info), fresh.os.Sync()); err != nil {
		return err
	}
	onStep(stepSynced)
	var got digest
	err = fresh.view(func(tx *bbolt.Tx) error { return eachRecord(tx.Bucket(tasksBucket), got.add) })
	if err == nil && got != want {
		err = fmt.Errorf("%w: the copy has %+v, want %+v", ErrCorrupt, got, want)
	}
	return err
}

// digest is equal for files with the same records.
type digest struct {
	records int
	bytes   int64
	sum     uint32 // of record numbers and checksums
}

// add adds a record if its checksum is correct.
func (g *digest) add(number uint64, value []byte) error {
	if err := intact(number, value); err != nil {
		return err
	}
	g.records++
	g.bytes += int64(len(value))
	g.sum = crc32.Update(g.sum, castagnoli, binary.BigEndian.AppendUint64(nil, number))
	g.sum = crc32.Update(g.sum, castagnoli, value[:sumSize])
	return nil
}

// copyTo copies all records to a new file, in key order, as they were first written. Reads can continue meanwhile.
func (d *disk) copyTo(fresh *disk) (all digest, err error) {
	if err := fresh.update(create); err != nil {
		return all, err
	}
	var batch []write
	size := 0
	flush := func() error {
		err := fresh.update(func(tx *bbolt.Tx) error {
			for _, w := range batch {
				if err := w.apply(tx.Bucket(tasksBucket)); err != nil {
					return err
				}
			}
			return nil
		})
		batch, size = batch[:0], 0
		onStep(stepCopied)
		return err
	}
	err = d.view(func(tx *bbolt.Tx) error {
		err := eachRecord(tx.Bucket(tasksBucket), func(number uint64, value []byte) error {
			if err := all.add(number, value); err != nil {
				return err
			}
			batch = append(batch, write{key: number, value: bytes.Clone(value)})
			if size += len(value); size < compactBatch {
				return nil
			}
			return flush()
		})
		if err != nil {
			return err
		}
		return flush()
	})
	if err == nil { // a transaction has the size at its start
		err = fresh.view(func(*bbolt.Tx) error { return nil })
	}
	return all, err
}

// swap switches d to another file and closes the previous one after its last reader. Only the writer may call it.
func (d *disk) swap(fresh *disk) error {
	d.readers.Lock()
	old := d.DB
	d.DB, d.os = fresh.DB, fresh.os
	d.used.Store(fresh.used.Load())
	d.readers.Unlock()
	return old.Close()
}

// shrink compacts the file if it should be compacted, no writes are pending, and compaction is due. The writer calls it
// after each batch.
func (s *Store) shrink() {
	s.mu.Lock()
	due, waits := s.compactDue, s.compaction != nil
	s.compactDue = false
	s.mu.Unlock()
	if waits || !s.file.wasteful(compactLive) {
		return
	}
	delay := compactDelay
	if due && s.idle() {
		if s.file.compact() == nil {
			return
		}
		delay = compactRetry
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isClosed() {
		s.compaction = time.AfterFunc(delay, s.compactNow)
	}
}

// compactNow makes the writer compact the file, if it should be compacted and no writes are pending.
func (s *Store) compactNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compaction != nil {
		s.compaction.Stop()
	}
	s.compaction, s.compactDue = nil, true
	s.wakeWriter()
}

// idle reports whether no writes are pending.
func (s *Store) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue) == 0 && !s.isClosed()
}
