package main

import (
	"fmt"
	"sync"
	"time"
)

// A progress shows on a terminal what a command is doing, and for how long it has been running, every second.
type progress struct {
	con      *console
	began    time.Time
	expected time.Duration // of the command; 0 if unknown
	stop     chan struct{}
	ended    sync.WaitGroup

	mu   sync.Mutex
	what string
}

// startProgress starts to show progress. Without a terminal it shows nothing.
func (c *console) startProgress(expected time.Duration) *progress {
	p := &progress{con: c, began: time.Now(), expected: expected, stop: make(chan struct{})}
	if c.errTerminal {
		p.ended.Go(p.tick)
	}
	return p
}

func (p *progress) tick() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			p.mu.Lock()
			p.show()
			p.mu.Unlock()
		case <-p.stop:
			return
		}
	}
}

// update replaces the description of the current step.
func (p *progress) update(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
	p.show()
}

// show shows the current step. The caller holds p.mu.
func (p *progress) show() {
	if p.what == "" {
		return
	}
	text := fmt.Sprintf("%s  %s", clock(time.Since(p.began)), p.what)
	if p.expected > 0 {
		text = fmt.Sprintf("%s of about %s  %s", clock(time.Since(p.began)), clock(p.expected), p.what)
	}
	p.con.status(text)
}

// end removes the status line.
func (p *progress) end() {
	close(p.stop)
	p.ended.Wait()
	p.con.status("")
}

// clock formats a duration as minutes and seconds.
func clock(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}
