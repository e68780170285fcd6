package boltstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/mcptool-go/mcptool/task"
)

// Errors of a [Store] in addition to those of package task; test with [errors.Is].
var (
	// ErrLocked means that another [Store], as a rule in another process, has the file open.
	ErrLocked = errors.New("the file is in use by another process")
	// ErrCorrupt means that the file is damaged, or was not written by this package, or has a format of another version
	// of it. The file is not changed, and may stay locked until the process ends. To start with an empty store, use
	// another file.
	ErrCorrupt = errors.New("the file is damaged, or not a file of tasks")
	// ErrClosed means that the store has been closed.
	ErrClosed = errors.New("the store of tasks is closed")
)

// corrupt returns the error for a panic of bbolt, which trusts the file. What Go says of its own is no use to anybody.
func corrupt(damage any) error {
	if _, ok := damage.(runtime.Error); ok {
		return ErrCorrupt
	}
	return fmt.Errorf("%w: %v", ErrCorrupt, damage)
}

// Limits limits what a [Store] keeps. A zero or negative member means its default. Records that are already in the file
// when it is opened are kept, whatever the limits.
type Limits struct {
	// Tasks is the number of tasks kept; default 10 000. A task counts until its TTL has passed.
	Tasks int
	// PerPrincipal is the number of them that one principal may have; default 1 000. All unauthenticated callers
	// together are one principal.
	PerPrincipal int
	// Bytes is the size of the records in the file, in bytes, from which on no task is created; default 256 MiB.
	// Running tasks can still end, with results beyond it. The reserve for deletions is not included.
	Bytes int64
	// Lock is how long [Open] waits for another process to close the file; default 1 s. A server that replaces one that
	// is shutting down may need more.
	Lock time.Duration
	// Lease is how long the lease of a durable task lasts unless it is renewed; default 15 s. Less than a second is a
	// second. Since there is one process, it matters only for one that is suspended for so long.
	Lease time.Duration
}

func (l Limits) withDefaults() Limits {
	if l.Tasks <= 0 {
		l.Tasks = 10_000
	}
	if l.PerPrincipal <= 0 {
		l.PerPrincipal = 1_000
	}
	if l.Bytes <= 0 {
		l.Bytes = 256 << 20
	}
	if l.Lock <= 0 {
		l.Lock = time.Second
	}
	return l
}

// Open opens the file of a store, or creates it, with permissions for the user of the process only (0600). Tasks in it
// that have not ended fail, because their process has ended; durable ones are free to be claimed instead. Open reads
// the whole file and checks each record in it. It does not always detect that a damaged file lacks records, for example
// the latest ones. A file of which most is free is compacted, see the documentation of the package, unless that fails. The
// error is [ErrLocked], [ErrCorrupt] or one of the operating system, and its text contains the path of the file.
func Open(path string, limits Limits) (*Store, error) {
	limits = limits.withDefaults()
	file, records, err := openFile(path, limits.Lock)
	if err != nil {
		return nil, fmt.Errorf("boltstore: %s: %w", path, err)
	}
	s := &Store{
		limits: limits, path: path, file: file, closed: make(chan struct{}),
		tasks: map[string]*entry{}, owned: map[string]map[*entry]struct{}{},
		leases: task.NewLeases(limits.Lease), wake: make(chan struct{}, 1), written: make(chan struct{}),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addStored(records)
	s.retry = time.AfterFunc(retryDeletions, s.deleteLater)
	if file.wasteful(compactLive) { // openOnce has tried to compact it, and failed
		s.compaction = time.AfterFunc(compactRetry, s.compactNow)
	}
	go s.writeAll()
	return s, nil
}

// addStored adds what is in the file. The caller holds s.mu.
func (s *Store) addStored(records []stored) {
	for _, stored := range records {
		e := s.add(&stored.record)
		e.key, e.size = stored.key, stored.size
		s.last, s.bytes = max(s.last, stored.key), s.bytes+stored.size
		s.keep(e)
		if !e.record.Status.Ended() { // a durable one, whose process has ended
			s.leases.Free(e.record.ID)
		}
	}
}

// deleteLater has the writer try again to delete what could not be deleted.
func (s *Store) deleteLater() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.undeleted) > 0 {
		s.wakeWriter()
	}
}

// Close waits until pending writes have ended, and closes the file. After that all methods return [ErrClosed],
// including calls of Wait and Claim that are running and a second Close. What happens to tasks that have not ended when the
// file is opened again is said at [Open].
func (s *Store) Close() error {
	s.mu.Lock()
	if s.isClosed() {
		s.mu.Unlock()
		return ErrClosed
	}
	close(s.closed)
	close(s.wake)
	for _, e := range s.tasks {
		e.stop()
	}
	s.retry.Stop()
	if s.compaction != nil {
		s.compaction.Stop()
	}
	s.mu.Unlock()
	<-s.written
	return s.file.close()
}

// stored is a record in the file, without the parts that are only in the file.
type stored struct {
	key    uint64
	size   int64
	record task.Record
}

// errReplaced means that the path is now that of another file than the one that was opened.
var errReplaced = errors.New("the file has been replaced")

// openFile opens the file and reads what is in it. A lock is of a file and not of its name: a process that has waited for
// it may have the lock of a file that another process has replaced meanwhile; see compact. Then it waits for that of the
// other file.
func openFile(path string, timeout time.Duration) (*disk, []stored, error) {
	deadline := time.Now().Add(timeout)
	for {
		d, records, err := openOnce(path, timeout, deadline)
		switch {
		case !errors.Is(err, errReplaced):
			return d, records, err
		case !time.Now().Before(deadline):
			return nil, nil, lockedFor(timeout)
		}
	}
}

