package swap

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// Options configure a [Front]. The zero value is usable.
type Options struct {
	// Grace is how long a replaced process may take to answer the requests it has; 0 means 10 s.
	Grace time.Duration
	// Start is how long a new process may take to listen and to answer the handshake, and how long the handshake of a
	// client waits for the first build; 0 means 20 s. Many clients wait 30 s.
	Start time.Duration
	// KeepLast lets the old version answer calls after [Front.Broken], if there is one.
	KeepLast bool
	// Stderr receives the stderr of all processes, and lines on their stdout that are not messages. It is used
	// concurrently. Nil discards them.
	Stderr io.Writer
	// Redact removes secrets from the end of the stderr of a process, which is a part of errors that clients get. Nil
	// removes nothing.
	Redact func(text string) string
	// Logf reports what a developer should know: a process that ended, a version that a client cannot use, output that
	// is not MCP. It may be called concurrently. Nil discards it.
	Logf func(format string, args ...any)
}

// A Version is one build of the server: how to start it.
type Version struct {
	// Command is the program with its arguments.
	Command []string
	// Dir is the directory it runs in; "" is the current one.
	Dir string
	// Env is added to the environment, as KEY=VALUE.
	Env []string
	// Addr is where it listens, as host:port. Two versions run at the same time, so each needs its own port. "" means
	// that it serves stdin and stdout.
	Addr string
}

// A Front keeps the connections of clients while the server behind it is replaced. Its methods may be called
// concurrently; [Front.Use] waits for an earlier Use.
type Front struct {
	options  Options
	ctx      context.Context // ends with Close
	stop     context.CancelFunc
	work     sync.WaitGroup  // everything that Close waits for
	using    sync.Mutex      // held by Use
	upstream *http.Transport // to servers over HTTP

	mu       sync.Mutex    // guards what is below, the state of clients and the fields of servers
	changed  chan struct{} // closed when that changes who answers requests
	stdio    *client       // nil if there is none
	building bool          // calls wait
	changes  int           // the number of calls of Changed and Building
	began    int           // the same when the last build began
	broken   string        // why the last build failed; "" if it did not
	version  *Version      // the last one used; nil before the first

	sessions map[string]*session // over HTTP
	shared   *session            // of requests over HTTP without a session

	started int // the number of servers until now
	servers map[*server]struct{}
	current *server     // answers new requests unless it has ended; nil if there is none
	next    *server     // is made ready, and then becomes current; nil if there is none
	used    func(error) // takes the outcome for next; nil if its version is not new
	fault   string      // why the last version that was started answers no calls; "" if it does
	held    []*request  // they wait, in order
}

// New returns a front without a server. It is in the state after [Front.Building].
func New(o Options) *Front {
	o.Grace, o.Start = cmp.Or(o.Grace, 10*time.Second), cmp.Or(o.Start, 20*time.Second)
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	f := &Front{
		options: o, building: true, changed: make(chan struct{}), servers: map[*server]struct{}{},
		sessions: map[string]*session{}, shared: new(session),
		upstream: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 100},
	}
	f.ctx, f.stop = context.WithCancel(context.Background())
	return f
}

// Changed reports a change of the source: calls wait for a build that begins later, see [Front.Building].
func (f *Front) Changed() {
	f.set(func() { f.building, f.changes = true, f.changes+1 })
}

// Building reports the start of a build: calls wait until [Front.Use] or [Front.Broken].
func (f *Front) Building() {
	f.set(func() { f.building, f.changes, f.began = true, f.changes+1, f.changes+1 })
}

// Broken reports that the build has failed. Calls get text until the next [Front.Building]; see [Options.KeepLast]. The
// text should have the first lines of the compiler. Lists are still answered by the old version. If the source has
// changed since the build began, calls continue to wait.
func (f *Front) Broken(text string) {
	f.set(func() {
		f.building, f.broken = f.changes != f.began, cmp.Or(text, "the build of the server failed")
	})
}

// Unchanged takes [Front.Changed] back: calls continue as before.
func (f *Front) Unchanged() {
	f.set(func() { f.building, f.changes = false, f.began })
}

// set changes the state.
func (f *Front) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	f.wake()
}

// Use replaces the server with v. It starts v, over stdio if there is a client, and repeats there what the old process knew
// about clients. Then these get list_changed, and waiting and new requests go to v. The old process ends on its own time,
// see [Options.Grace]; Use does not wait for that.
//
// If v does not start, or does not answer the handshake of a client on stdio, Use returns the reason, and calls get it
// as after [Front.Broken]. Over HTTP, Use returns when v listens; a session is repeated when it is used next. If ctx
// ends first, v is stopped, and the front stays in the state before the call. If the source has changed since the build
// began, calls continue to wait.
func (f *Front) Use(ctx context.Context, v Version) error {
	f.using.Lock()
	defer f.using.Unlock()
	var err error
	outcome := make(chan struct{})
	f.mu.Lock()
	if why := f.refuses(v); why != nil {
		f.mu.Unlock()
		return why
	}
	began := f.began
	f.start(v, func(why error) {
		f.building, f.broken, f.version = f.changes != began, "", &v
		err = why
		close(outcome)
	})
	next := f.next
	f.mu.Unlock()
	select {
	case <-outcome:
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if next != nil && next == f.next { // ctx has ended first
		f.abandon()
		f.wake()
		return context.Cause(ctx)
	}
	return err
}

// refuses returns why a version cannot be used now.
func (f *Front) refuses(v Version) error {
	switch {
	case f.ctx.Err() != nil:
		return errClosed
	case len(v.Command) == 0:
		return errors.New("a version needs a command")
	case v.Addr != "" && f.stdio != nil:
		return errors.New("a client is connected over stdio, and the new version listens on " + v.Addr)
	}
	return nil
}

// Close ends all clients and processes, gracefully at first, and waits for their end. Nothing is left running. Further
// calls of methods do nothing, or return an error.
func (f *Front) Close() error {
	f.mu.Lock()
	f.stop()
	f.mu.Unlock()
	f.work.Wait()
	f.upstream.CloseIdleConnections()
	return nil
}

// join adds a call that Close waits for. It returns false after Close; else the call ends with f.work.Done.
func (f *Front) join() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil {
		return false
	}
	f.work.Add(1)
	return true
}
