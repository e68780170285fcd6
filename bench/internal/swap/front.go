package swap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/process"
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
	options Options
	ctx     context.Context // ends with Close
	stop    context.CancelFunc
	work    sync.WaitGroup // everything that Close waits for
	using   sync.Mutex     // held while a version is started, and while a client on stdio arrives

	mu      sync.Mutex
	state   state
	changed chan struct{} // closed when state changes
	clients map[*client]struct{}
	http    httpState
}

// A state determines how calls are answered.
type state struct {
	changes  int      // the number of calls of Changed and Building
	began    int      // the same when the last build began
	building bool     // they wait
	fault    string   // they get this; "" if a process answers
	version  *Version // the last one used; nil before the first
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
	f := &Front{options: o, state: state{building: true}, changed: make(chan struct{}), clients: map[*client]struct{}{}}
	f.http = newHTTPState()
	f.ctx, f.stop = context.WithCancel(context.Background())
	return f
}

// Changed reports a change of the source: calls wait for a build that begins later, see [Front.Building].
func (f *Front) Changed() {
	f.set(func(s *state) { s.building, s.changes = true, s.changes+1 })
}

// Building reports the start of a build: calls wait until [Front.Use] or [Front.Broken].
func (f *Front) Building() {
	f.set(func(s *state) { s.building, s.changes, s.began = true, s.changes+1, s.changes+1 })
}

// Broken reports that the build has failed. Calls get text until the next [Front.Building]; see [Options.KeepLast]. The
// text should have the first lines of the compiler. Lists are still answered by the old version. If the source has
// changed since the build began, calls continue to wait.
func (f *Front) Broken(text string) {
	f.set(func(s *state) {
		s.building, s.fault = s.changes != s.began, cmp.Or(text, "the build of the server failed")
	})
}

// Unchanged takes [Front.Changed] back: calls continue as before.
func (f *Front) Unchanged() {
	f.set(func(s *state) { s.building, s.changes = false, s.began })
}

// set changes the state.
func (f *Front) set(change func(*state)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.state)
	close(f.changed)
	f.changed = make(chan struct{})
}

// current returns the state, and a channel that is closed when it changes.
func (f *Front) current() (state, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state, f.changed
}

var errClosed = errors.New("the front is closed")

// Use replaces the server with v. It starts v for all connected clients, and repeats there what the old process knew
// about them. Then clients get list_changed, and waiting and new requests go to v. The old process ends on its own time,
// see [Options.Grace]; Use does not wait for that.
//
// If v does not start, or does not answer the handshake of a client on stdio, Use returns the reason, and calls get it
// as after [Front.Broken]. Over HTTP, Use returns when v listens; a session is repeated when it is used next. If ctx
// ends first, v is stopped, and the front stays in the state before the call. If the source has changed since the build
// began, calls continue to wait.
func (f *Front) Use(ctx context.Context, v Version) error {
	f.using.Lock()
	defer f.using.Unlock()
	before, _ := f.current()
	clients, err := f.connected()
	switch {
	case err != nil:
		return err
	case len(v.Command) == 0:
		return errors.New("a version needs a command")
	case v.Addr != "" && len(clients) > 0:
		return errors.New("a client is connected over stdio, and the new version listens on " + v.Addr)
	case v.Addr != "":
		err = f.listen(ctx, v)
	default:
		err = useAll(ctx, clients, v)
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f.set(func(s *state) {
		s.building = s.changes != before.began
		if s.fault = ""; err == nil || v.Addr == "" { // a client on stdio has its own fault
			s.version = &v
		} else {
			s.fault = err.Error()
		}
	})
	return err
}

// connected returns the clients on stdio.
func (f *Front) connected() (all []*client, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.clients {
		all = append(all, c)
	}
	if f.ctx.Err() != nil {
		err = errClosed
	}
	return all, err
}

// useAll starts a version for all clients on stdio.
func useAll(ctx context.Context, clients []*client, v Version) error {
	results := make(chan error, len(clients))
	for _, c := range clients {
		go func() { results <- c.use(ctx, v) }()
	}
	var errs []error
	for range clients {
		errs = append(errs, <-results)
	}
	return errors.Join(errs...)
}

// Close ends all clients and processes, gracefully at first, and waits for their end. Nothing is left running. Further
// calls of methods do nothing, or return an error.
func (f *Front) Close() error {
	f.mu.Lock()
	f.stop()
	f.mu.Unlock()
	f.work.Wait()
	f.http.transport.CloseIdleConnections()
	return nil
}

// join adds a part of the front that Close waits for. It returns false after Close; else the part calls f.work.Done at
// its end.
func (f *Front) join() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil {
		return false
	}
	f.work.Add(1)
	return true
}

// start starts the process of a version.
func (f *Front) start(v Version) (*process.Running, error) {
	cmd := exec.CommandContext(context.Background(), v.Command[0], v.Command[1:]...)
	cmd.Dir = v.Dir
	if len(v.Env) > 0 {
		cmd.Env = append(os.Environ(), v.Env...)
	}
	return process.Start(cmd, f.options.Stderr)
}

// hint reports capabilities that clients do not know.
func (f *Front) hint(capabilities []string) {
	if len(capabilities) > 0 {
		f.options.Logf("the new version has %s, which a client learns when it connects again", strings.Join(capabilities, " and "))
	}
}

// explain adds the end of the stderr of a process to the reason of its end.
func (f *Front) explain(why string, p *process.Running) string {
	if tail := p.Stderr.String(); tail != "" {
		why += "; its stderr:\n" + f.options.Redact(tail)
	}
	return why
}

// ended returns how a process ended by itself.
func (f *Front) ended(p *process.Running) string {
	why := "the server has closed its stdout"
	if status, _, ok := p.Exit(); ok {
		why = fmt.Sprintf("the server has ended (%s)", status)
	}
	return f.explain(why, p)
}
