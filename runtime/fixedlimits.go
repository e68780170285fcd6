package runtime

import "time"

// limits are all limits of a server.
type limits struct {
	Limits
	fixedLimits
}

// fixedLimits are the limits that are the same for every server, because nobody has needed other ones. SECURITY.md
// lists them. They are fields, so that tests can set smaller ones.
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
	// MaxStatelessCalls is the number of calls without a session that run at once, over all clients of one [Endpoint].
	// One caller may run a quarter of them.
	MaxStatelessCalls int
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
	// MaxTextBytes is the length of the longest error text or progress message that is sent, and of the arguments in an
	// audit record. Longer ones are cut, because models pay for each word.
	MaxTextBytes int
	// ProgressInterval is the minimum time between two progress notifications of one call. Nobody reads faster.
	ProgressInterval time.Duration
	// LogRecordsPerSecond is the number of log records that a session, or a request without a session, sends to its
	// client per second, and at once.
	LogRecordsPerSecond int
}

var defaultFixedLimits = fixedLimits{
	MaxDepth:            256,
	MaxValues:           400_000,
	MaxBatchMessages:    128,
	MaxStatelessCalls:   4096,
	MaxQueuedBytes:      32 << 20,
	MaxWaitingCalls:     256,
	MaxClientRequests:   256,
	MaxStateBytes:       64 << 10,
	MaxTextBytes:        4 << 10,
	ProgressInterval:    50 * time.Millisecond,
	LogRecordsPerSecond: 100,
}
