package mcptool

import (
	"fmt"
	"strconv"
)

// Concurrent sets the maximum number of calls of the tool that run at once on one server, over all callers: for example
// 1 for a tool that cannot run concurrently, or the number of connections of a database. It must be at least 1. In the
// tag it is concurrent=4.
//
// Further calls wait, and calls of other tools run meanwhile. Waiting callers take turns, and the calls of one caller
// keep their order. The model gets an error that tells it to try again later if too many calls wait (MaxWaitingCalls of
// [github.com/mcptool-go/mcptool/runtime.Limits]), or if the call has waited for as long as its [Timeout], or without
// one, over HTTP, for a minute. A call that was cancelled or has timed out counts until its func returns.
//
// By default only the server's limits for all tools apply. Without a server, in [Tool.Call], there is no limit.
func Concurrent(most int) Option {
	return option(func(d *definition) { set(d, &d.concurrent, "the option Concurrent", most) })
}

// Concurrent returns the maximum number of calls that run at once; 0 means no limit.
func (t *Tool) Concurrent() int { return t.concurrent }

// parseConcurrent reads the value of the key concurrent.
func (d *definition) parseConcurrent(source, text string) (reason, fix string) {
	most, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Sprintf("concurrent is %q", text), "write how many calls may run at once: concurrent=4"
	}
	set(d, &d.concurrent, source, most)
	return "", ""
}

// checkConcurrent notes a limit below 1.
func checkConcurrent(fs *findings, s *setting[int]) {
	if s.isSet() && s.value <= 0 {
		fs.add("concurrent", fmt.Sprintf("%s sets %d", s.source, s.value), "at least one call must be able to run; leave it out for no limit")
	}
}
