package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/ask"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/runtime/internal/connection"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// call is one request that runs code of the program: a tool, prompt, resource, completion or custom method. It is the
// context of the func that it runs. Since the func may keep its context, calls are not reused.
type call struct {
	from *origin
	out  respond.Out                 // where its messages are sent
	op   atomic.Pointer[observation] // of the request, or of the task that it has become

	context callContext
	target  *toolState // what it runs
	access  *Access    // of the caller

	// Raw JSON; nil if absent. The arguments are a part of the message if the goroutine that has read it runs the call;
	// otherwise, like the others, a copy. The arguments of a resource are the variables of its URI.
	id, args, meta []byte

	extra   atomic.Pointer[callExtras]
	version wire.Version
	small   [7]byte // memory for id and other short values
}

// Size returns the number of bytes that the call holds while it waits.
func (c *call) Size() int {
	return len(c.id) + len(c.given()) + len(c.meta)
}

// given returns the input from the client as JSON: the URI of a resource, otherwise the arguments.
func (c *call) given() []byte {
	if uri := c.extras().uri; uri != nil {
		return uri.raw
	}
	return c.args
}

// Own copies the parts of the message that the call refers to, so that the call can outlive the text.
func (c *call) Own() {
	if uri := c.extras().uri; uri != nil { // its variables are not in the text of the message
		uri.raw = bytes.Clone(uri.raw)
		return
	}
	c.args = bytes.Clone(c.args)
}

// note sends a notification.
func (c *call) note(msg []byte) { c.from.sent(c.out.Notify(msg)) }

// Key implements [respond.Pending].
func (c *call) Key() string { return envelope.Key(c.id) }

// IsUnread implements [respond.Pending].
func (c *call) IsUnread() bool { return c.extras().runner == nil && c.out.IsSending() }

// Output implements [taskengine.Call].
func (c *call) Output() *respond.Out { return &c.out }

// Leave implements [connection.Call], like the methods below. It stops counting c as a call in flight, and releases the
// memory that it holds.
func (c *call) Leave() {
	c.from.inFlight.Give(c.access.caller(), 1)
	x := c.extras()
	if x.reserved != nil {
		x.reserved.Release()
	}
	if x.contents.Load() > 0 {
		c.release()
	}
}

// Overran records that the call was not quick, unless that is because the client reads slowly.
func (c *call) Overran() {
	if !c.out.IsSending() {
		c.target.pace.took(quick)
	}
}

// Waits returns nil for a call that is or may become a task, which has its own goroutine.
func (c *call) Waits() *int {
	x := c.needExtras()
	if x.runner != nil {
		return nil
	}
	return &x.waits
}

// Outer returns the call for a list, for the call that runs a lister.
func (c *call) Outer() connection.Call {
	if outer := c.extras().within; outer != nil {
		return outer
	}
	return c
}

// isTask reports whether the call has become a task. Tasks that do not end are logged by package tasks.
func (c *call) isTask() bool {
	runner := c.extras().runner
	return runner != nil && runner.IsTask()
}

// callExtras are the fields that few calls need. They are allocated when the first of them is set, because every call
// is allocated, and quick ones should be cheap.
type callExtras struct {
	asking   atomic.Pointer[replay.Run] // requests to the client; nil if there are none
	waits    int                        // number of reasons why other calls run in its place; guarded by the connection
	late     chan struct{}              // closed when its timeout has expired; nil if not used
	uri      *readURI                   // the URI to read; nil if the call does not read a resource
	within   *call                      // the call that waits for this one: of a lister; nil if there is none
	parents  *parents                   // contexts that its context derives from; nil means the contexts of its origin
	values   context.Context            // of the request that the transport has received; nil if there are none
	runner   taskengine.Runner          // nil if the call neither is nor becomes a task
	reserved *engine.Reservation        // held while the call is in flight; nil if the transport reserves nothing
	contents atomic.Int64               // bytes reserved for its arguments and for files that it reads, see Reserve
	logLevel wire.LogLevel              // minimum level for the client, of a modern request
	slots    atomic.Int32               // slots for long work that it has
	use      *limitUse                  // of the limits of its tool; nil if it has none
	leave    func()                     // gives back the slot in which the response is made; nil: it has none
	isError  bool                       // the result is an error of the tool
	coerced  atomic.Pointer[[]string]   // locations of converted arguments, for observers; nil: none
}

