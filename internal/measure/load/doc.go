// Package load generates load and measures servers.
//
// A load is a closed loop, in which each of several callers waits for a response before its next call ([Closed]), or an
// open loop, which makes calls at a fixed rate, whether or not the server keeps up ([Open]). The result is a [Tally]: the latencies of successful calls in an HDR histogram, and the number of
// failures by kind. Failures have no latency, so that quick rejections do not make a server look fast.
//
// The two loops answer different questions. The closed loop measures the capacity of a server. Its latencies do not
// show the effect of a stall on other callers, since no calls are made while all callers wait. The open loop measures
// the latency for independent callers, from the time when a call was due, not when it was sent.
//
// [Run] measures servers side by side: for each tool and each step of concurrency, or the rate, it measures each server
// in turn, in several rounds, so that changes on the machine affect all of them. The [Report] has the medians of the
// rounds and the ratios to the first server, and can be rendered as a table, as JSON, and as a self-contained page with
// plots.
package load
