package runtime

import "time"

// started is what moments are told from.
var started = time.Now()

// moment is a point in time for who measures how long something takes: how long after [started] it is. Unlike a [time.Time] it
// does not know what time of day it is, which takes as long to ask as what is asked for.
type moment time.Duration

// now returns the moment that it is.
func now() moment { return moment(time.Since(started)) }

// after returns the moment that is d later.
func (m moment) after(d time.Duration) moment { return m + moment(d) }

// since returns how long after the earlier moment it is.
func (m moment) since(earlier moment) time.Duration { return time.Duration(m - earlier) }

// time returns the moment for others. Its time of day is off if somebody has set the clock since the process began.
func (m moment) time() time.Time { return started.Add(time.Duration(m)) }
