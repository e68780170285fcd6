package watch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Times of a build after a change.
const (
	quiet     = 50 * time.Millisecond  // without changes; editors write a file in several steps
	quietFile = 200 * time.Millisecond // the same for a program that something else writes
	patience  = time.Second            // of changes without a pause
)

// Options configure [Run].
type Options struct {
	// Dir is a directory for the programs, which Run does not share and does not remove. It is absolute.
	Dir string
	// Env is the environment of the go command; nil means the environment of this process.
	Env []string
	// Changed is called when a change is noticed, which is before the build of it begins. Unchanged is called instead of
	// Begin if the change was undone before that. They may be called while Begin or Done run.
	Changed, Unchanged func()
	// Begin is called when a build begins. Changed has the names of the files that have changed, relative to the directory
	// of the program if they are below it; it is empty for the first build.
	Begin func(changed []string)
	// Done is called when a build ends, unless a change has interrupted it. Its context ends when the sources change
	// again, or Run ends. A build begins after Done has returned.
	Done func(ctx context.Context, b Build)
}

// A Build is a version of a program.
type Build struct {
	Number  int       // counts builds that succeed, from 1
	Saved   time.Time // when the first of its changes was noticed
	Command []string  // runs the program; nil if there is none
	Err     error     // the reason if Command is nil; a [*gocommand.Error] has the output of the compiler
}

// Run builds a program, and again after each change of its sources, until ctx ends. Then it returns nil, when no build
// is left. An error means that the files cannot be watched.
func Run(ctx context.Context, p Program, o Options) error {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("files cannot be watched: %w", explain(err))
	}
	defer func() { _ = events.Close() }() // nothing is written
	w := &watcher{program: p, options: o, events: events, timer: time.NewTimer(0), changedAt: time.Now()}
	if err := w.follow(listSources(ctx, p, o.Env), nil); err != nil {
		return err
	}
	return w.run(ctx)
}

// A watcher waits for changes, and runs one attempt at a time. Its fields belong to the goroutine of run.
type watcher struct {
	program Program
	options Options
	events  *fsnotify.Watcher
	sources *sources

	files, built map[string]digest // as they are; as the last build that ended has read them, nil if there is none
	interrupted  bool              // the last build was
	listed       bool              // sources match files
	noticed      bool              // Changed was called, and nothing since then
	timer        *time.Timer       // when to start the next attempt
	changedAt    time.Time         // of the first change that no attempt has; zero if there is none
	current      *attempt          // nil if there is none
	number       int               // of the last successful build
}

// An attempt builds what has changed, and lists the sources again.
type attempt struct {
	cancel  context.CancelFunc
	build   bool // and not only list
	patient bool // changes do not interrupt it
	began   time.Time
	files   map[string]digest // when it began
	done    chan outcome
}

// An outcome is the result of an attempt.
type outcome struct {
	built   bool     // the build ended, and Done was not interrupted
	number  int      // of the last successful build
	sources *sources // nil if they were not listed
}

func (w *watcher) run(ctx context.Context) error {
	defer func() {
		if w.current != nil {
			w.current.cancel()
			<-w.current.done
		}
	}()
	for {
		var done chan outcome
		if w.current != nil {
			done = w.current.done
		}
		select {
		case <-ctx.Done():
			return nil
		case event := <-w.events.Events:
			w.touch(event.Name)
		case err := <-w.events.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return fmt.Errorf("files cannot be watched: %w", explain(err))
			}
			w.listed = false // the events that were lost may be of new directories
			w.update(w.sources.digests(nil))
		case <-w.timer.C:
			w.start(ctx)
		case result := <-done:
			if err := w.finish(result); err != nil {
				return err
			}
		}
	}
}

// touch takes a change of a file or directory.
func (w *watcher) touch(path string) {
	info, err := os.Stat(path)
	switch isDir := err == nil && info.IsDir(); {
	case w.sources.contains(path) && !isDir:
		files := maps.Clone(w.files)
		if sum, ok := digestOf(path); ok {
			files[path] = sum
		} else {
			delete(files, path)
		}
		w.update(files)
	case isDir || w.sources.dirs[path]: // it may have files, or had some
		w.listed = false
		w.wait()
	}
}

// update takes the contents of the files, and interrupts an attempt with other contents.
func (w *watcher) update(files map[string]digest) {
	if maps.Equal(files, w.files) {
		return
	}
	w.files = files
	w.wait()
	newest := w.built
	if w.current != nil && w.current.build {
		newest = w.current.files
	}
	if !w.noticed && !maps.Equal(files, newest) {
		w.noticed = true
		w.options.Changed()
	}
	if w.current != nil && !w.current.patient && !maps.Equal(files, w.current.files) {
		w.current.cancel()
	}
}

