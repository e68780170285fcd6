package runtime

import (
	"time"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/mcptool"
)

// Limits bounds what clients can cost. A zero or negative member means its default.
// The defaults suit a server that one person's client starts as well as one with many clients: Stateless, InFlight, Memory,
// Waiting and Tasks are over all of them, and one caller may have no more than PerCaller says. The others hold for each
// session. What all of it adds up to over HTTP is in SECURITY.md.
//
// The length of one number is bounded too, but is no member: package reflectschema refuses arguments with a number
// of more than 100 characters, or with an exponent beyond 999, as it does any that do not fit their schema.
// Exact arithmetic on 1e10000000 takes seconds, and what checks arguments does not know whose server it is in.
type Limits struct {
	// Message is the size of the largest message taken in, in bytes; default 16 MiB.
	// It leaves room for a file as base64 in the arguments. Transports stop
	// reading a message at this size, so memory stays bounded.
	Message int
	// Depth is how deep the JSON of a message may nest; default 256, at most 1024.
	// Real arguments nest a few levels; what decodes them recurses.
	Depth int
	// Values is how many JSON values a message may hold, members and elements at any depth; default
	// 500 000, which is more than any model writes. An empty array counts as two, and an object as one more than an
	// array. Decoded, a value of two bytes takes up to a hundred bytes of memory, an object several hundred, and checking
	// either is a step.
	Values int
	// Concurrent is how many calls of one session run at once; default 128. Calls mostly
	// wait for something, so it is well above the number of processors, and above what a model
	// has running: quick calls are not to wait for those that sleep. A cancelled
	// call counts until its tool returns. Each holds its arguments until it ends:
	// over a transport that does not call [Server.Reserve], as stdio, the product of Concurrent and Message is what a
	// client can make a session hold.
	Concurrent int
	// Stateless is how many calls of messages that stand for themselves run at once, over all
	// clients of one [Endpoint]; default 4096, so that each of four callers may run 1024. They have no session to be
	// counted in. More of them wait, each for a minute at most, and are taken in turn: one of each caller. Those for
	// which that is too short are told to call again later.
	Stateless int
	// InFlight is how many calls the server has taken on and not ended, over all sessions and endpoints, those that
	// wait included; default 8192. It is what the sessions' limits come to together, so that many clients
	// cannot do what none of them may: some ten thousand goroutines are little, their arguments may not be. One more
	// is not begun, and the model told to call again later. A call counts until its tool has
	// returned, also if it was answered before, and a task until it is one; then [TaskLimits] count it. A tasks/result
	// that waits counts as a call, and so does each task that a subscription is told of.
	InFlight int
	// Memory is how many bytes a transport that calls [Server.Reserve], as package streamhttp does, holds of messages at
	// once, over all clients: while they are read, while their calls wait and run, and while answers to them are written
	// or kept for clients that come back. The default is 512 MiB, or 32 messages of the largest size if that is more: a
	// few clients that send large files at the same time. Larger messages are refused before they are read. What a tool
	// allocates itself, and the values that arguments are decoded into, are not counted, nor are the first 4 KiB of each
	// message and its answers.
	Memory int
	// PerCaller bounds what one caller may take of Stateless, InFlight, Waiting and Memory.
	PerCaller CallerLimits
	// Queue is how many calls of one session wait for others to end; default 256. While
	// there is room, the session goes on reading, so pings are answered and
	// cancellations are heard. When it is full, the session stops reading, and the
	// client notices.
	Queue int
	// QueueBytes bounds the arguments of the waiting calls together, in bytes;
	// default 32 MiB, two messages of the largest size. One call always fits.
	QueueBytes int
	// Call is how long a call of a tool without a [mcptool.Timeout] of its own may run; default none. It does
	// not hold for tools that run as tasks.
	// How long is too long only the tool knows, and clients stop waiting by themselves; a time here
	// is for servers whose tools nobody has looked at. It is never extended, not by progress either.
	Call time.Duration
	// Waiting is how many calls wait for a place at a tool that has a [mcptool.Concurrent], over
	// all clients; default 256, so that 64 of one caller may wait. They are taken in turn, one of each caller. More of
	// them are told to come back, and so are those that have waited for the timeout of the tool, or if it has none, for a
	// minute; calls of peers that the transport trusts and tasks wait for as long as it takes.
	Waiting int
	// Batch is how many messages one JSON-RPC batch may hold; default 128. Only
	// revision 2025-03-26 has batches.
	Batch int
	// Listens is how many subscriptions and tasks/result one session may hold open; default 64.
	// Each one multiplies what a change of the tools sends.
	Listens int
	// Page is how many tools one page of tools/list holds; default 1000. It is high
	// because a client that does not ask for the second page misses what is on it.
	Page int
	// Questions is how many requests to its client one session may have unanswered; default
	// 256. A call that waits for an answer does not count among Concurrent, so this bounds
	// how many such calls there can be. From revision 2026-07-28 on it bounds what one run of a
	// call may ask.
	Questions int
	// Answer is how long a question to the client waits for its answer; default 15
	// minutes: the user may be at lunch. For clients from revision 2026-07-28 on it is how long
	// the state of a call that has asked is good for.
	Answer time.Duration
	// State is the size of what such a call may send along with its questions, in bytes of
	// text: the answers so far and what [mcptool.Once] keeps; default 64 KiB. It comes
	// back with the answer.
	State int
	// Output is the size of the largest result, in bytes as it is sent: the structured part, the text
	// that repeats it, all other content; default 16 MiB, as much as Message lets in. That is far more than a model
	// reads, and leaves room for files as base64. Of a larger result the lists are cut that its author has
	// tagged mcp:"truncate", and a text and _meta say what is missing, in 2 KiB more at most; if there are none, the model
	// is told to ask for less. A client never gets a result that is cut elsewhere, or does not say so. Results of
	// [Server.Methods] are an error when they are larger.
	Output int
	// Text is the length of the longest error text or progress message sent, in bytes;
	// default 4 KiB. Longer ones are cut: models pay for each word.
	Text int
	// ProgressInterval is the least time between two progress notifications of one
	// call; default 50 ms. Reports in between are held back, and the last of them is
	// sent when the time has passed or the call ends.
	ProgressInterval time.Duration
	// LogRate is how many log records a session sends to its client per second, and how many
	// at once; default 100. The rest reach the server's log only.
	LogRate int
	// Tasks bounds what tasks can cost.
	Tasks TaskLimits
	// CloseGrace is how long [Session.Close] waits for calls it has cancelled; default 1 s.
	// A tool that heeds its context needs far less.
	CloseGrace time.Duration
}

