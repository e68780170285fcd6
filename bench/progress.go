package main

import (
	"fmt"
	"time"
)

// A progress shows the current step of a command on a terminal, with the time since its start.
type progress struct {
	con      *console
	began    time.Time
	expected time.Duration // of the command; 0 if unknown
}

// startProgress starts to show progress. Without a terminal it shows nothing.
func (c *console) startProgress(expected time.Duration) *progress {
	return &progress{con: c, began: time.Now(), expected: expected}
}

// update shows the current step.
func (p *progress) update(what string) {
	text := clock(time.Since(p.began))
	if p.expected > 0 {
		text += " of about " + clock(p.expected)
	}
	p.con.status(text + "  " + what)
}

// clock formats a duration as minutes and seconds.
func clock(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}
