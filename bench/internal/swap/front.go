package swap

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// Options configure a [Front]. The zero value is usable.
type Options struct {
	// Grace is how long a replaced process may take to answer the requests it has; 0 means 10 s.
	Grace time.Duration
	// Start is how long a new process may take to listen and to answer the handshake, and how long a client waits for
	// the first build with its handshake; 0 means 20 s, less than the 30 s that clients wait.
	Start time.Duration
	// KeepLast lets the old version answer calls after [Front.Broken], if there is one.
	KeepLast bool
	// Stderr receives the stderr of all processes, and lines on their stdout that are not messages. It is used
	// concurrently. Nil discards them.
	Stderr io.Writer
	// Logf reports what a developer should know, in one line without a newline: a process that ended, a version that a
	// client cannot use, output that is not MCP. It may be called concurrently. Nil discards it.
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
// concurrently, except that [Front.Use] is called once at a time.
type Front struct {
	options Options
	mu      sync.Mutex
}

// New returns a front without a server. It is in the state of [Front.Building].
func New(o Options) *Front { return &Front{options: o} }

// Building says that a build has begun: calls wait until [Front.Use] or [Front.Broken].
func (f *Front) Building() {}

// Use replaces the server with v. It starts v for all connected clients, and repeats there what the old process knew
// about them. Then clients get list_changed, and waiting and new requests go to v. The old process ends on its own time,
// see [Options.Grace]; Use does not wait for that.
//
// If v does not start, or does not answer the handshake of the client on stdio, Use returns the reason and does the
// same as [Front.Broken] with it. Over HTTP, Use returns when v listens; a session is repeated when it is used next.
// If ctx ends first, v is stopped, and the front stays in the state before the call.
func (f *Front) Use(ctx context.Context, v Version) error { return nil }

// Broken says that the build has failed. Calls get text until the next [Front.Building]; see [Options.KeepLast]. The
// text should have the first lines of the compiler. Lists are still answered by the old version.
func (f *Front) Broken(text string) {}

// ServeStdio serves the client that writes to in and reads from out, one message a line, until in ends, ctx ends, or out
// fails. Only a front whose versions have no Addr can do this. It may be called for several clients.
//
// It returns after all processes of the client have ended, gracefully at first. The error is nil if in has ended, or an
// [*exec.ExitError] if the process then ended with another status than 0; else the cause of the end.
//
// A read of in cannot be interrupted. So if ServeStdio returns because of ctx or out, one goroutine remains until in
// ends or is closed.
func (f *Front) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error { return nil }

// ServeHTTP serves clients of Streamable HTTP. Only a front whose versions have an Addr can do this. The path and the
// headers are those of the request, also Host and Origin, so that the server can check them. The front refuses a
// request to a loopback address with another Host (DNS rebinding), and answers by itself only if Origin is absent or a
// loopback host.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {}

// Close ends all clients and processes, gracefully at first, and waits for their end. Nothing is left running. Further
// calls of methods do nothing, or return an error.
func (f *Front) Close() error { return nil }