// defaultLimits are the limits of the zero value.
var defaultLimits = Limits{
	Message:          16 << 20,
	Depth:            256,
	Values:           500_000,
	Concurrent:       128,
	Stateless:        4096,
	InFlight:         8192,
	Memory:           512 << 20,
	Queue:            256,
	QueueBytes:       32 << 20,
	Waiting:          256,
	Batch:            128,
	Listens:          64,
	Page:             1000,
	Questions:        256,
	Answer:           15 * time.Minute,
	State:            64 << 10,
	Output:           16 << 20,
	Text:             4 << 10,
	ProgressInterval: 50 * time.Millisecond,
	LogRate:          100,
	Tasks:            defaultTaskLimits,
	CloseGrace:       time.Second,
}

// Resolved returns the limits with the defaults filled in, as sessions use them.
func (l Limits) Resolved() Limits {
	d := defaultLimits
	resolved := Limits{
		Message:          positive(l.Message, d.Message),
		Depth:            min(positive(l.Depth, d.Depth), jsonscan.MaxDepth),
		Values:           positive(l.Values, d.Values),
		Concurrent:       positive(l.Concurrent, d.Concurrent),
		Stateless:        positive(l.Stateless, d.Stateless),
		InFlight:         positive(l.InFlight, d.InFlight),
		Memory:           positive(l.Memory, max(d.Memory, 32*positive(l.Message, d.Message))),
		Queue:            positive(l.Queue, d.Queue),
		QueueBytes:       positive(l.QueueBytes, d.QueueBytes),
		Call:             max(l.Call, 0),
		Waiting:          positive(l.Waiting, d.Waiting),
		Batch:            positive(l.Batch, d.Batch),
		Listens:          positive(l.Listens, d.Listens),
		Page:             positive(l.Page, d.Page),
		Questions:        positive(l.Questions, d.Questions),
		Answer:           positive(l.Answer, d.Answer),
		State:            positive(l.State, d.State),
		Output:           positive(l.Output, d.Output),
		Text:             positive(l.Text, d.Text),
		ProgressInterval: positive(l.ProgressInterval, d.ProgressInterval),
		LogRate:          positive(l.LogRate, d.LogRate),
		Tasks:            l.Tasks.resolved(),
		CloseGrace:       positive(l.CloseGrace, d.CloseGrace),
	}
	resolved.PerCaller = l.PerCaller.resolved(&resolved)
	return resolved
}

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
	// InFlight is how many calls of one caller the server has taken on and not ended; default a quarter of
	// [Limits.InFlight], 2048.
	InFlight int
	// Stateless is how many calls of one caller run at once of those that [Limits.Stateless] bounds; default a quarter
	// of that, 1024. More of them wait.
	Stateless int
	// Waiting is how many calls of one caller wait for a place at one tool; default a quarter of [Limits.Waiting], 64.
	Waiting int
	// Memory is how many bytes of [Limits.Memory] one caller may hold; default a quarter of that, 128 MiB. A message
	// that is larger is never accepted.
	Memory int
}

