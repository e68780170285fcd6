package runtime

import "time"

// processStart is what timestamps are relative to.
var processStart = time.Now()

// timestamp is a monotonic timestamp: time since process start. Unlike [time.Now] it does not read the wall clock, which
// takes as long as all else that a quick call measures.
type timestamp time.Duration

// now returns the current timestamp.
func now() timestamp { return timestamp(time.Since(processStart)) }

// after returns the timestamp d later.
func (t timestamp) after(d time.Duration) timestamp { return t + timestamp(d) }

// since returns the time elapsed since an earlier timestamp.
func (t timestamp) since(earlier timestamp) time.Duration { return time.Duration(t - earlier) }

// time returns the timestamp as a [time.Time]. Its wall clock is off if the clock was set since process start.
func (t timestamp) time() time.Time { return processStart.Add(time.Duration(t)) }
