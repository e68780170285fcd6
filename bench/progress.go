package main

import (
	"fmt"
	"sync"
	"time"
)

// progress returns a func that shows the current step of a command on a terminal, with the time since now, updated every
// second, and the expected time unless it is 0. A step is on the terminal when show returns. The caller calls end once
// after the last step.
func (c *console) progress(expected time.Duration) (show func(step string), end func()) {
	var (
		began   = time.Now()
		mu      sync.Mutex // held while the line is written
		current string
		ended   = make(chan struct{})
		done    = make(chan struct{})
	)
	write := func() {
		text := clock(time.Since(began))
		if expected > 0 {
			text += " of about " + clock(expected)
		}
		c.status(text + "  " + current)
	}
	show = func(step string) {
		mu.Lock()
		defer mu.Unlock()
		current = step
		write()
	}
	go func() {
		defer close(done)
		tick := time.Tick(time.Second)
		for {
			select {
			case <-ended:
				return
			case <-tick:
				mu.Lock()
				if current != "" {
					write()
				}
				mu.Unlock()
			}
		}
	}()
	return show, func() {
		close(ended)
		<-done
		c.status("")
	}
}

// clock formats a duration as minutes and seconds.
func clock(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}
