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
	w := &watcher{program: p, options: o, events: events, timer: time.NewTimer(0), changedAt: time.Now(), listed: true}
	if err := w.follow(listSources(ctx, p), time.Time{}); err != nil {
		return err
	}
	for {
		if err := await(ctx, w, w.timer.C); err != nil || ctx.Err() != nil {
			return err
		}
		if err := w.attempt(ctx); err != nil {
			return err
		}
	}
}

// A watcher waits for changes, and builds them. Its fields belong to the goroutine of Run, except that a build counts itself.
type watcher struct {
	program Program
	options Options
	events  *fsnotify.Watcher
	sources *sources
	listed  bool // sources match the directories

	files, built map[string]digest  // as they are; as the last build that ended has read them, nil if there is none
	building     bool               // a build reads the files
	again        bool               // they were written meanwhile
	noticed      bool               // Changed was called, and nothing since then
	timer        *time.Timer        // when to build
	changedAt    time.Time          // of the first change that no build has; zero if there is none
	interrupt    context.CancelFunc // ends what runs; nil if nothing does, or if changes do not interrupt it
	number       int                // of the last successful build
}

// await takes changes until a channel is ready, or ctx ends. An error means that the files cannot be watched.
func await[T any](ctx context.Context, w *watcher, until <-chan T) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-until:
			return nil
		case event := <-w.events.Events:
			w.touch(event)
		case err := <-w.events.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return fmt.Errorf("files cannot be watched: %w", explain(err))
			}
			w.listed = false // the events that were lost may be of new directories
			w.update(w.sources.digests(nil))
		}
	}
}

// touch takes a change of a file or directory. While a build reads the files, one that is written unchanged has changed, too:
// the build may have read it when it was empty.
func (w *watcher) touch(event fsnotify.Event) {
	path := event.Name
	info, err := os.Stat(path)
	switch isDir := err == nil && info.IsDir(); {
	case w.sources.contains(path) && !isDir:
		files := maps.Clone(w.files)
		if sum, ok := digestOf(path); ok {
			files[path] = sum
		} else {
			delete(files, path)
		}
		if w.building && event.Op != fsnotify.Chmod || !maps.Equal(files, w.files) {
			w.update(files)
		}
	case isDir || w.sources.dirs[path]: // it may have files, or had some
		w.listed = false
		w.wait()
	}
}

// update takes the new contents of the files, and interrupts what runs.
func (w *watcher) update(files map[string]digest) {
	w.files, w.again = files, w.again || w.building
	w.wait()
	if !w.noticed {
		w.noticed = true
		w.options.Changed()
	}
	if w.interrupt != nil {
		w.interrupt()
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

// attempt builds the program if its files have changed, and lists the sources again.
func (w *watcher) attempt(ctx context.Context) error {
	saved, began, files, changed := w.changedAt, time.Now(), w.files, w.changed()
	isPatient := began.Sub(saved) >= patience
	build := w.built == nil || w.again || !maps.Equal(files, w.built)
	if w.noticed && !build {
		w.options.Unchanged()
	}
	w.changedAt, w.noticed = time.Time{}, false
	switch {
	case !build && w.listed:
		return nil // the files are as they were
	case !build:
		began = time.Time{}
	default:
		w.building, w.again = true, false
		ended, err := w.during(ctx, isPatient, func(ctx context.Context) { w.build(ctx, saved, changed) })
		if w.building = false; !ended || err != nil {
			return err
		}
		w.built = files
	}
	w.listed = true // until another directory changes
	var s *sources
	ended, err := w.during(ctx, isPatient, func(ctx context.Context) { s = listSources(ctx, w.program) })
	if !ended || err != nil {
		w.listed = false
		return err
	}
	return w.follow(s, began)
}

// during takes changes while do runs. It reports whether do has ended without an interruption, which is by a change unless
// isPatient is set, or by the end of ctx.
func (w *watcher) during(ctx context.Context, isPatient bool, do func(ctx context.Context)) (ended bool, err error) {
	running, interrupt := context.WithCancel(ctx)
	defer interrupt()
	if !isPatient {
		w.interrupt = interrupt
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(running)
		ended = running.Err() == nil
	}()
	if err = await(ctx, w, done); err != nil {
		interrupt()
	}
	<-done
	w.interrupt = nil
	return ended, err
}

// build builds the program.
func (w *watcher) build(ctx context.Context, saved time.Time, changed []string) {
	w.options.Begin(changed)
	b := w.program.build(ctx, w.options, w.number+1)
	if b.Saved = saved; b.Err == nil {
		w.number++
	}
	if ctx.Err() == nil {
		w.options.Done(ctx, b)
	}
}

// follow watches sources. A file that was not watched during the build is a change if it is as new as the build, which began
// at a time; the time is zero if nothing was built.
func (w *watcher) follow(s *sources, began time.Time) error {
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
	w.sources, w.files = s, s.digests(known)
	if w.built == nil {
		return nil
	}
	w.built = maps.Clone(w.built)
	maps.DeleteFunc(w.built, func(path string, _ digest) bool { return !s.contains(path) })
	for path, sum := range w.files {
		if _, ok := known[path]; !ok && !changedSince(path, began) {
			w.built[path] = sum
		}
	}
	if !maps.Equal(w.files, w.built) {
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