// noExtras are the extras of a call without any. They are never modified.
var noExtras callExtras

// extras returns the extras of the call, for reading.
func (c *call) extras() *callExtras {
	if x := c.extra.Load(); x != nil {
		return x
	}
	return &noExtras
}

// needExtras returns the extras of the call, which it allocates if necessary.
func (c *call) needExtras() *callExtras {
	if c.extra.Load() == nil {
		c.extra.CompareAndSwap(nil, new(callExtras))
	}
	return c.extra.Load()
}

// memory returns the requests of the call to its client, with the answers from earlier runs. It is allocated on first
// use, because most calls send no requests.
func (c *call) memory() *replay.Run {
	asking := &c.needExtras().asking
	if asking.Load() == nil {
		asking.CompareAndSwap(nil, newMemory(c, replay.Log{}, nil))
	}
	return asking.Load()
}

// newMemory returns the memory of a call with the log of earlier runs and the answers of the client.
func newMemory(c *call, known replay.Log, responses map[string]json.RawMessage) *replay.Run {
	run := replay.NewRun(known, responses)
	if runner := c.extras().runner; runner != nil {
		if keep := runner.Keeper(); keep != nil {
			run.StoreWith(keep)
		}
	}
	return run
}

// release releases the bytes of Reserve when the call is no longer in flight.
func (c *call) release() {
	if x := c.extras(); x.contents.Load() > 0 {
		c.from.memory.Give(c.access.caller(), int(x.contents.Swap(0)))
	}
}

// clientRequests are the requests to the client of one Ask.
type clientRequests struct {
	call  *call
	asked []ask.Request
	sent  []wire.ClientRequest // the same requests, in the form of the revision
}

// appendRelated appends the _meta of a message that the call sends, if the call is a task of a revision that requires
// it.
func (c *call) appendRelated(dst []byte) []byte {
	runner := c.extras().runner
	if runner == nil || c.version.Has(wire.PerRequest) {
		return dst
	}
	dst = append(rawjson.AppendName(dst, "_meta"), '{')
	return append(append(dst, wire.RelatedTask(runner.ID())...), '}')
}

// runningCalls are the calls of a server whose funcs have begun and not returned. They are kept to name in the log the
// funcs that ignore the end of their contexts: nothing else can.
type runningCalls struct {
	mu    sync.Mutex
	begun map[*call]time.Time // zero: it was logged
}

// add records that the func of a call begins.
func (r *runningCalls) add(c *call) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun[c] = now
}

// remove records that the func of a call has returned.
func (r *runningCalls) remove(c *call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.begun, c)
}

// logStuck logs each call that applies, whose context has ended but whose func has not returned, with the name of the
// tool, and for how long it has been running. A call is logged only once.
func (r *runningCalls) logStuck(applies func(*call) bool) {
	r.mu.Lock()
	begun := maps.Clone(r.begun)
	r.mu.Unlock()
	maps.DeleteFunc(begun, func(c *call, at time.Time) bool { // without the lock: a call may hold its own
		return at.IsZero() || c.Err() == nil || !applies(c)
	})
	for _, c := range slices.SortedFunc(maps.Keys(begun), func(a, b *call) int { return begun[a].Compare(begun[b]) }) {
		r.mu.Lock()
		at, isRunning := r.begun[c]
		if isRunning {
			r.begun[c] = time.Time{}
		}
		r.mu.Unlock()
		if isRunning && !at.IsZero() {
			c.from.log.LogAttrs(c.from.ctx, slog.LevelError, c.target.noun()+" ignores the end of its call", c.target.attr(),
				slog.Duration("elapsed", time.Since(at)), slog.Any("cause", context.Cause(c)))
		}
	}
}
