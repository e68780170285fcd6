package runtime

import (
	"math"
	"time"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/mcptool"
)

// Limits bounds the resources that clients can use. A zero or negative member means its default.
// The defaults suit a server that one person's client starts as well as one with many clients: MaxStatelessCalls,
// MaxCallsInFlight, MaxMemoryBytes, MaxWaitingCalls and Tasks apply to all clients together, and PerCaller is the share of
// one caller. The others apply to each session. SECURITY.md has the sum for a server over HTTP.
//
// The length of a number is bounded too, but is no member: package reflectschema refuses arguments with a number
// of more than 100 characters, or with an exponent beyond 999, like any that do not fit their schema.
// Exact arithmetic on 1e10000000 takes seconds, and the validation of arguments does not know their server.
type Limits struct {
	// MaxMessageBytes is the size of the largest message that is accepted, in bytes; default 16 MiB.
	// That leaves room for a file as base64 in the arguments. Transports stop
	// reading a message at this size, so memory stays bounded.
	MaxMessageBytes int
	// MaxDepth is how deep the JSON of a message may nest; default 256, at most 1024.
	// Real arguments nest a few levels; decoding is recursive.
	MaxDepth int
	// MaxValues is the number of JSON values in a message, counting members and elements at any depth; default
	// 500 000, which is more than any model writes. An empty array counts as two, and an object as one more than an
	// array. Checking a value is a step, and takes up to some hundred bytes of memory. What the Go type of a tool's
	// arguments makes of values is bounded by itself, see [reflectschema.Type.Decode].
	MaxValues int
	// MaxConcurrentCalls is the number of calls of one session that run at once; default 128. Calls mostly
	// wait for something, so it is well above the number of processors, and above the number that a model
	// has running: quick calls should not wait for slow ones. A cancelled
	// call counts until its tool returns. Each call holds its arguments until it ends:
	// over a transport that does not call [Server.Reserve], such as stdio, a client can make a session hold
	// MaxConcurrentCalls times MaxMessageBytes.
	MaxConcurrentCalls int
	// MaxStatelessCalls is the number of calls without a session that run at once, over all
	// clients of one [Endpoint]; default 4096, so that each of four callers may run 1024. Further calls wait, each for a
	// minute at most, and callers take turns. Calls for which that is too short are told to try again later.
	MaxStatelessCalls int
	// MaxCallsInFlight is the number of calls that have begun and not ended, over all sessions and endpoints, including
	// those that wait; default 8192. It bounds the sum over all sessions, so that many clients
	// together cannot do what one of them may not. Beyond it a call is refused, and the model told to try again
	// later. A call counts until its tool has
	// returned, even if it was answered before, or until it becomes a task; then [TaskLimits] apply. A tasks/result
	// that waits counts as a call, and so does each task that a subscription watches.
	MaxCallsInFlight int
	// MaxMemoryBytes is how many bytes of messages a transport that calls [Server.Reserve], such as package streamhttp,
	// holds at once, over all clients: while they are read, while their calls wait and run, and while their answers are
	// written or kept for clients that reconnect. The default is 512 MiB, or 32 messages of the largest size if that is
	// more: a few clients that send large files at the same time. Larger messages are refused before they are read.
	// Memory that a tool allocates, the decoded values of arguments, and the first 4 KiB of each
	// message and its answers are not counted.
	MaxMemoryBytes int
	// PerCaller bounds the share of one caller in MaxStatelessCalls, MaxCallsInFlight, MaxWaitingCalls and MaxMemoryBytes.
	PerCaller CallerLimits
	// MaxQueuedCalls is the number of calls of one session that wait for others to end; default 256. While
	// there is room, the session continues to read, so pings are answered and
	// cancellations take effect. When the queue is full, the session stops reading, and the
	// client notices.
	MaxQueuedCalls int
	// MaxQueuedBytes bounds the arguments of all queued calls of one session together, in bytes;
	// default 32 MiB, two messages of the largest size. One call always fits.
	MaxQueuedBytes int
	// CallTimeout is how long a call of a tool without a [mcptool.Timeout] of its own may run; default unlimited. It does
	// not apply to tools that run as tasks.
	// Only the tool knows how long is too long, and clients have timeouts themselves; CallTimeout
	// is for servers whose tools nobody has reviewed. Nothing extends it, not even progress.
	CallTimeout time.Duration
	// MaxWaitingCalls is the number of calls that wait for a tool with [mcptool.Concurrent], over
	// all clients; default 256, so that 64 of one caller may wait. Callers take turns. Further
	// calls are told to try again later, and so are those that have waited for the timeout of the tool, or if it has none,
	// for a minute; calls of trusted peers and tasks wait indefinitely.
	MaxWaitingCalls int
	// MaxBatchMessages is the number of messages in a JSON-RPC batch; default 128. Only
	// revision 2025-03-26 has batches.
	MaxBatchMessages int
	// MaxSubscriptions is the number of subscriptions and tasks/result that one session may have open; default 64.
	// Each subscription multiplies the notifications about a change of the tools.
	MaxSubscriptions int
	// ToolsPerPage is the number of tools on one page of tools/list; default 1000. It is high
	// because a client that does not request the second page misses the tools on it.
	ToolsPerPage int
	// MaxClientRequests is the number of unanswered requests to the client of one session; default
	// 256. A call that waits for an answer does not count among MaxConcurrentCalls, so this bounds
	// the number of such calls. From revision 2026-07-28 on it bounds the number of requests of one run of a
	// call.
	MaxClientRequests int
	// ClientRequestTimeout is how long a request to the client waits for its answer; default 15
	// minutes: the user may be at lunch. For clients from revision 2026-07-28 on it is how long
	// the state of a call that has asked something is valid.
	ClientRequestTimeout time.Duration
	// MaxStateBytes is the size of the state that such a call may send along with its requests, in bytes of
	// text: the answers so far and the values that [mcptool.Once] keeps; default 64 KiB. The client sends it
	// back with the answer.
	MaxStateBytes int
	// MaxResultBytes is the size of the largest result, in bytes as it is sent: the structured part, the text
	// that repeats it, all other content; default 16 MiB, the default of MaxMessageBytes. That is far more than a model
	// reads, and leaves room for files as base64. In a larger result the lists that its author has
	// tagged mcp:"truncate" are cut, and a text and _meta say what is missing, in 2 KiB more at most; if there are none, the
	// model is told to ask for less. A client never gets a result that is cut in another place, or does not say so. Results
	// of [Server.Methods] are an error when they are larger. A value is encoded until its JSON has 32 MiB, or twice MaxResultBytes if
	// that is more, and then to the end of the text it is at: one that is longer still is an error also if there are
	// lists to cut. Once the results in the answer to a batch have more together, an error is sent in the place of each
	// further one of more than 4 KiB.
	MaxResultBytes int
	// MaxTextBytes is the length of the longest error text or progress message that is sent, in bytes;
	// default 4 KiB. Longer ones are cut: models pay for each word.
	MaxTextBytes int
	// ProgressInterval is the least time between two progress notifications of one
	// call; default 50 ms. Reports in between are held back, and the last of them is
	// sent when the time has passed or the call ends.
	ProgressInterval time.Duration
	// LogRecordsPerSecond is how many log records a session sends to its client per second, and the size of a burst;
	// default 100. Further records reach only the server's log.
	LogRecordsPerSecond int
	// Tasks bounds the tasks of all clients.
	Tasks TaskLimits
	// CloseGrace is how long [Session.Close] waits for calls that it has cancelled; default 1 s.
	// A tool that respects its context needs far less.
	CloseGrace time.Duration
}

