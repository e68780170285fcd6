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
	queue noticeQueue
	done  chan struct{} // closed when the goroutine has ended; nil if it does not run
}

// add queues a notice without From.
func (p *publisher) add(n Notice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping.Err() != nil {
		return
	}
	p.queue.add(queuedNotice{n, time.Now()})
	if p.done == nil {
		p.done = make(chan struct{})
		go p.run(p.done)
	}
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
	failed := 0
	p.mu.Lock()
	queued := len(p.queue.list)
	p.mu.Unlock()
	for range queued {
		n, ok := p.take()
		if !ok || p.hopeless.Err() != nil {
			break
		}
		if err := p.publish(n.Notice); err != nil {
			p.retry(n)
			if failed++; failed == 2 {
				break
			}
		}
	}
	return failed == 0
}

// take removes the next notice from the queue.
func (p *publisher) take() (queuedNotice, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.queue.take()
}

// publish passes a notice to the Bus.
func (p *publisher) publish(n Notice) error {
	n.From = p.from
	ctx, cancel := context.WithTimeout(p.hopeless, busTime)
	defer cancel()
	return p.calls.call(ctx, func() error { return p.bus.Publish(ctx, n) })
}

// retry appends a notice that could not be published to the queue again.
func (p *publisher) retry(n queuedNotice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping.Err() == nil && time.Since(n.since) < publishFor {
		p.queue.add(n)
	}
}

// isDone ends the goroutine if the queue is empty, or if Shutdown no longer waits. It reports whether it did.
func (p *publisher) isDone(done chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue.list) > 0 && p.hopeless.Err() == nil {
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
