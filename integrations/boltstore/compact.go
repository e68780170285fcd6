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

// A file is compacted when it is larger than compactFrom and less than half of it is in use. So no more is copied than what
// had to be written, and deleted, to get there.
const (
	// compactFrom is the size up to which a file is left alone: bbolt and the reserve make it some MiB longer than needed
	// anyway.
	compactFrom = 8 << 20
	// compactLive is how much may be in use in a file that is compacted while the store is open. Writes wait meanwhile, and so
	// it is what a disk writes in a fraction of a second. More is left to Open, which reads the whole file anyway.
	compactLive = 16 << 20
	// compactDelay is the time from the write that leaves most of the file free to the attempt. Until then records may come
	// that use the room again.
	compactDelay = time.Minute
	// compactRetry is the time between attempts that fail: each can write as much as is in use, and a full disk stays full for
	// a while.
	compactRetry = time.Hour
	// compactBatch is how many bytes of records are copied in one transaction, which has them in memory.
	compactBatch = 4 << 20
	// compactSuffix makes the name of the new file from that of the file.
	compactSuffix = ".compacting"
)

// step is a step of opening or compacting a file.
type step string

const (
	stepOpened   step = "opened"   // the file of the store is open, but not locked yet
	stepBegun    step = "begun"    // the new file is there, and has no records
	stepCopied   step = "copied"   // it has some more records
	stepSynced   step = "synced"   // it has all, and they are on the disk
	stepRenamed  step = "renamed"  // it has the name of the old one
	stepReplaced step = "replaced" // and keeps it after a power failure
	stepSwapped  step = "swapped"  // the store uses it
)

// onStep is called at each step. It is for tests, which do there what another process could do, or end the process.
var onStep = func(step) {}

// wasteful reports whether the file should be compacted: it is large, most of it is free, and at most so many bytes are not.
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

// compactOpened compacts a file that has just been opened, if it should be. That it cannot be is no reason not to use it;
// the error is that of a file that cannot be used any more.
func (d *disk) compactOpened() error {
	if !d.wasteful(math.MaxInt64) || d.compact() == nil {
		return nil
	}
	if damage := d.damage.Load(); damage != nil {
		return *damage
	}
	return nil
}

// compact replaces the file by a copy without free pages. Only the writer may call it. After an error the old file is in use as
// before, unless d is damaged.
//
// The name of the file is at all times that of a complete file which this process has locked: the copy is locked before it gets
// the name, and the old file until nobody uses it. Who waits for the lock of the old file gets it then; see openFile.
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
		// After a power failure the old file could be back, without anything that is written from now on.
		return d.isDamaged(fmt.Errorf("the directory of the file cannot be synced: %w", err))
	}
	return closed
}

// replaceBy fills a new file, and gives it the name of this one, of which info is known.
func (d *disk) replaceBy(fresh *disk, info os.FileInfo) error {
	if err := d.fill(fresh, info); err != nil {
		return err
	}
	if err := errors.Join(fresh.hasOneName(), d.hasOneName()); err != nil { // nobody has exchanged either of them
		return err
	}
	return os.Rename(fresh.path, d.path)
}

// hasOneName returns an error if the path is not that of the file any more, or is not its only one. Further names would
// stay those of the old file.
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

// createBeside creates the file that is to replace the one at path. Whatever has its name already is an error, and not opened.
func createBeside(path string) (*disk, error) {
	name := path + compactSuffix
	var file *os.File
	db, err := bbolt.Open(name, 0o600, &bbolt.Options{
		Timeout: 1, FreelistType: bbolt.FreelistMapType, PageSize: pageSize,
		OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
			file, err = os.OpenFile(name, flag|os.O_EXCL, mode) //nolint:gosec // it is made from what the caller decides
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

// removeUnfinished removes what a process left that ended while it compacted the file at path. The caller has locked that.
// Other things than a file are left alone, and then the file is not compacted.
func removeUnfinished(path string) {
	name := path + compactSuffix
	if !replaceable {
		return
	}
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
		_ = os.Remove(name) // it matters only to createBeside, which fails then
	}
}

// fill copies all records to a new file, and makes it equal to this one, of which info is known: it has a reserve, the same
// owner and permissions, and is on the disk.
func (d *disk) fill(fresh *disk, info os.FileInfo) error {
	fresh.NoSync = true // it is synced at the end
	want, err := d.copyTo(fresh)
	if err != nil {
		return err
	}
	fresh.NoSync = false
	if err := fresh.reserve.begin(fresh.os, fresh.used.Load()); err != nil {
		return err
	}
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

// digest is what two files with the same records have in common.
type digest struct {
	records int
	bytes   int64
	sum     uint32 // of the numbers and checksums of the records
}

// add adds a record, if its checksum is right.
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

// copyTo copies all records to a new file, in the order of their keys and as they were written first. So the pages are as full
// as those of any other file, and what reservePages says holds for them. Others can read meanwhile.
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
	if err == nil { // a transaction knows the size as it was at its beginning
		err = fresh.view(func(*bbolt.Tx) error { return nil })
	}
	return all, err
}

// swap makes d use another file, and closes the one that it has used, when nobody reads it any more. Only the writer may
// call it.
func (d *disk) swap(fresh *disk) error {
	d.readers.Lock()
	old := d.DB
	d.DB, d.os, d.reserve = fresh.DB, fresh.os, fresh.reserve
	d.used.Store(fresh.used.Load())
	d.readers.Unlock()
	return old.Close()
}

// shrink compacts the file if it should be, nothing is to be written, and the time for it has come. The writer calls it after
// each batch.
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

// compactNow has the writer compact the file, if it should be and nothing is to be written.
func (s *Store) compactNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compaction != nil {
		s.compaction.Stop()
	}
	s.compaction, s.compactDue = nil, true
	s.wakeWriter()
}

// idle reports whether there is nothing to write.
func (s *Store) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue) == 0 && !s.isClosed()
}
