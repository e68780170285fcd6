package runtime

import (
	"context"
	"sync"
	"time"
)

const (
	// publishInterval is the minimum time between two notices about the same change: those in between are one.
	publishInterval = 50 * time.Millisecond
	// publishPause is the longest pause after a failure of the Bus.
	publishPause = 500 * time.Millisecond
	// publishFor is for how long a notice is tried to be published.
	publishFor = 5 * time.Minute
)

// busPublisher publishes notices in a goroutine of its own, which runs only while there are any. Neither those who add
// notices nor the memory of the server depend on how fast the Bus is.
type busPublisher struct {
	bus   Bus
	from  string
	guard busGuard

	stopping context.Context // ends with Shutdown; then there are no pauses and no further notices
	hopeless context.Context // ends when Shutdown waits for the Bus no longer
	giveUp   context.CancelFunc

	mu    sync.Mutex
	queue noticeQueue
	done  chan struct{} // closed when the goroutine has ended; nil if none runs
}

// add queues a notice without From.
func (p *busPublisher) add(n Notice) {
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

// run publishes what is queued until there is nothing more. The pauses are for notices to come together, and after failures
// for the Bus to recover.
func (p *busPublisher) run(done chan struct{}) {
	ended := false
	defer func() {
		if !ended { // the Bus has ended this goroutine with runtime.Goexit
			go p.run(done)
		}
	}()
	for pause := publishInterval; ; {
		if p.publishQueued() {
			pause = publishInterval
		} else {
			pause = min(2*pause, publishPause)
		}
		sleep(p.stopping, pause)
		if ended = p.isDone(done); ended {
			return
		}
	}
}

// publishQueued publishes the notices that are queued now, until two have failed: if it is only one, the Bus may refuse that
// notice alone. It reports whether none has failed.
func (p *busPublisher) publishQueued() bool {
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
func (p *busPublisher) take() (queuedNotice, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.queue.take()
}

// publish passes a notice to the Bus.
func (p *busPublisher) publish(n Notice) error {
	n.From = p.from
	ctx, cancel := context.WithTimeout(p.hopeless, busTime)
	defer cancel()
	return p.guard.call(func() error { return p.bus.Publish(ctx, n) })
}

// retry queues a notice again that could not be published, behind the others.
func (p *busPublisher) retry(n queuedNotice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping.Err() == nil && time.Since(n.since) < publishFor {
		p.queue.add(n)
	}
}

// isDone ends the goroutine, if there is nothing to publish, or Shutdown waits for that no longer.
func (p *busPublisher) isDone(done chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue.list) > 0 && p.hopeless.Err() == nil {
		return false
	}
	p.done = nil
	close(done)
	return true
}

// close waits until what is queued is published, for at most grace. The context stopping has ended.
func (p *busPublisher) close(grace time.Duration) {
	p.mu.Lock()
	done := p.done
	p.mu.Unlock()
	if done != nil {
		wait(done, grace)
	}
	p.giveUp()
}
