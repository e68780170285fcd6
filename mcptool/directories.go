package mcptool

import (
	"context"
	"io/fs"
	"sync"
	"time"
	"weak"
)

// directories lists the directories of a file system for many requests at the same time. A list is used again until its
// directory changes. One directory is read at a time, and requests that wait for the same directory share the list, so that
// the memory does not depend on the number of requests. It is safe for concurrent use.
type directories struct {
	fsys    fs.FS
	shown   func(base string) bool // whether a list contains files of this name
	reading chan struct{}          // holds a value while a directory is read

	mu    sync.Mutex
	kept  map[string]*directory
	bytes int                     // of kept
	large weak.Pointer[directory] // the last list that was too large to be kept, while a request uses it
}

// directory is the list of a directory.
type directory struct {
	path    string
	names   []string  // sorted; names of directories end with a slash
	read    time.Time // when reading began
	changed time.Time // when the directory had changed last, zero if the file system does not know
	bytes   int
}

const (
	// maxDirectoryBytes limits the memory of the lists that are kept of one tree: enough for about 300 000 files.
	maxDirectoryBytes = 16 << 20
	// settled is how long a directory must not have changed before its list is used again: file systems record times in
	// steps of up to two seconds, and a change in the same step cannot be detected.
	settled = 2 * time.Second
)

func newDirectories(fsys fs.FS, shown func(base string) bool) *directories {
	return &directories{fsys: fsys, shown: shown, reading: make(chan struct{}, 1), kept: map[string]*directory{}}
}

// list returns the sorted names in a directory. Names of directories end with a slash. The caller must not modify the
// slice.
func (d *directories) list(ctx context.Context, path string) ([]string, error) {
	asked := time.Now()
	if dir := d.find(path, asked); dir != nil {
		return dir.names, nil
	}
	select {
	case d.reading <- struct{}{}:
		defer func() { <-d.reading }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if dir := d.find(path, asked); dir != nil {
		return dir.names, nil
	}
	dir, err := d.readDir(path)
	if err != nil {
		return nil, err
	}
	d.keep(dir)
	return dir.names, nil
}

// find returns the list of a directory as it was at the time asked or later; nil if there is none.
func (d *directories) find(path string, asked time.Time) *directory {
	d.mu.Lock()
	dir := d.kept[path]
	if large := d.large.Value(); dir == nil && large != nil && large.path == path {
		dir = large
	}
	d.mu.Unlock()
	switch {
	case dir == nil:
		return nil
	case !dir.read.Before(asked):
		return dir
	case dir.changed.IsZero() || dir.read.Sub(dir.changed) < settled:
		return nil
	}
	if info, err := fs.Stat(d.fsys, path); err != nil || !info.ModTime().Equal(dir.changed) {
		return nil
	}
	return dir
}

// readDir reads a directory.
func (d *directories) readDir(path string) (*directory, error) {
	const perName = 16 // memory of a string without its bytes
	dir := &directory{path: path, read: time.Now()}
	if info, err := fs.Stat(d.fsys, path); err == nil {
		dir.changed = info.ModTime()
	}
	entries, err := fs.ReadDir(d.fsys, path)
	if err != nil {
		return nil, err
	}
	dir.names = make([]string, 0, len(entries))
	for _, e := range entries {
		name := e.Name()
		if !d.shown(name) {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		dir.names = append(dir.names, name)
		dir.bytes += perName + len(name)
	}
	return dir, nil
}

// keep replaces the cached list of a directory. If the total would exceed the limit, all other lists are dropped.
func (d *directories) keep(dir *directory) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if old := d.kept[dir.path]; old != nil {
		delete(d.kept, dir.path)
		d.bytes -= old.bytes
	}
	if dir.bytes > maxDirectoryBytes {
		d.large = weak.Make(dir)
		return
	}
	const fixed = 256 // memory of an empty directory
	if dir.bytes += fixed + len(dir.path); d.bytes+dir.bytes > maxDirectoryBytes {
		clear(d.kept)
		d.bytes = 0
	}
	d.kept[dir.path] = dir
	d.bytes += dir.bytes
}
