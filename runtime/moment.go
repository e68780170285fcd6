package runtime

import "time"

// A moment is a point in time, as the time since the process began. To find it out takes half as long as [time.Now],
// because nobody asks what time of day it is: that is off if somebody has set the clock meanwhile.
type moment time.Duration

// started is what moments are told from.
var started = time.Now()

func now() moment { return moment(time.Since(started)) }

// time returns the moment for who measures how long something takes.
func (m moment) time() time.Time { return started.Add(time.Duration(m)) }

// deadline returns the moment for who shows it, too: the time of day is what the clock says now.
func (m moment) deadline() time.Time { return time.Now().Add(time.Duration(m - now())) }
