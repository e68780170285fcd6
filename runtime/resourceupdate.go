package runtime

import (
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

const (
	// updateInterval is the minimum time between two notifications about one URI for one subscription. Clients read the
	// resource again after each notification.
	updateInterval = 100 * time.Millisecond
	// maxSubResources is the maximum number of sub-resources that a session distinguishes within the interval. If more
	// are updated, the client is notified of the URI that it has subscribed to.
	maxSubResources = 64
)

// resourceUpdate is the state of the notifications about one URI for one subscription. Session.mu guards it.
//
//	idle ─update─▶ ready ─takeUpdate─▶ paused ─update─▶ waiting
//	  ▲              ▲                    │                │
//	  └──────────────┼──interval is over──┘                │
//	                 └───────────────────interval is over──┘
//
// Its size does not depend on how often the resource is updated or how slowly its client reads.
type resourceUpdate struct {
	subscription *resourceSubscription
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

// updateQueue is the updates of a session that are not idle. Session.mu guards it.
type updateQueue struct {
	ready        []*resourceUpdate
	paused       []*resourceUpdate // including waiting ones; the oldest first
	subResources int               // number of updates in both lists that are about sub-resources
	timer        *time.Timer       // set while updates are paused; nil until the first one
}

// noteUpdate records that the resource with this URI, which is the URI of the subscription or below it, was updated,
// and makes the session notify its client. It does not wait.
func (s *Session) noteUpdate(sub *resourceSubscription, key, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sub.gone || s.closing {
		return
	}
	switch u := s.changes.updates.of(sub, key, uri); u.state {
	case updateIdle:
		s.readyUpdate(u)
	case updatePaused:
		u.state = updateWaiting
	default: // the client will be notified anyway
	}
}

// of returns the update of this URI for a subscription, which may be a new one.
func (q *updateQueue) of(sub *resourceSubscription, key, uri string) *resourceUpdate {
	if key == sub.key {
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

// readyUpdate queues an update to be sent. The caller holds s.mu.
func (s *Session) readyUpdate(u *resourceUpdate) {
	u.state = updateReady
	s.changes.updates.ready = append(s.changes.updates.ready, u)
	s.startSending()
}

// takeUpdate returns the next update to be sent, and the reader to notify; nil if there is none. The interval of the
// update begins. The caller holds s.mu.
func (s *Session) takeUpdate() (*resourceUpdate, *resourceReader) {
	q := &s.changes.updates
	i := slices.IndexFunc(q.ready, func(u *resourceUpdate) bool { return u.subscription.begun() })
	if i < 0 {
		return nil, nil
	}
	u := q.ready[i]
	q.ready = slices.Delete(q.ready, i, i+1)
	u.state, u.until = updatePaused, time.Now().Add(updateInterval)
	if q.paused = append(q.paused, u); len(q.paused) == 1 {
		if q.timer == nil {
			q.timer = time.AfterFunc(updateInterval, s.endIntervals)
		} else {
			q.timer.Reset(updateInterval)
		}
	}
	return u, u.subscription.reader
}

// begun reports whether the client may be notified: the first message of a subscriptions/listen must be its
// acknowledgement, and a legacy client must have sent notifications/initialized. The caller holds session.mu.
func (sub *resourceSubscription) begun() bool {
	if sub.listen != nil {
		return sub.listen.acknowledged
	}
	return sub.session.confirmed
}

// endIntervals ends the intervals that are over. The timer calls it.
func (s *Session) endIntervals() {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, now := &s.changes.updates, time.Now()
	for len(q.paused) > 0 && !now.Before(q.paused[0].until) {
		u := q.paused[0]
		q.paused = slices.Delete(q.paused, 0, 1)
		if u.state == updateWaiting {
			s.readyUpdate(u)
			continue
		}
		u.state = updateIdle
		if sub := u.subscription; u != &sub.own {
			delete(sub.below, u.key)
			q.subResources--
		}
	}
	if len(q.paused) > 0 && !s.closing {
		q.timer.Reset(q.paused[0].until.Sub(now))
	}
}

// drop removes the updates of a subscription that has ended.
func (q *updateQueue) drop(sub *resourceSubscription) {
	if sub.own.state == updateIdle && len(sub.below) == 0 {
		return
	}
	theirs := func(u *resourceUpdate) bool { return u.subscription == sub }
	q.ready = slices.DeleteFunc(q.ready, theirs)
	q.paused = slices.DeleteFunc(q.paused, theirs)
	q.subResources -= len(sub.below)
	sub.below = nil
}

// stop stops the timer permanently, when the session has ended.
func (q *updateQueue) stop() {
	if q.timer != nil {
		q.timer.Stop()
	}
}

// send notifies the client, unless the resource no longer exists for the caller: its scopes or its condition may have
// changed since the subscription. The URI of a sub-resource that is hidden from the caller is also not sent.
func (u *resourceUpdate) send(reader *resourceReader) {
	sub := u.subscription
	s := sub.session
	if !reader.finds(s.core, sub.uri) {
		return
	}
	if u != &sub.own {
		if resource, ok := s.lookUpResource(u.uri); ok && !reader.sees(resource, u.uri) {
			return
		}
	}
	if sub.hasEnded() { // while the author's code was running
		return
	}
	deliver := s.send
	if sub.listen != nil {
		deliver = sub.listen.note
	}
	wire.Compose(deliver, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{`...)
		dst = wire.AppendText(dst, "uri", u.uri)
		if sub.listen != nil {
			dst = sub.listen.appendID(dst)
		}
		return append(dst, `}}`...)
	})
}

// hasEnded reports whether the subscription has ended.
func (sub *resourceSubscription) hasEnded() bool {
	sub.session.mu.Lock()
	defer sub.session.mu.Unlock()
	return sub.gone
}
