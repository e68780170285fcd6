package busclient

import (
	"context"
	"time"

	"github.com/mcptool-go/mcptool/internal/notify"
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

// isLong reports whether a notice is longer than those that servers publish.
func isLong(n notify.Notice) bool { return len(n.Subject) > maxSubject || len(n.Tenant) > maxSubject }

// Publish publishes a notice of a change at this instance. It does not wait.
func (c *Client) Publish(n notify.Notice) {
	if n.Kind == notify.ResourceUpdated {
		if _, isURI := uritemplate.Normalize(n.Subject); !isURI || n.Subject == "" {
			return // it cannot have subscribers
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping.Err() != nil {
		return
	}
	c.enqueue(n, time.Now())
	if !c.isPublishing && len(c.queue) > 0 {
		c.isPublishing = true
		c.running.Go(c.publishQueue)
	}
}

// enqueue queues a notice, unless it is queued already. If too many resources, tasks or tenants are queued, it drops the
// notice. For a dropped resource it queues that the list has changed, so that the clients that the notice is for are
// notified of at least that. The server of a changed task notices the change without it. The caller holds c.mu.
func (c *Client) enqueue(n notify.Notice, since time.Time) {
	if _, ok := c.queue[n]; ok {
		return
	}
	room := maxQueued
	if n.Subject == "" {
		room = 2 * maxQueued // so that a tenant is notified of the list instead of a resource
	}
	if (n.Subject != "" || n.IsLimited) && (isLong(n) || len(c.queue) >= room) {
		if n.Kind == notify.ResourceUpdated {
			list := notify.Resources.Changed()
			list.Audience = n.Audience
			c.enqueue(list, since)
		}
		return
	}
	if c.queue == nil {
		c.queue = map[notify.Notice]time.Time{}
	}
	c.queue[n] = since
}

// publishQueue publishes notices until the queue is empty. The pauses let changes accumulate, and give the Bus time to
// recover after failures.
func (c *Client) publishQueue() {
	for pause := publishInterval; c.hasQueued(); c.pause(pause) {
		if c.publishQueued() {
			pause = publishInterval
		} else {
			pause = min(2*pause, publishPause)
		}
	}
}

// hasQueued reports whether there are notices to publish. If not, the goroutine ends.
func (c *Client) hasQueued() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isPublishing = len(c.queue) > 0 && c.hopeless.Err() == nil
	return c.isPublishing
}

// publishQueued publishes the notices that are queued now, until two have failed. After one failure it continues,
// because the Bus may refuse only that notice. It reports whether none has failed.
func (c *Client) publishQueued() bool {
	c.mu.Lock()
	queued := c.queue
	c.queue = nil
	c.mu.Unlock()
	failed := 0
	for n, since := range queued {
		if failed < 2 && c.hopeless.Err() == nil {
			if c.publishNow(n) == nil {
				continue
			}
			failed++
			if c.stopping.Err() != nil || time.Since(since) >= publishFor {
				continue
			}
		}
		c.mu.Lock()
		c.enqueue(n, since)
		c.mu.Unlock()
	}
	return failed == 0
}

// publishNow passes a notice to the Bus.
func (c *Client) publishNow(n notify.Notice) error {
	n.From = c.from
	ctx, cancel := context.WithTimeout(c.hopeless, busTime)
	defer cancel()
	return c.publishing.call(ctx, func() error { return c.bus.Publish(ctx, n) })
}