// resolved returns the limits with the defaults filled in, given those of all callers.
func (l CallerLimits) resolved(all *Limits) CallerLimits {
	return CallerLimits{
		InFlight:  positive(l.InFlight, quarter(all.InFlight)),
		Stateless: positive(l.Stateless, quarter(all.Stateless)),
		Waiting:   positive(l.Waiting, quarter(all.Waiting)),
		Memory:    positive(l.Memory, quarter(all.Memory)),
	}
}

// quarter returns what one caller may take of n by default.
func quarter(n int) int { return max(n/4, 1) }

// TaskLimits bounds what tasks can cost. A zero or negative member means its default. How many
// ended tasks are kept is up to the store, see [task.MemoryLimits].
//
// [task.MemoryLimits]: https://pkg.go.dev/github.com/mcptool-go/mcptool/task#MemoryLimits
type TaskLimits struct {
	// Running is how many tasks of all clients run at once; default 1024. Tasks do not count
	// among [Limits.Concurrent]. A task that has ended counts until the store has taken that.
	Running int
	// PerPrincipal is how many of them one caller may have, see [CallerLimits]; default 64. Unlike other shares it
	// bounds peers that the transport trusts, too, as one caller.
	PerPrincipal int
	// TTL is how long a task and its result are kept, if neither the tool nor the
	// client says otherwise; default 1 hour, counted from the beginning of the task.
	TTL time.Duration
	// MaxTTL is the longest time to be had; default 24 hours.
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
	Running:      1024,
	PerPrincipal: 64,
	TTL:          time.Hour,
	MaxTTL:       24 * time.Hour,
	PollInterval: time.Second,
	Delay:        250 * time.Millisecond,
}

// resolved returns the limits with the defaults filled in.
func (l TaskLimits) resolved() TaskLimits {
	d := defaultTaskLimits
	return TaskLimits{
		Running:      positive(l.Running, d.Running),
		PerPrincipal: positive(l.PerPrincipal, d.PerPrincipal),
		TTL:          positive(l.TTL, d.TTL),
		MaxTTL:       positive(l.MaxTTL, d.MaxTTL),
		PollInterval: positive(l.PollInterval, d.PollInterval),
		Delay:        positive(l.Delay, d.Delay),
	}
}

// ttl returns how long a task is kept: as the client asks, if it does, or else as the tool
// says.
func (l TaskLimits) ttl(terms mcptool.TaskTerms, asked time.Duration) time.Duration {
	ttl := positive(asked, positive(terms.TTL, l.TTL))
	return min(ttl, l.MaxTTL)
}
