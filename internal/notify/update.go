package notify

import (
	"slices"
	"time"
)

const (
	// updateInterval is the minimum time between two notifications about one URI for one subscription. Clients read the
	// resource again after each notification.
	updateInterval = 100 * time.Millisecond
	// maxSubResources is the maximum number of sub-resources that are distinguished for a client within the interval. If
	// more are updated, the client is notified of the URI that it has subscribed to.
	maxSubResources = 64
)

// resourceUpdate is the state of the notifications about one URI for one subscription. Client.mu guards it.
//
//	idle ─update─▶ ready ─takeUpdate─▶ paused ─update─▶ waiting
//	  ▲              ▲                    │                │
//	  └──────────────┼──interval is over──┘                │
//	                 └───────────────────interval is over──┘
//
// Its size does not depend on how often the resource is updated or how slowly its client reads.
type resourceUpdate struct {
	subscription *Subscription
	key, uri     string // as in a subscription; for a sub-resource, uri is the text from the program
	state        updateState
	until        time.Time // end of the interval, while paused or waiting
}

// updateState is the state of a resourceUpdate.
type updateState uint8

const (
	updateIdle    updateState = iota // the client was not notified recently
	updateReady                      // the client must be notified
	updatePaused                     // the client was notified less than an interval ago
	updateWaiting                    // paused, and the resource was updated since
)

// updateQueue is the updates of a client that are not idle. Client.mu guards it.
type updateQueue struct {
	ready        []*resourceUpdate
	paused       []*resourceUpdate // including waiting ones; the oldest first
	subResources int               // number of updates in both lists that are about sub-resources
	timer        *time.Timer       // set while updates are paused; nil until the first one
}

// of returns the update of this URI for a subscription, which may be a new one.
func (q *updateQueue) of(sub *Subscription, key, uri string) *resourceUpdate {
	if key == sub.Key {
		return &sub.own
	}
	u := sub.below[key]
	switch {
	case u != nil:
		return u
	case q.subResources >= maxSubResources:
		return &sub.own
	case sub.below == nil:
		sub.below = map[string]*resourceUpdate{}
	}
	u = &resourceUpdate{subscription: sub, key: key, uri: uri}
	sub.below[key] = u
	q.subResources++
	return u
}

// readyUpdate queues an update to be sent. The caller holds c.mu.
func (c *Client) readyUpdate(u *resourceUpdate) {
	u.state = updateReady
	c.updates.ready = append(c.updates.ready, u)
	c.startSending()
}

// takeUpdate returns the next update to be sent; nil if there is none. The interval of the update begins. The caller
// holds c.mu.
func (c *Client) takeUpdate() *resourceUpdate {
	q := &c.updates
	i := slices.IndexFunc(q.ready, func(u *resourceUpdate) bool { return u.subscription.stream.begun })
	if i < 0 {
		return nil
	}
	u := q.ready[i]
	q.ready = slices.Delete(q.ready, i, i+1)
	u.state, u.until = updatePaused, time.Now().Add(updateInterval)
	if q.paused = append(q.paused, u); len(q.paused) == 1 {
		if q.timer == nil {
			q.timer = time.AfterFunc(updateInterval, c.endIntervals)
		} else {
			q.timer.Reset(updateInterval)
		}
	}
	return u
}

// endIntervals ends the intervals that are over. The timer calls it.
func (c *Client) endIntervals() {
	c.mu.Lock()
	defer c.mu.Unlock()
	q, now := &c.updates, time.Now()
	for len(q.paused) > 0 && !now.Before(q.paused[0].until) {
		u := q.paused[0]
		q.paused = slices.Delete(q.paused, 0, 1)
		if u.state == updateWaiting {
			c.readyUpdate(u)
			continue
		}
		u.state = updateIdle
		if sub := u.subscription; u != &sub.own {
			delete(sub.below, u.key)
			q.subResources--
		}
	}
	if len(q.paused) > 0 && !c.closed {
		q.timer.Reset(q.paused[0].until.Sub(now))
	}
}

// drop removes the updates of a subscription that has ended.
func (q *updateQueue) drop(sub *Subscription) {
	if sub.own.state == updateIdle && len(sub.below) == 0 {
		return
	}
	theirs := func(u *resourceUpdate) bool { return u.subscription == sub }
	q.ready = slices.DeleteFunc(q.ready, theirs)
	q.paused = slices.DeleteFunc(q.paused, theirs)
	q.subResources -= len(sub.below)
	sub.below = nil
}

// stop stops the timer permanently.
func (q *updateQueue) stop() {
	if q.timer != nil {
		q.timer.Stop()
	}
}
