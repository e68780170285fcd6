package boltstore

import (
	"bytes"
	"cmp"
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

	"github.com/mcptool-go/mcptool/internal/setting"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskqueue"
)

// Errors of a [Store], in addition to the errors of package task; test with [errors.Is].
var (
	// ErrLocked means that another [Store], usually in another process, has the file open.
	ErrLocked = errors.New("the file is in use by another process")
	// ErrCorrupt means that the file is damaged, was not written by this package, or has a format of another version of
	// it. The file is not changed, and may stay locked until the process exits. To start with an empty store, use
	// another file.
	ErrCorrupt = errors.New("the file is damaged, or not a file of tasks")
	// ErrClosed means that the store has been closed.
	ErrClosed = errors.New("the store of tasks is closed")
)

// corrupt returns the error for a panic of bbolt on a damaged file. It drops the text of a runtime error, which is
// useless to callers.
func corrupt(damage any) error {
	if _, ok := damage.(runtime.Error); ok {
		return ErrCorrupt
	}
	return fmt.Errorf("%w: %v", ErrCorrupt, damage)
}

// Limits limits the tasks in a [Store]. A member that is zero means its default; a negative one is an error of [Open].
// Records already in the file when it is opened are kept, regardless of the limits.
type Limits struct {
	// Tasks is the number of tasks; default 10 000. A task counts until its TTL has passed.
	Tasks int
	// PerPrincipal is the number of tasks per principal of a tenant; default 1 000. All unauthenticated callers of
	// a tenant together are one principal.
	PerPrincipal int
	// Bytes is the total size of records in the file, in bytes, at which Create fails; default 256 MiB. Running tasks
	// can still end, with results beyond it.
	Bytes int64
	// Lock is how long [Open] waits for another process to close the file; default 1 s. A server that replaces one
	// during its shutdown may need more.
	Lock time.Duration
	// Lease is the duration of the lease of a durable task unless it is renewed; default 15 s, minimum 1 s. Since there
	// is only one process, it matters only if that process is suspended for so long.
	Lease time.Duration
}

// withDefaults returns the limits with the defaults filled in. The error has all that are negative.
func (l Limits) withDefaults() (Limits, error) {
	with := l
	with.Tasks, with.PerPrincipal = cmp.Or(l.Tasks, 10_000), cmp.Or(l.PerPrincipal, 1_000)
	with.Bytes, with.Lock = cmp.Or(l.Bytes, 256<<20), cmp.Or(l.Lock, time.Second)
	return with, errors.Join(
		setting.NotNegative("Limits.Tasks", l.Tasks, "means the default, 10000"),
		setting.NotNegative("Limits.PerPrincipal", l.PerPrincipal, "means the default, 1000"),
		setting.NotNegative("Limits.Bytes", l.Bytes, "means the default, 256 MiB"),
		setting.NotNegative("Limits.Lock", l.Lock, "means the default, 1s"),
		setting.NotNegative("Limits.Lease", l.Lease, "means the default, 15s"),
	)
}

// Open opens the file of a store, or creates it with permissions only for the user of the process (0600). Tasks in it
// that have not ended fail, because their process has exited; durable ones can be claimed instead. Open reads the whole
// file and checks each record. It does not always detect missing records in a damaged file, for example the latest
// ones. It compacts a file that is mostly free, see the package documentation; a failure of that is not an error. The
// error is [ErrLocked], [ErrCorrupt] or one of the operating system, and its text contains the path of the file; or it
// lists the mistakes in the limits.
func Open(path string, limits Limits) (*Store, error) {
	limits, err := limits.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("boltstore: %w", err)
	}
	file, found, err := openFile(path, limits.Lock)
	if err != nil {
		return nil, fmt.Errorf("boltstore: %s: %w", path, err)
	}
	s := &Store{
		limits: limits, path: path, file: file, closed: make(chan struct{}),
		tasks: map[string]*entry{}, owned: map[task.Owner]map[*entry]struct{}{},
		leases: taskqueue.NewLeases(limits.Lease), wake: make(chan struct{}, 1), written: make(chan struct{}),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addStored(found)
	s.retry = time.AfterFunc(retryDeletions, s.deleteLater)
	if file.wasteful(compactLive) { // compaction in openOnce has failed
		s.compaction = time.AfterFunc(compactRetry, s.compactNow)
	}
	go s.writeAll()
	return s, nil
}

// addStored adds the records in the file, and deletes expired ones. The caller holds s.mu.
func (s *Store) addStored(all found) {
	for _, key := range all.expired {
		s.last = max(s.last, key) // its number is in use until it is deleted
		s.enqueue(write{key: key})
	}
	for _, stored := range all.kept {
		e := s.add(&stored.record)
		e.key, e.size = stored.key, stored.size
		s.last, s.bytes = max(s.last, stored.key), s.bytes+stored.size
		s.keep(e)
		if !e.record.Status.Ended() { // a durable task of an earlier process
			s.leases.Free(e.record.ID)
		}
	}
}