// defaultLimits are the limits of the zero value.
var defaultLimits = Limits{
	MaxMessageBytes:      16 << 20,
	MaxDepth:             256,
	MaxValues:            500_000,
	MaxConcurrentCalls:   128,
	MaxStatelessCalls:    4096,
	MaxCallsInFlight:     8192,
	MaxMemoryBytes:       512 << 20,
	MaxQueuedCalls:       256,
	MaxQueuedBytes:       32 << 20,
	MaxWaitingCalls:      256,
	MaxBatchMessages:     128,
	MaxSubscriptions:     64,
	ToolsPerPage:         1000,
	MaxClientRequests:    256,
	ClientRequestTimeout: 15 * time.Minute,
	MaxStateBytes:        64 << 10,
	MaxResultBytes:       16 << 20,
	MaxTextBytes:         4 << 10,
	ProgressInterval:     50 * time.Millisecond,
	LogRecordsPerSecond:  100,
	Tasks:                defaultTaskLimits,
	CloseGrace:           time.Second,
}

// Resolved returns the limits with the defaults filled in, as sessions use them.
func (l Limits) Resolved() Limits {
	d := defaultLimits
	resolved := Limits{
		MaxMessageBytes:      positive(l.MaxMessageBytes, d.MaxMessageBytes),
		MaxDepth:             min(positive(l.MaxDepth, d.MaxDepth), jsonscan.MaxDepth),
		MaxValues:            positive(l.MaxValues, d.MaxValues),
		MaxConcurrentCalls:   positive(l.MaxConcurrentCalls, d.MaxConcurrentCalls),
		MaxStatelessCalls:    positive(l.MaxStatelessCalls, d.MaxStatelessCalls),
		MaxCallsInFlight:     positive(l.MaxCallsInFlight, d.MaxCallsInFlight),
		MaxMemoryBytes:       positive(l.MaxMemoryBytes, max(d.MaxMemoryBytes, 32*positive(l.MaxMessageBytes, d.MaxMessageBytes))),
		MaxQueuedCalls:       positive(l.MaxQueuedCalls, d.MaxQueuedCalls),
		MaxQueuedBytes:       positive(l.MaxQueuedBytes, d.MaxQueuedBytes),
		CallTimeout:          max(l.CallTimeout, 0),
		MaxWaitingCalls:      positive(l.MaxWaitingCalls, d.MaxWaitingCalls),
		MaxBatchMessages:     positive(l.MaxBatchMessages, d.MaxBatchMessages),
		MaxSubscriptions:     positive(l.MaxSubscriptions, d.MaxSubscriptions),
		ToolsPerPage:         positive(l.ToolsPerPage, d.ToolsPerPage),
		MaxClientRequests:    positive(l.MaxClientRequests, d.MaxClientRequests),
		ClientRequestTimeout: positive(l.ClientRequestTimeout, d.ClientRequestTimeout),
		MaxStateBytes:        positive(l.MaxStateBytes, d.MaxStateBytes),
		MaxResultBytes:       positive(l.MaxResultBytes, d.MaxResultBytes),
		MaxTextBytes:         positive(l.MaxTextBytes, d.MaxTextBytes),
		ProgressInterval:     positive(l.ProgressInterval, d.ProgressInterval),
		LogRecordsPerSecond:  positive(l.LogRecordsPerSecond, d.LogRecordsPerSecond),
		Tasks:                l.Tasks.resolved(),
		CloseGrace:           positive(l.CloseGrace, d.CloseGrace),
	}
	resolved.PerCaller = l.PerCaller.resolved(&resolved)
	return resolved
}

