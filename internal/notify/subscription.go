package notify

import (
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

const (
	// MaxURI is the maximum length of a URI that clients may subscribe to, in bytes. Typical URIs are shorter than a
	// line, and browsers and proxies refuse longer ones.
	MaxURI = 2 << 10
	// interval is the minimum time between notifications to a client, which lists or reads again after each. Those of all
	// changes since the last ones are sent together.
	interval = 100 * time.Millisecond
	// maxSubResources is the maximum number of sub-resources that are distinguished for a client within the interval. If
	// more are updated, the client is notified of the URI that it has subscribed to.
	maxSubResources = 64
)

// Subscription is the subscription of a client to one resource, and to those below it. Its size does not depend on how
// often they are updated or how slowly the client reads.
type Subscription struct {
	URI        string // as sent by the client
	Key        string // its normal form
	stream     *Stream
	subscriber Subscriber

	// Guarded by stream.client.mu.
	ended bool
	due   map[string]string // the URIs of which the client must be notified, by their normal form; nil if none
}

// Subscriber sends the notifications of a [Subscription].
type Subscriber interface {
	// NotifyUpdated notifies the client that the resource with the URI, which is the one of the subscription or below it,
	// was updated.
	NotifyUpdated(uri string)
}

// Init makes sub a subscription to the resource. Its notifications are sent while the stream has begun, by calling to. It
// reports false if uri is not a URI.
func (sub *Subscription) Init(stream *Stream, uri string, to Subscriber) (ok bool) {
	key, ok := uritemplate.Normalize(uri)
	*sub = Subscription{URI: uri, Key: key, stream: stream, subscriber: to}
	return ok
}

// Begin starts the subscription. The client must join as well.
func (sub *Subscription) Begin() { sub.stream.client.hub.resources.add(sub) }

// End ends the subscription, which has begun, unless it has ended.
func (sub *Subscription) End() {
	c := sub.stream.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if sub.ended {
		return
	}
	sub.ended = true
	c.hub.resources.remove(sub)
	if sub.due != nil {
		sub.due = nil
		c.updated = slices.DeleteFunc(c.updated, func(other *Subscription) bool { return other == sub })
	}
}

// HasEnded reports whether the subscription has ended.
func (sub *Subscription) HasEnded() bool {
	sub.stream.client.mu.Lock()
	defer sub.stream.client.mu.Unlock()
	return sub.ended
}

// updated records that the resource with this URI, which is the URI of the subscription or below it, was updated, and
// makes the client be notified, if the notice is for it. It does not wait.
func (sub *Subscription) updated(audience Audience, key, uri string) {
	c := sub.stream.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if sub.due[key] != "" || sub.ended || c.closed || !sub.stream.audience.overlaps(audience) {
		return
	}
	if key == sub.Key || c.subResources == maxSubResources {
		key, uri = sub.Key, sub.URI
	} else {
		c.subResources++
	}
	if sub.due == nil {
		sub.due = map[string]string{}
		c.updated = append(c.updated, sub)
	}
	sub.due[key] = uri
	c.startSending()
}

// takeUpdates returns funcs that send the updates for streams that have begun. The caller holds c.mu.
func (c *Client) takeUpdates() (due []func()) {
	var later []*Subscription
	for _, sub := range c.updated {
		if !sub.stream.begun {
			later = append(later, sub)
			continue
		}
		for _, uri := range sub.due {
			due = append(due, func() { sub.subscriber.NotifyUpdated(uri) })
		}
		sub.due = nil
	}
	c.updated = later
	return due
}

// endPause sends what has changed since the last notifications.
func (c *Client) endPause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pause, c.subResources = nil, 0
	c.startSending()
}
