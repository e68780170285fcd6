package runtime

import (
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

const (
	// updateInterval is the minimum time between two notifications about one URI for one subscription. Clients read the
	// resource again after each.
	updateInterval = 100 * time.Millisecond
	// maxSubResources is how many sub-resources of what a session has subscribed to it distinguishes within the
	// interval. If more are updated, the client is notified about the URI that it has subscribed to.
	maxSubResources = 64
)

// resourceUpdate is the notifications about one URI for one subscription. Session.mu guards it.
//
//	idle ─update─▶ ready ─takeUpdate─▶ paused ─update─▶ waiting
//	  ▲              ▲                    │                │
//	  └──────────────┼──interval is over──┘                │
//	                 └───────────────────interval is over──┘
//
// However often a resource is updated and however slowly its client reads, this is all that is kept.
type resourceUpdate struct {
	subscription *resourceSubscription
	key, uri     string // as in a subscription; uri is that of a sub-resource as the program has written it
	state        updateState
	until        time.Time // end of the interval, while paused or waiting
}

// updateState is the state of a resourceUpdate.
type updateState uint8

const (
	updateIdle    updateState = iota // the client was not notified lately
	updateReady                      // it is to be notified
	updatePaused                     // it was notified less than an interval ago
	updateWaiting                    // likewise, and the resource was updated since
)

// updateQueue is the updates of a session that are not idle. Session.mu guards it.
type updateQueue struct {
	ready        []*resourceUpdate
	paused       []*resourceUpdate // those that wait, too; the oldest first
	subResources int               // how many of both are about sub-resources
	timer        *time.Timer       // set while there are paused ones; nil until the first
}

// noteUpdate records that the resource with this URI was updated, which is that of the subscription or below it, and
// makes the session notify its client. It does not wait.
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

// of returns the update of this URI for a subscription. It may be a new one.
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

// readyUpdate puts an update in the queue of those to be sent. The caller holds s.mu.
func (s *Session) readyUpdate(u *resourceUpdate) {
	u.state = updateReady
	s.changes.updates.ready = append(s.changes.updates.ready, u)
	s.startSending()
}

// takeUpdate returns the next update that may be sent, and who is notified; nil if there is none. Its interval begins.
// The caller holds s.mu.
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

// begun reports whether the client may be notified: the first message of a subscriptions/listen is its acknowledgement,
// and a legacy client has to send notifications/initialized before. The caller holds session.mu.
func (sub *resourceSubscription) begun() bool {
	if sub.listen != nil {
		return sub.listen.acknowledged
	}
	return sub.session.confirmed
}

// endIntervals ends the intervals that are over. It runs when the timer fires.
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

// stop stops the timer for good, when the session has ended.
func (q *updateQueue) stop() {
	if q.timer != nil {
		q.timer.Stop()
	}
}

// send notifies the client, unless the resource does not exist for the caller any more: its scopes or condition may have
// changed since the client has subscribed. The name of a sub-resource that is hidden from the caller is not sent either.
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
	if sub.hasEnded() { // while the author's code ran
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
