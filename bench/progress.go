package main

import (
	"fmt"
	"time"
)

// progress returns a func that shows the current step of a command on a terminal, with the time since now, updated every
// second, and the expected time unless it is 0. The caller calls end once after the last step.
func (c *console) progress(expected time.Duration) (show func(step string), end func()) {
	began, steps := time.Now(), make(chan string)
	go func() {
		tick := time.Tick(time.Second)
		for step := <-steps; step != ""; {
			text := clock(time.Since(began))
			if expected > 0 {
				text += " of about " + clock(expected)
			}
			c.status(text + step)
			select {
			case step = <-steps:
			case <-tick:
			}
		}
	}()
	return func(step string) { steps <- "  " + step }, func() {
		steps <- "" // received when nothing more is shown
		c.status("")
	}
}

// clock formats a duration as minutes and seconds.
func clock(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}
