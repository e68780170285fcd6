package notify

import (
	"context"
	"time"

	"github.com/mcptool-go/mcptool/internal/uritemplate"
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

	// maxSubject is the maximum length of the subject, and of the tenant, of a notice, in bytes. Ids of tasks, and URIs
	// that clients may subscribe to, are shorter.
	maxSubject = 4 << 10
	// maxQueued is the maximum number of queued notices with a subject. It is also the maximum number of queued notices
	// that limit a change of the list of resources to a tenant. As many more may be being published. With maxSubject it
	// bounds their memory to 24 MiB.
	maxQueued = 1024
)

// publish publishes a notice of a change at this instance. It does not wait.
func (b *busClient) publish(n Notice) {
	if n.Kind == resourceUpdated {
		if _, isURI := uritemplate.Normalize(n.Subject); !isURI || n.Subject == "" {
			return // it cannot have subscribers
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopping.Err() != nil {
		return
	}
	b.enqueue(n, time.Now())
	if !b.isPublishing && len(b.queue) > 0 {
		b.isPublishing = true
		b.running.Go(b.publishQueue)
	}
}

// enqueue queues a notice, unless it is queued already. If too many resources, tasks or tenants are queued, it drops the
// notice. For a dropped resource it queues that the list has changed, so that the clients that the notice is for are
// notified of at least that. The server of a changed task notices the change without it. The caller holds b.mu.
func (b *busClient) enqueue(n Notice, since time.Time) {
	if _, ok := b.queue[n]; ok {
		return
	}
	room := maxQueued
	if n.Subject == "" {
		room = 2 * maxQueued // so that a tenant is notified of the list instead of a resource
	}
	if (n.Subject != "" || n.IsLimited) && (n.isLong() || len(b.queue) >= room) {
		if n.Kind == resourceUpdated {
			list := Resources.changed()
			list.Audience = n.Audience
			b.enqueue(list, since)
		}
		return
	}
	if b.queue == nil {
		b.queue = map[Notice]time.Time{}
	}
	b.queue[n] = since
}

// publishQueue publishes notices until the queue is empty. The pauses let changes accumulate, and give the Bus time to
// recover after failures.
func (b *busClient) publishQueue() {
	for pause := publishInterval; b.hasQueued(); b.pause(pause) {
		if b.publishQueued() {
			pause = publishInterval
		} else {
			pause = min(2*pause, publishPause)
		}
	}
}

// hasQueued reports whether there are notices to publish. If not, the goroutine ends.
func (b *busClient) hasQueued() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isPublishing = len(b.queue) > 0 && b.hopeless.Err() == nil
	return b.isPublishing
}

// publishQueued publishes the notices that are queued now, until two have failed. After one failure it continues,
// because the Bus may refuse only that notice. It reports whether none has failed.
func (b *busClient) publishQueued() bool {
	b.mu.Lock()
	queued := b.queue
	b.queue = nil
	b.mu.Unlock()
	failed := 0
	for n, since := range queued {
		if failed < 2 && b.hopeless.Err() == nil {
			if b.publishNow(n) == nil {
				continue
			}
			failed++
			if b.stopping.Err() != nil || time.Since(since) >= publishFor {
				continue
			}
		}
		b.mu.Lock()
		b.enqueue(n, since)
		b.mu.Unlock()
	}
	return failed == 0
}

// publishNow passes a notice to the Bus.
func (b *busClient) publishNow(n Notice) error {
	n.From = b.from
	ctx, cancel := context.WithTimeout(b.hopeless, busTime)
	defer cancel()
	return b.publishing.call(ctx, func() error { return b.bus.Publish(ctx, n) })
}