// deleteLater makes the writer retry failed deletions.
func (s *Store) deleteLater() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.undeleted) > 0 {
		s.wakeWriter()
	}
}

// Close waits for pending writes and closes the file. After that all methods return [ErrClosed], including running
// calls of Wait and Claim and a second Close. For tasks that have not ended when the file is opened again, see [Open].
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

// stored is a record in the file without the parts that are only in the file.
type stored struct {
	key    uint64
	size   int64
	record task.Record
}

// errReplaced means that the path no longer names the opened file.
var errReplaced = errors.New("the file has been replaced")

// openFile opens the file and reads its contents. A lock belongs to a file and not to its name: after waiting for the
// lock, a process may hold the lock of a file that another process has replaced; see compact. It then waits for the
// lock of the new file.
func openFile(path string, timeout time.Duration) (*disk, found, error) {
	deadline := time.Now().Add(timeout)
	for {
		d, all, err := openOnce(path, timeout, deadline)
		switch {
		case !errors.Is(err, errReplaced):
			return d, all, err
		case !time.Now().Before(deadline):
			return nil, found{}, lockedFor(timeout)
		}
	}
}

// openOnce is like openFile, but returns errReplaced if the file is replaced before it is locked.
func openOnce(path string, timeout time.Duration, deadline time.Time) (d *disk, all found, err error) {
	var file *os.File
	// bbolt panics or reads out of bounds on a damaged file.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if damage := recover(); damage != nil {
			err = corrupt(damage)
			_ = file.Close() // db.Close could deadlock after a panic; the lock stays
		} else if d != nil && err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	db, err := openBolt(path, &file, &bbolt.Options{
		Timeout: max(time.Until(deadline), 1), FreelistType: bbolt.FreelistMapType, PageSize: pageSize, NoFreelistSync: true,
	})
	if err != nil {
		return nil, all, openError(err, timeout)
	}
	db.NoFreelistSync = false // set until now so that opening the file writes nothing: the disk may be full
	d = &disk{DB: db, os: file, path: realPath(path)}
	if err := d.isAtPath(); err != nil {
		return d, all, err
	}
	removeUnfinished(d.path)
	if all, err = read(db, file); err != nil {
		return d, all, err
	}
	if err := settle(d, &all); err != nil {
		return d, all, err
	}
	if err := syncDir(filepath.Dir(d.path)); err != nil {
		return d, all, err
	}
	return d, all, d.compactOpened()
}

// isAtPath returns errReplaced if the path does not name the open file.
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

// realPath returns the absolute path of the file without symbolic links, or the path itself on failure.
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

// openBolt opens the file with bbolt, and sets *file as soon as it is open.
func openBolt(path string, file **os.File, options *bbolt.Options) (*bbolt.DB, error) {
	options.OpenFile = func(path string, flag int, mode os.FileMode) (*os.File, error) {
		opened, err := os.OpenFile(path, flag, mode) //nolint:gosec // the caller chooses the file
		if err != nil {
			return nil, err
		}
		onStep(stepOpened)
		if err := hasFreelist(opened); err != nil {
			return nil, errors.Join(err, opened.Close())
		}
		*file = opened
		return opened, nil
	}
	return bbolt.Open(path, 0o600, options)
}

// openError converts an error of openBolt for the caller of Open.
func openError(err error, timeout time.Duration) error {
	var system syscall.Errno
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return lockedFor(timeout)
	case errors.As(err, &system), errors.Is(err, ErrCorrupt):
		return err
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}

func lockedFor(timeout time.Duration) error { return fmt.Errorf("%w (waited %v)", ErrLocked, timeout) }

// hasFreelist returns an error if a file is without a list of free pages according to one of its meta pages; only bbolt
// determines which one is valid. This package always writes the list. Without one, bbolt reads all other pages when it
// opens the file, in a goroutine where damage would end the process.
func hasFreelist(file *os.File) error {
	const at = pageHeader + 4*4 + 2*8 // after the magic number, version, page size, flags, and the root with its sequence
	none := bytes.Repeat([]byte{0xff}, 8)
	for page := range int64(2) {
		list := make([]byte, len(none))
		if _, err := file.ReadAt(list, page*pageSize+at); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if bytes.Equal(list, none) {
			return fmt.Errorf("%w: it has no list of free pages", ErrCorrupt)
		}
	}
	return nil
}

// syncDir syncs a directory, so that the name of a new file survives a power failure, not only its contents. Windows
// does not need this.
func syncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path) //nolint:gosec // the directory of the caller's file
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