// maxJSON returns how long the JSON of a value may become before it is known to be too large, in bytes. It leaves room for lists
// that are cut, and for middleware that makes results smaller.
func (l Limits) maxJSON() int { return max(32<<20, 2*min(l.MaxResultBytes, math.MaxInt/8)) }

// positive returns n, or def when n is not above zero.
func positive[N int | time.Duration](n, def N) N {
	if n <= 0 {
		return def
	}
	return n
}

// CallerLimits bounds what one caller may take of the limits that all share, so that the worst a caller can do leaves
// room for the others. A zero or negative member means its default, a quarter of the whole: more than one person's
// clients need, and it takes four callers to use up a server.
//
// A caller is a principal, or for messages without one the address they came from, see [Access.Caller]. Peers that the
// transport trusts, as over stdio, are not limited to a share.
type CallerLimits struct {
	// MaxCallsInFlight is the number of calls of one caller that have begun and not ended; default a quarter of
	// [Limits.MaxCallsInFlight], 2048.
	MaxCallsInFlight int
	// MaxStatelessCalls is the number of calls of one caller without a session that run at once, see
	// [Limits.MaxStatelessCalls]; default a quarter
	// of that, 1024. More of them wait.
	MaxStatelessCalls int
	// MaxWaitingCalls is the number of calls of one caller that wait for one tool; default a quarter of [Limits.MaxWaitingCalls], 64.
	MaxWaitingCalls int
	// MaxMemoryBytes is how many bytes of [Limits.MaxMemoryBytes] one caller may hold; default a quarter of that, 128 MiB. A message
	// that is larger is never accepted.
	MaxMemoryBytes int
}

