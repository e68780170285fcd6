package runtime

import (
	"fmt"
	"math"
	"time"

	"github.com/mcptool-go/mcptool/internal/setting"
	"github.com/mcptool-go/mcptool/mcptool"
)

// Limits bounds the resources that clients can use. A member that is zero means its default; a negative one is a mistake,
// which [Server.Check] returns. For a limit that is never reached, set a high number. The defaults
// suit a server for one person as well as one for many clients: MaxCallsInFlight, MaxMemoryBytes and Tasks apply to all
// clients together, and PerCaller is the share of one caller. The other limits apply to each session, call or message.
// SECURITY.md has the sum for a server over HTTP, and the limits that cannot be changed, such as the depth of JSON.
//
// Numbers are also limited, independent of the server: package reflectschema refuses arguments with a number of more
// than 100 characters, or with an exponent beyond 999, like any that do not match their schema, because exact
// arithmetic on 1e10000000 takes seconds.
type Limits struct {
	// MaxMessageBytes is the size of the largest message that is accepted, in bytes; default 16 MiB. That leaves room
	// for a file as base64 in the arguments. Transports stop reading a message at this size, so memory stays bounded.
	MaxMessageBytes int
	// MaxConcurrentCalls is the number of calls of one session that run at once; default 128. Calls mostly wait for
	// something, so this is much more than the number of processors, and more than a model starts at once: quick calls
	// should not wait for slow ones. A cancelled call counts until its tool returns. Each call holds its arguments
	// until it ends: over stdio, which reserves no memory, the calls of a session can hold MaxConcurrentCalls times
	// MaxMessageBytes.
	MaxConcurrentCalls int
	// MaxCallsInFlight is the number of calls that have begun and not ended, including those that wait, over all
	// sessions and endpoints; default 8192. It bounds the sum over all sessions, which the limits of each session do
	// not. Further calls are refused, with an error that suggests trying again later. A call counts until its tool has
	// returned, even if it was answered before, or until it becomes a task; for tasks see [TaskLimits]. A waiting
	// tasks/result counts as a call. So do each task in a subscription, and each other request about tasks until the
	// task store has returned or its time is over, see New of package runtime/tasks.
	MaxCallsInFlight int
	// MaxMemoryBytes is how many bytes of messages package streamhttp holds at once, over all clients: while they are
	// read, while their calls wait and run, and while their answers are written or kept for clients that reconnect.
	// Subscriptions to resources also count. Over every transport, the records of tasks and the files that are read for
	// a request count from before they are read until the answer is written, and decoded arguments of more than 16 KiB
	// count while the call runs. The default is 512 MiB, or 32 times MaxMessageBytes if that is more: room for a few
	// clients that send large files at the same time. Beyond it messages are refused before they are read. Memory that
	// a tool allocates, and the first 4 KiB of each message and its answers, do not count.
	MaxMemoryBytes int
	// Rate is how often all callers together may call the tools, prompts, resources, completions and custom methods of the
	// server; default unlimited, also if its Calls is zero. A call beyond it does not run, and its error contains
	// the time until the next allowed call, as for [mcptool.RateLimit]. That and the Rate of PerCaller also apply, and a
	// call that one of the two refuses does not count here.
	Rate mcptool.Rate
	// PerCaller bounds the share of one caller in MaxCallsInFlight and MaxMemoryBytes, and its rate of calls.
	PerCaller CallerLimits
	// MaxQueuedCalls is the number of calls of one session that wait for others to end; default 256. While there is
	// room, the session continues to read, so that pings are answered and cancellations take effect. When the queue is
	// full, the session stops reading, which slows down the client.
	MaxQueuedCalls int
	// CallTimeout is how long a call of a tool without a [mcptool.Timeout] may run; default unlimited. It does not
	// apply to tools whose calls may run as tasks, on a server with tasks. Only the tool knows how long is too long, and
	// clients have timeouts themselves; CallTimeout is for servers with tools that were not reviewed. Progress does not
	// extend it.
	CallTimeout time.Duration
	// MaxSubscriptions is the number of open subscriptions and waiting tasks/result requests of one session, and the
	// number of tasks and of resources that one subscription names; default 64. It is also the number of resources that
	// a session subscribes to with resources/subscribe. Each subscription adds notifications to every change of a list.
	// The URI of a resource may have at most 2048 bytes, and counts for its caller in MaxMemoryBytes, with about 1 KiB
	// more.
	MaxSubscriptions int
	// ToolsPerPage is the number of tools, prompts, resources or templates on a page of their list, and of tasks on a
	// page of tasks/list; default 1000. It is high because some clients never request the second page.
	ToolsPerPage int
	// ClientRequestTimeout is how long a request to the client waits for its answer; default 15 minutes, because the
	// user may be at lunch. Over HTTP it ends earlier if the client has had no open request for a minute. For clients of revision 2026-07-28 and later it is how long the state of a call with
	// requests to the client is valid; the requests of a task of such a client wait until the task ends.
	ClientRequestTimeout time.Duration
	// MaxResultBytes is the size of the largest result, in bytes as sent: the structured part, the text that repeats
	// it, and all other content; default 16 MiB. That is far more than a model reads, and leaves room for files as
	// base64.
	//
	// In place of a larger result, the model gets an error that asks for a smaller part: a result is never cut. A larger
	// result of a prompt, a resource or [Server.Methods] is an error, too.
	//
	// Encoding stops after 32 MiB of JSON, or twice MaxResultBytes if that is more, but not inside a string: a value
	// that is still longer is an error, even if middleware would shorten it. Once the results in the answer to a batch
	// together exceed MaxResultBytes, each further one of more than 4 KiB is replaced by an error.
	MaxResultBytes int
	// Tasks bounds the tasks of all clients.
	Tasks TaskLimits
	// CloseGrace is how long a session that ends waits for calls that it has cancelled, and then for its last messages
	// to be delivered, and how long [Server.Shutdown] waits for tasks that it has cancelled; default 1 s. A tool that
	// respects its context needs far less.
	CloseGrace time.Duration
}

