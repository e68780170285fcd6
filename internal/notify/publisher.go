package notify

import (
	"context"
	"sync"
	"time"
)

const (
	// busTime is how long Publish of the Bus may take.
	busTime = 5 * time.Second
	// publishInterval is the minimum time between two notices about the same change; changes in between are merged.
	publishInterval = 50 * time.Millisecond
	// publishPause is the maximum pause after a failure of the Bus.
	publishPause = 500 * time.Millisecond
	// publishFor is how long the server tries to publish a notice.
	publishFor = 5 * time.Minute

	// maxSubject is the maximum length of the subject of a notice, in bytes. Ids of tasks, and URIs that clients may
	// subscribe to, are shorter.
	maxSubject = 4 << 10
	// maxQueued is the maximum number of queued notices with a subject, besides as many that are being published. With
	// maxSubject it bounds their memory to 8 MiB.
	maxQueued = 1024
)

// publisher publishes notices in its own goroutine, which runs only while notices are queued. A slow Bus neither
// blocks the callers of add nor increases the memory of the server.
type publisher struct {
	bus   Bus
	from  string
	calls busCalls

	stopping context.Context // ends with Shutdown; afterwards without pauses and new notices
	hopeless context.Context // ends when Shutdown no longer waits for the Bus
	giveUp   context.CancelFunc

	mu    sync.Mutex
	queue map[Notice]time.Time // with the times when they were first added
	done  chan struct{}        // closed when the goroutine has ended; nil if it does not run
}

// add queues a notice without From.
func (p *publisher) add(n Notice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping.Err() != nil {
		return
	}
	p.enqueue(n, time.Now())
	if p.done == nil && len(p.queue) > 0 {
		p.done = make(chan struct{})
		go p.run(p.done)
	}
}

// enqueue queues a notice, unless it is queued already. If too many resources or tasks are queued, it drops the notice.
// For a dropped resource it queues that the list has changed, so that clients are notified of at least that. The server
// of a changed task notices the change without it. The caller holds p.mu.
func (p *publisher) enqueue(n Notice, since time.Time) {
	if _, ok := p.queue[n]; ok {
		return
	}
	if n.Subject != "" && (len(n.Subject) > maxSubject || len(p.queue) >= maxQueued) {
		if n.Kind == resourceUpdated {
			p.enqueue(Resources.changed(), since)
		}
		return
	}
	if p.queue == nil {
		p.queue = map[Notice]time.Time{}
	}
	p.queue[n] = since
}

// run publishes notices until the queue is empty. The pauses let changes accumulate, and give the Bus time to recover
// after failures.
func (p *publisher) run(done chan struct{}) {
	for pause := publishInterval; ; {
		if p.publishQueued() {
			pause = publishInterval
		} else {
			pause = min(2*pause, publishPause)
		}
		select {
		case <-time.After(pause):
		case <-p.stopping.Done():
		}
		if p.isDone(done) {
			return
		}
	}
}

// publishQueued publishes the notices that are queued now, until two have failed. After one failure it continues,
// because the Bus may refuse only that notice. It reports whether none has failed.
func (p *publisher) publishQueued() bool {
	p.mu.Lock()
	queued := p.queue
	p.queue = nil
	p.mu.Unlock()
	failed := 0
	for n, since := range queued {
		if failed < 2 && p.hopeless.Err() == nil {
			if p.publish(n) == nil {
				continue
			}
			failed++
			if p.stopping.Err() != nil || time.Since(since) >= publishFor {
				continue
			}
		}
		p.mu.Lock()
		p.enqueue(n, since)
		p.mu.Unlock()
	}
	return failed == 0
}

// publish passes a notice to the Bus.
func (p *publisher) publish(n Notice) error {
	n.From = p.from
	ctx, cancel := context.WithTimeout(p.hopeless, busTime)
	defer cancel()
	return p.calls.call(ctx, func() error { return p.bus.Publish(ctx, n) })
}

// isDone ends the goroutine if the queue is empty, or if Shutdown no longer waits. It reports whether it did.
func (p *publisher) isDone(done chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) > 0 && p.hopeless.Err() == nil {
		return false
	}
	p.done = nil
	close(done)
	return true
}

// close waits until the queue is empty or the time for that has expired. The context stopping has ended.
func (p *publisher) close(expired <-chan struct{}) {
	p.mu.Lock()
	done := p.done
	p.mu.Unlock()
	if done != nil {
		select {
		case <-done:
		case <-expired:
		}
	}
	p.giveUp()
}