// resolved returns the limits with the defaults filled in, given those of all callers.
func (l CallerLimits) resolved(all *Limits) CallerLimits {
	return CallerLimits{
		MaxCallsInFlight:  positive(l.MaxCallsInFlight, quarter(all.MaxCallsInFlight)),
		MaxStatelessCalls: positive(l.MaxStatelessCalls, quarter(all.MaxStatelessCalls)),
		MaxWaitingCalls:   positive(l.MaxWaitingCalls, quarter(all.MaxWaitingCalls)),
		MaxMemoryBytes:    positive(l.MaxMemoryBytes, quarter(all.MaxMemoryBytes)),
	}
}

// quarter returns what one caller may take of n by default.
func quarter(n int) int { return max(n/4, 1) }

// TaskLimits bounds what tasks can cost. A zero or negative member means its default. How many
// ended tasks are kept is up to the store, see [task.MemoryLimits].
//
// [task.MemoryLimits]: https://pkg.go.dev/github.com/mcptool-go/mcptool/task#MemoryLimits
type TaskLimits struct {
	// MaxRunning is the number of tasks of all clients that run at once; default 1024. Tasks do not count
	// among [Limits.MaxConcurrentCalls]. A task that has ended counts until the store has taken that.
	MaxRunning int
	// MaxRunningPerCaller is the number of running tasks of one caller, see [CallerLimits]; default 64. Unlike other limits
	// of a caller it applies to trusted peers, too, together as one caller.
	MaxRunningPerCaller int
	// DefaultTTL is how long a task and its result are kept, if neither the tool nor the
	// client says otherwise; default 1 hour, counted from the beginning of the task.
	DefaultTTL time.Duration
	// MaxTTL bounds the TTL that a tool or a client may set; default 24 hours.
	MaxTTL time.Duration
	// PollInterval is how long clients are asked to wait between two looks, if the tool does
	// not say; default 1 s. As often at most, the message of a running task is stored.
	PollInterval time.Duration
	// Delay is how long a call of a tool that may run as a task is waited for before it becomes
	// one, for clients from revision 2026-07-28 on; default 250 ms. What is done by then, or
	// has asked the user something, is answered without a task.
	Delay time.Duration
}

var defaultTaskLimits = TaskLimits{
	MaxRunning:          1024,
	MaxRunningPerCaller: 64,
	DefaultTTL:          time.Hour,
	MaxTTL:              24 * time.Hour,
	PollInterval:        time.Second,
	Delay:               250 * time.Millisecond,
}

// resolved returns the limits with the defaults filled in.
func (l TaskLimits) resolved() TaskLimits {
	d := defaultTaskLimits
	return TaskLimits{
		MaxRunning:          positive(l.MaxRunning, d.MaxRunning),
		MaxRunningPerCaller: positive(l.MaxRunningPerCaller, d.MaxRunningPerCaller),
		DefaultTTL:          positive(l.DefaultTTL, d.DefaultTTL),
		MaxTTL:              positive(l.MaxTTL, d.MaxTTL),
		PollInterval:        positive(l.PollInterval, d.PollInterval),
		Delay:               positive(l.Delay, d.Delay),
	}
}

// ttl returns how long a task is kept: as the client asks, if it does, or else as the tool
// says.
func (l TaskLimits) ttl(terms mcptool.TaskTerms, asked time.Duration) time.Duration {
	ttl := positive(asked, positive(terms.TTL, l.DefaultTTL))
	return min(ttl, l.MaxTTL)
}