// resolved returns the limits that a server with these limits uses: defaults are filled in, also for members that are
// negative.
func (l Limits) resolved() Limits {
	resolved, _ := l.resolve() // see [Server.Check]
	return resolved
}

// resolve returns the limits with the defaults filled in, and an error for each member that is negative.
func (l Limits) resolve() (resolved Limits, mistakes []error) {
	setDefault(&mistakes, "Limits.MaxMessageBytes", &l.MaxMessageBytes, 16<<20)
	setDefault(&mistakes, "Limits.MaxConcurrentCalls", &l.MaxConcurrentCalls, 128)
	setDefault(&mistakes, "Limits.MaxCallsInFlight", &l.MaxCallsInFlight, 8192)
	setDefault(&mistakes, "Limits.MaxMemoryBytes", &l.MaxMemoryBytes, max(512<<20, 32*l.MaxMessageBytes))
	setDefault(&mistakes, "Limits.PerCaller.MaxCallsInFlight", &l.PerCaller.MaxCallsInFlight, quarter(l.MaxCallsInFlight))
	setDefault(&mistakes, "Limits.PerCaller.MaxMemoryBytes", &l.PerCaller.MaxMemoryBytes, quarter(l.MaxMemoryBytes))
	setDefaultRate(&mistakes, "Limits.Rate", &l.Rate)
	setDefaultRate(&mistakes, "Limits.PerCaller.Rate", &l.PerCaller.Rate)
	setDefault(&mistakes, "Limits.MaxQueuedCalls", &l.MaxQueuedCalls, 256)
	setDefault(&mistakes, "Limits.CallTimeout", &l.CallTimeout, 0)
	setDefault(&mistakes, "Limits.MaxSubscriptions", &l.MaxSubscriptions, 64)
	setDefault(&mistakes, "Limits.ToolsPerPage", &l.ToolsPerPage, 1000)
	setDefault(&mistakes, "Limits.ClientRequestTimeout", &l.ClientRequestTimeout, 15*time.Minute)
	setDefault(&mistakes, "Limits.MaxResultBytes", &l.MaxResultBytes, 16<<20)
	setDefault(&mistakes, "Limits.Tasks.MaxRunning", &l.Tasks.MaxRunning, 1024)
	setDefault(&mistakes, "Limits.Tasks.MaxRunningPerCaller", &l.Tasks.MaxRunningPerCaller, 64)
	setDefault(&mistakes, "Limits.Tasks.DefaultTTL", &l.Tasks.DefaultTTL, time.Hour)
	setDefault(&mistakes, "Limits.Tasks.MaxTTL", &l.Tasks.MaxTTL, 24*time.Hour)
	setDefault(&mistakes, "Limits.Tasks.PollInterval", &l.Tasks.PollInterval, time.Second)
	setDefault(&mistakes, "Limits.Tasks.MaxAttempts", &l.Tasks.MaxAttempts, 5)
	setDefault(&mistakes, "Limits.Tasks.Delay", &l.Tasks.Delay, 250*time.Millisecond)
	setDefault(&mistakes, "Limits.CloseGrace", &l.CloseGrace, time.Second)
	return l, mistakes
}