// wait schedules the next attempt.
func (w *watcher) wait() {
	if w.changedAt.IsZero() {
		w.changedAt = time.Now()
	}
	pause := quiet
	if w.program.File != "" {
		pause = quietFile
	}
	w.timer.Reset(min(pause, time.Until(w.changedAt.Add(patience))))
}

// start starts an attempt if something has changed, unless one is running.
func (w *watcher) start(ctx context.Context) {
	if w.current != nil {
		return // finish schedules the next one
	}
	saved := w.changedAt
	w.changedAt = time.Time{}
	build := w.built == nil || w.interrupted || !maps.Equal(w.files, w.built)
	if w.noticed && !build {
		w.options.Unchanged()
	}
	if w.noticed = false; !build && w.listed {
		return // the files are as they were
	}
	changed := w.changed()
	ctx, cancel := context.WithCancel(ctx)
	a := &attempt{cancel: cancel, build: build, patient: time.Since(saved) >= patience, began: time.Now(), files: w.files, done: make(chan outcome, 1)}
	w.current, w.listed = a, false
	result := outcome{number: w.number}
	go func() {
		if a.build {
			w.options.Begin(changed)
			b := w.program.build(ctx, w.options, w.number+1)
			if b.Saved = saved; b.Err == nil {
				result.number++
			}
			if ctx.Err() == nil {
				w.options.Done(ctx, b)
			}
			result.built = ctx.Err() == nil
		}
		if s := listSources(ctx, w.program, w.options.Env); ctx.Err() == nil {
			result.sources = s
		}
		a.done <- result
	}()
}

// finish takes the outcome of the attempt.
func (w *watcher) finish(r outcome) error {
	a := w.current
	a.cancel()
	w.current, w.number = nil, r.number
	if a.build {
		if w.interrupted = !r.built; r.built {
			w.built = a.files
		}
	}
	if !w.changedAt.IsZero() {
		w.wait()
	}
	if r.sources == nil {
		return nil
	}
	return w.follow(r.sources, a)
}

// follow watches the sources that an attempt has listed; nil means the first ones. A file that was not watched while the
// attempt built is a change if it is as new as the build.
func (w *watcher) follow(s *sources, a *attempt) error {
	if w.sources != nil {
		for dir := range w.sources.dirs {
			if !s.dirs[dir] {
				_ = w.events.Remove(dir) // it may have been removed
			}
		}
	}
	for dir := range s.dirs { // also those that are watched: one that was removed and made again is not
		if err := w.events.Add(dir); err != nil && exists(dir) {
			return fmt.Errorf("%s cannot be watched: %w", dir, explain(err))
		}
	}
	known := w.files
	w.sources, w.files, w.listed = s, s.digests(known), true
	if w.built == nil {
		return nil
	}
	built := maps.Clone(w.built)
	maps.DeleteFunc(built, func(path string, _ digest) bool { return !s.contains(path) })
	for path, sum := range w.files {
		if _, ok := known[path]; !ok && a.build && !changedSince(path, a.began) {
			built[path] = sum
		}
	}
	if w.built = built; !maps.Equal(w.files, w.built) {
		w.wait()
	}
	return nil
}

// changedSince reports whether a file was changed after a time, or so shortly before it that its time may be coarse.
func changedSince(path string, t time.Time) bool {
	info, err := os.Stat(path)
	return err != nil || info.ModTime().After(t.Add(-quiet/2))
}

// changed returns the names of the files that differ from the last build, relative to the directory of the program if
// they are below it.
func (w *watcher) changed() []string {
	if w.built == nil {
		return nil
	}
	var names []string
	for _, files := range []map[string]digest{w.files, w.built} {
		for path := range files {
			if name, err := filepath.Rel(absolute(w.program.Dir, "."), path); w.files[path] != w.built[path] {
				if err != nil || !filepath.IsLocal(name) {
					name = path
				}
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// explain adds what to do to an error of the system.
func explain(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w: the limit of watched directories is reached; raise it: sysctl fs.inotify.max_user_watches=524288", err)
	case errors.Is(err, syscall.EMFILE):
		return fmt.Errorf("%w: too many programs watch files, or too many files are open; raise the limit: sysctl fs.inotify.max_user_instances=512, or ulimit -n", err)
	default:
		return err
	}
}