// openOnce is openFile, and returns errReplaced if the file is replaced before it is locked.
func openOnce(path string, timeout time.Duration, deadline time.Time) (d *disk, records []stored, err error) {
	var file *os.File
	// bbolt trusts the file: it panics, or reads outside of it, where it is damaged.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if damage := recover(); damage != nil {
			err = corrupt(damage)
			_ = file.Close() // to close what panicked while it wrote could wait for ever; the lock stays
		} else if d != nil && err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	var checked os.FileInfo
	if info, err := os.Stat(path); err == nil && info.Size() > 0 { //nolint:gosec // which file it is, is what the caller decides
		if checked, err = check(path, &file, timeout, deadline); err != nil {
			return nil, nil, err
		}
	}
	isChecked := func(info os.FileInfo) bool {
		return checked == nil && info.Size() == 0 || checked != nil && os.SameFile(checked, info)
	}
	db, err := openBolt(path, &file, isChecked, &bbolt.Options{
		Timeout: max(time.Until(deadline), 1), FreelistType: bbolt.FreelistMapType, PageSize: pageSize, NoFreelistSync: true,
	})
	if err != nil {
		return nil, nil, openError(err, timeout)
	}
	db.NoFreelistSync = false // it is for bbolt not to write where there may be no room
	d = &disk{DB: db, os: file, path: realPath(path)}
	if err := d.isAtPath(); err != nil {
		return d, nil, err
	}
	removeUnfinished(d.path)
	found, err := read(db, file)
	if err != nil {
		return d, nil, err
	}
	if records, err = settle(d, found); err != nil {
		return d, nil, err
	}
	if err := syncDir(filepath.Dir(d.path)); err != nil {
		return d, nil, err
	}
	return d, records, d.compactOpened()
}

// isAtPath returns errReplaced if the path is not that of the open file.
func (d *disk) isAtPath() error {
	info, err := d.os.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(d.path)
	if errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(info, named) {
		return errReplaced
	}
	return err
}

// realPath returns the absolute path of the file, which symbolic links may lead to, or the path itself if it cannot be
// found out.
func realPath(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return path
	}
	return real
}

// openBolt opens the file with bbolt, and sets *file as soon as it is open. The error is errReplaced if it is not the right
// one.
func openBolt(path string, file **os.File, isRight func(os.FileInfo) bool, options *bbolt.Options) (*bbolt.DB, error) {
	options.OpenFile = func(path string, flag int, mode os.FileMode) (*os.File, error) {
		opened, err := os.OpenFile(path, flag, mode) //nolint:gosec // which file it is, is what the caller decides
		if err != nil {
			return nil, err
		}
		onStep(stepOpened)
		info, err := opened.Stat()
		if err == nil && !isRight(info) {
			err = errReplaced
		}
		if err != nil {
			return nil, errors.Join(err, opened.Close())
		}
		*file = opened
		return opened, nil
	}
	return bbolt.Open(path, 0o600, options)
}

// openError returns the error of openBolt for the caller of Open.
func openError(err error, timeout time.Duration) error {
	var system syscall.Errno
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return lockedFor(timeout)
	case errors.As(err, &system), errors.Is(err, errReplaced):
		return err
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}

func lockedFor(timeout time.Duration) error { return fmt.Errorf("%w (waited %v)", ErrLocked, timeout) }

// check looks for damage in a file that has no list of its free pages. To find those, bbolt goes through all others when it
// opens a file to write, and does so where a panic ends the process. It returns what the system knows of the file that it
// has looked at.
func check(path string, file **os.File, timeout time.Duration, deadline time.Time) (os.FileInfo, error) {
	db, err := openBolt(path, file, func(os.FileInfo) bool { return true }, &bbolt.Options{Timeout: max(time.Until(deadline), 1), ReadOnly: true})
	if err != nil {
		return nil, openError(err, timeout)
	}
	info, err := (*file).Stat()
	var listed bool
	if err == nil {
		listed, err = hasFreelist(*file)
	}
	if err == nil && !listed {
		if _, err = read(db, *file); err == nil {
			err = checkPages(*file)
		}
	}
	return info, errors.Join(err, db.Close())
}

// hasFreelist reports whether the file has a list of its free pages, by both of its first pages: which one counts is for
// bbolt to know.
func hasFreelist(file *os.File) (bool, error) {
	const at = pageHeader + 4*4 + 2*8 // after the magic number, version, page size, flags, and the root with its sequence
	none := bytes.Repeat([]byte{0xff}, 8)
	for page := range int64(2) {
		list := make([]byte, len(none))
		if _, err := file.ReadAt(list, page*pageSize+at); err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if bytes.Equal(list, none) {
			return false, nil
		}
	}
	return true, nil
}

// checkPages returns an error if a page of the tree, or of an earlier one, claims to have overflow pages. bbolt would
// take very long to read one that claims four billion.
func checkPages(file *os.File) error {
	const branch, leaf = 1, 2
	header := make([]byte, pageHeader) // its number, flags, count, and how many pages belong to it besides
	for page := int64(2); ; page++ {
		_, err := file.ReadAt(header, page*pageSize)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		flags := binary.NativeEndian.Uint16(header[8:])
		isTree := binary.NativeEndian.Uint64(header) == uint64(page) && (flags == branch || flags == leaf)
		if isTree && binary.NativeEndian.Uint32(header[12:]) != 0 {
			return fmt.Errorf("%w: page %d is longer than any", ErrCorrupt, page)
		}
	}
}

// syncDir syncs a directory, so that the name of a new file survives a power failure, not only its content. Windows
// needs no sync.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path) //nolint:gosec // the folder of the file that the caller names
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