// setDefault sets a field of a server that is zero to its default; a default of zero means no limit. A negative field is a
// mistake, and is also set to the default.
func setDefault[N int | time.Duration](mistakes *[]error, name string, field *N, def N) {
	zero := fmt.Sprintf("means the default, %v", def)
	if def == 0 {
		zero = "means no limit"
	}
	if err := setting.NotNegative("Server."+name, *field, zero); err != nil {
		*mistakes = append(*mistakes, err)
	}
	*field = positive(*field, def)
}

// setDefaultRate fills in the defaults of a rate; one without Calls is set to zero, which is unlimited.
func setDefaultRate(mistakes *[]error, name string, r *mcptool.Rate) {
	setDefault(mistakes, name+".Calls", &r.Calls, 0)
	setDefault(mistakes, name+".Per", &r.Per, time.Second)
	if err := setting.NotNegative("Server."+name+".Burst", r.Burst, "means the value of Calls"); err != nil {
		*mistakes = append(*mistakes, err)
	}
	if r.Burst = positive(r.Burst, r.Calls); r.Calls == 0 {
		*r = mcptool.Rate{}
	}
}

// maxJSON returns the length at which encoding of a result stops, in bytes. It leaves room for middleware that shortens
// results.
func (l Limits) maxJSON() int { return max(32<<20, 2*min(l.MaxResultBytes, math.MaxInt/8)) }

// positive returns n if it is above zero, and otherwise def.
func positive[N int | time.Duration](n, def N) N {
	if n <= 0 {
		return def
	}
	return n
}

// CallerLimits bounds how much one caller may take of the limits for all clients together, so that other callers can
// still use the server. A member that is zero means its default, of the first two a quarter of the limit for all; a
// negative one is a mistake. A quarter is more than the clients of one person need, and only four callers together can use up the server.
//
// A caller is a principal, or if there is none an address. All IPv6 addresses of one /64 network are one caller, since
// one host commonly has all of them; all loopback addresses are one caller as well. Peers that the transport trusts, as
// over stdio, are not limited to a share.
type CallerLimits struct {
	// MaxCallsInFlight is the number of calls of one caller that have begun and not ended; default a quarter of
	// [Limits.MaxCallsInFlight], 2048.
	MaxCallsInFlight int
	// MaxMemoryBytes is how many bytes of [Limits.MaxMemoryBytes] one caller may hold; default a quarter of that, 128
	// MiB. A larger message is never accepted.
	MaxMemoryBytes int
	// Rate is how often one caller may call, over everything that [Limits.Rate] counts; default unlimited. It also applies
	// to peers that the transport trusts, each of which is one caller for as long as it is connected.
	Rate mcptool.Rate
}

// quarter returns the default share of one caller in n.
func quarter(n int) int { return max(n/4, 1) }

