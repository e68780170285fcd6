package mcptool

import (
	"fmt"
	"strconv"
)

// Concurrent sets how many calls of the tool run at once on one server, for all callers together: 1 for a tool that
// cannot run concurrently, or the number of connections of a database. Further calls wait, callers in turn and the
// calls of each in their order, and calls of other tools still run. If too many wait, or one waits longer than its
// [Timeout], or over HTTP a minute if it has none, the model is told to try again later. A call that was cancelled or
// has timed out counts until its func returns. In the tag it is concurrent=4.
//
// By default only the server's limits for all tools together apply; without a server, [Tool.Call] has no limit.
func Concurrent(most int) Option {
	return option(func(d *definition) { set(d, &d.concurrent, "the option Concurrent", most) })
}

// Concurrent returns how many calls run at once, 0 if unset.
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

// checkConcurrent looks for a number with which nothing would ever run.
func checkConcurrent(fs *findings, s *setting[int]) {
	if s.isSet() && s.value <= 0 {
		fs.add("concurrent", fmt.Sprintf("%s says %d", s.source, s.value), "at least one call must be able to run; leave it out for no limit")
	}
}
