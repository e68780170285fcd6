package main

import (
	"fmt"
	"time"
)

// progress returns a func that shows the current step of a command on a terminal, with the time since now, and the expected
// time unless it is 0.
func (c *console) progress(expected time.Duration) func(step string) {
	began := time.Now()
	return func(step string) {
		text := clock(time.Since(began))
		if expected > 0 {
			text += " of about " + clock(expected)
		}
		c.status(text + "  " + step)
	}
}

// clock formats a duration as minutes and seconds.
func clock(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}