// TaskLimits bounds the resources that tasks can use. A member that is zero means its default; a negative one is a
// mistake. The store limits how many ended tasks are kept, see [task.MemoryLimits].
//
// [task.MemoryLimits]: https://pkg.go.dev/github.com/mcptool-go/mcptool/task#MemoryLimits
type TaskLimits struct {
	// MaxRunning is the number of tasks of all clients that run at once; default 1024. Tasks do not count towards
	// [Limits.MaxConcurrentCalls]. A task that has ended counts until the store has stored that, or its TTL has passed.
	MaxRunning int
	// MaxRunningPerCaller is the number of running tasks of one caller, see [CallerLimits]; default 64. Unlike the
	// other limits per caller it also applies to trusted peers, which together count as one caller.
	MaxRunningPerCaller int
	// DefaultTTL is how long a task and its result are kept if neither the tool ([mcptool.TaskTTL]) nor the client sets
	// a TTL; default 1 hour, counted from the creation of the task.
	DefaultTTL time.Duration
	// MaxTTL is the maximum TTL, including TTLs that clients request; default 24 hours. It also limits DefaultTTL.
	MaxTTL time.Duration
	// PollInterval is how long clients should wait between two polls, unless the tool sets it ([mcptool.PollInterval]);
	// default 1 s. The progress message of a running task is stored at most once per interval.
	PollInterval time.Duration
	// MaxAttempts is the number of consecutive runs of a durable task ([mcptool.Durable]) that may end because their
	// process dies before the task fails; default 5. A run that ends because its server is shut down does not count.
	// The count starts again when a run gets further than those before: it stores a value of Once, sends a new request,
	// or gets an answer.
	MaxAttempts int
	// Delay is how long a call of a tool that may run as a task runs before it becomes one, for clients of revision
	// 2026-07-28 and later; default 250 ms. A call that ends before, or sends requests to the client, is answered
	// without a task.
	Delay time.Duration
}

// limits are all limits of a server.
type limits struct {
	Limits
	fixedLimits
}

// fixedLimits cannot be configured. SECURITY.md lists them. Tests set smaller ones.
type fixedLimits struct {
	// MaxDepth is the maximum nesting depth of the JSON in a message. Real arguments are nested a few levels deep, and
	// decoding is recursive.
	MaxDepth int
	// MaxValues is the maximum number of JSON values in a message, counting members and elements at any depth: more than
	// any model writes. An empty array counts as two values, and an object as one more than an array. Each value takes
	// time to check, and up to some hundred bytes of memory.
	MaxValues int
	// MaxBatchMessages is the number of messages in a JSON-RPC batch, which only revision 2025-03-26 has.
	MaxBatchMessages int
	// MaxQueuedBytes bounds the size of all queued calls of one session together: two messages of the largest size by
	// default. If no call is queued, one of any size may be.
	MaxQueuedBytes int
	// MaxWaitingCalls is the number of calls that wait for one tool with [mcptool.Concurrent], over all clients. One
	// caller may have a quarter of them.
	MaxWaitingCalls int
	// MaxClientRequests is the number of unanswered requests to the client of one session, or of one run of a call from
	// revision 2026-07-28 on. A call that waits for an answer does not count towards [Limits.MaxConcurrentCalls], so
	// this bounds the number of such calls.
	MaxClientRequests int
	// MaxStateBytes is the maximum size of the state of a call that sends requests to the client, as text. The client
	// sends it back with the answers.
	MaxStateBytes int
	// MaxTextBytes is the length of the longest error text or progress message that is sent, and of the arguments for
	// observers. Longer ones are cut, because models pay for each word.
	MaxTextBytes int
	// ProgressInterval is the minimum time between two progress notifications of one call. Nobody reads faster.
	ProgressInterval time.Duration
	// IgnoreRates turns off the rate limits of tools, prompts and resources.
	IgnoreRates bool
	// LogRecordsPerSecond is the number of log records that a session, or a request without a session, sends to its
	// client per second, and at once.
	LogRecordsPerSecond int
}

var defaultFixedLimits = fixedLimits{
	MaxDepth:            256,
	MaxValues:           400_000,
	MaxBatchMessages:    128,
	MaxQueuedBytes:      32 << 20,
	MaxWaitingCalls:     256,
	MaxClientRequests:   256,
	MaxStateBytes:       64 << 10,
	MaxTextBytes:        4 << 10,
	ProgressInterval:    50 * time.Millisecond,
	LogRecordsPerSecond: 100,
}
