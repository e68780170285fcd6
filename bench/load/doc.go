// Package load puts servers under load and says how they bore it.
//
// A load is a closed loop, in which each of a number of callers waits for its answer before it
// calls again ([Closed], and [Pipe.Closed] over one stream), or an open loop, in which calls
// are made at a rate, whether or not the server keeps up ([Open]). What comes of it is a
// [Tally]: the latencies of the calls that succeeded, in an HDR histogram, and the failures, counted
// apart by kind. A failure has no latency: a server that refuses quickly is not a quick server.
//
// The two loops answer two questions. The closed loop asks how much a server can do. Its
// latencies leave out what a stall does to those who would have called meanwhile: nobody calls
// while all wait. The open loop asks what callers see who do not wait for each other, so it
// counts from the moment at which a call was to be made, not from when it got its turn.
//
// [Run] measures servers side by side: each tool, at each step of concurrency or at the rate, each
// server in turn, in rounds, so that what changes on the machine meets all of them. The
// [Report] has the medians of the rounds and the ratios to the first server, and is shown as a
// table, as JSON, and as a page with plots that needs nothing from any network.
package load
