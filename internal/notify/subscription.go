package notify

import "github.com/mcptool-go/mcptool/internal/uritemplate"

// MaxURI is the maximum length of a URI that clients may subscribe to, in bytes. Typical URIs are shorter than a line,
// and browsers and proxies refuse longer ones.
const MaxURI = 2 << 10

// Subscription is the subscription of a client to one resource, and to those below it.
type Subscription struct {
	URI        string // as sent by the client
	Key        string // its normal form
	stream     *Stream
	subscriber Subscriber
	position   int // in the index, which guards it

	// Guarded by stream.client.mu.
	ended bool
	own   resourceUpdate             // for the URI itself
	below map[string]*resourceUpdate // for resources below it, by the normal form of their URIs; nil if none
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
	sub.own = resourceUpdate{subscription: sub, key: key, uri: uri}
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
	c.updates.drop(sub)
}

// HasEnded reports whether the subscription has ended.
func (sub *Subscription) HasEnded() bool {
	sub.stream.client.mu.Lock()
	defer sub.stream.client.mu.Unlock()
	return sub.ended
}

// updated records that the resource with this URI, which is the URI of the subscription or below it, was updated, and
// makes the client be notified. It does not wait.
func (sub *Subscription) updated(key, uri string) {
	c := sub.stream.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if sub.ended || c.closed {
		return
	}
	switch u := c.updates.of(sub, key, uri); u.state {
	case updateIdle:
		c.readyUpdate(u)
	case updatePaused:
		u.state = updateWaiting
	default: // the client will be notified anyway
	}
}
