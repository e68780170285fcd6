// Package load puts servers under load and measures them.
//
// A load is a closed loop, in which each of a number of callers waits for its answer before it
// calls again ([Closed], and [Pipe.Closed] over one stream), or an open loop, in which calls
// are made at a rate, whether or not the server keeps up ([Open]). The outcome is a
// [Tally]: the latencies of the calls that succeeded, in an HDR histogram, and the failures, counted
// apart by kind. A failure has no latency: a server that refuses quickly is not a quick server.
//
// The two loops answer two questions. The closed loop measures the capacity of a server. Its
// latencies do not show what a stall does to other callers: no call is made while all wait. The open loop
// measures what independent callers see, so latency counts from the time at which a call was due, not from when
// it was sent.
//
// [Run] measures servers side by side: each tool, at each step of concurrency or at the rate, each
// server in turn, in rounds, so that what changes on the machine meets all of them. The
// [Report] has the medians of the rounds and the ratios to the first server, and is shown as a
// table, as JSON, and as a page with plots that needs nothing from any network.
package load
