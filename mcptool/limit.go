package mcptool

import "time"

// Timeout sets how long one call of the tool may run; it must be above zero. When the time is up, the context of the
// call ends with [context.DeadlineExceeded], and the model gets an error with the limit. A server sends this answer at
// once, and discards the result of a func that returns later. Progress does not extend the time. Time in which the func
// waits counts, but not time before it runs, and on a server not the time until the client has answered a request ([Elicit],
// [AskAll]). In the tag it is timeout=30s or timeout=1m30s.
//
// The default is set by the server, which by default has no timeout (CallTimeout of
// [github.com/mcptool-go/mcptool/runtime.Limits]).
func Timeout(most time.Duration) Option {
	return option(func(d *definition) { set(d, &d.Timeout, "the option Timeout", most) })
}

// RateLimit sets how often each caller may call the tool on one server. For a call beyond the limit the func does not
// run, and the result contains the time until the next allowed call. Calls with invalid arguments count, and so do
// retries with answers of the client ([Elicit]). In the tag it is rateLimit=10/s, or rateLimit=100/m burst=10.
//
// A caller is a principal that the transport has verified. Unauthenticated callers are identified by their addresses if
// the transport provides them, as over HTTP; otherwise they share one limit. A new connection or session is not a new
// caller. Behind a proxy, unauthenticated callers have the address of the proxy, unless the server sets another one. A
// peer that the transport trusts, as over stdio, is one caller for as long as it is connected.
//
// For a resource with [ListWith] or made by [Files], requests for the list of resources that run its func have the same
// limit, and count separately from reads.
//
// By default calls are not limited. Without a server, in [Tool.Call], the limit does not apply.
func RateLimit(rate Rate) Option {
	return option(func(d *definition) { set(d, &d.Rate, "the option RateLimit", rate.resolved()) })
}

// Concurrent sets the maximum number of calls of the tool that run at once on one server, over all callers: for example
// 1 for a tool that cannot run concurrently, or the number of connections of a database. It must be at least 1. In the
// tag it is concurrent=4.
//
// Further calls wait, at most 256 of all callers and 64 of one, and calls of other tools run meanwhile. Waiting callers
// take turns, and the calls of one caller keep their order. The model gets an error that asks it to try again later if
// more calls wait, or a call has waited for as long as its [Timeout], or without one, over HTTP, for a minute. A call
// that was cancelled or has timed out counts until its func returns. A call that waits for an answer of the client
// ([Elicit], [AskAll]) does not count; after the answer it waits until it may continue. A tool with [AskFirst] asks
// before its call counts.
//
// By default only the server's limits for all tools apply. Without a server, in [Tool.Call], calls are not limited.
func Concurrent(most int) Option {
	return option(func(d *definition) { set(d, &d.Concurrent, "the option Concurrent", most) })
}
