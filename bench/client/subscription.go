package client

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/mcptool-go/mcptool/bench/internal/strictjson"
)

const (
	methodListen = "subscriptions/listen"
	noteListens  = "notifications/subscriptions/acknowledged"
)

// ErrNoSubscriptions is returned by [Client.Subscribe] if the server does not support subscriptions to resources.
var ErrNoSubscriptions = errors.New("the server does not support subscriptions to resources")

// A Subscription receives change notifications of a server. It is safe for concurrent use.
type Subscription struct {
	client       *Client
	id           int64 // request id; 0 in the legacy era, where the session is the subscription
	wanted       Changes
	changed      chan struct{}
	acknowledged chan struct{} // closed on acknowledgment by the server
	ended        chan struct{} // closed at the end, after err is set
	stop         context.CancelFunc
	closing      sync.Once
	err          error

	mu      sync.Mutex
	honored Changes // in the modern era, after the acknowledgment
	news    Changes // changes since the last Take
}

// subscriptions holds the open subscriptions.
type subscriptions struct {
	mu   sync.Mutex
	open map[*Subscription]struct{}
	// uris counts the subscriptions of the legacy session per resource URI. turn is a semaphore held during an update
	// of uris, including the request to the server.
	uris map[string]int
	turn chan struct{}
}

// Subscribe subscribes to changes until [Subscription.Close]. It returns when the server has acknowledged the
// subscription; ctx and the timeout apply only until then. Legacy servers send list changes without a subscription, so
// in the legacy era it subscribes only to resources; over HTTP, it returns when the session stream is open. A server
// may honor only some of the requested changes, see [Subscription.Honored].
//
// The error is [ErrNoSubscriptions] if to contains resources and the server does not support this, an *RPCError, an
// *UnreachableError, or ctx's.
func (c *Client) Subscribe(ctx context.Context, to Changes) (*Subscription, error) {
	switch {
	case to.none():
		return nil, errors.New("there is nothing to subscribe to")
	case len(to.Updated) > 0 && !c.followsResources():
		return nil, ErrNoSubscriptions
	}
	to.Updated = slices.Clone(to.Updated)
	s := &Subscription{client: c, wanted: to, changed: make(chan struct{}, 1), acknowledged: make(chan struct{}), ended: make(chan struct{}), stop: func() {}}
	begin := s.beginModern
	if c.era == Legacy {
		begin = s.beginLegacy
	}
	if err := begin(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// beginLegacy subscribes to resources and listens to the session stream.
func (s *Subscription) beginLegacy(ctx context.Context) error {
	c := s.client
	c.attending.Do(c.conn.attend)
	s.honored = s.wanted
	close(s.acknowledged)
	c.subscriptions.add(s) // before the server may send an update
	for i, uri := range s.wanted.Updated {
		if err := c.follow(ctx, uri); err != nil {
			c.subscriptions.end(s, err)
			for _, done := range s.wanted.Updated[:i] {
				_ = c.unfollow(c.ctx, done) //nolint:contextcheck // ctx may have ended; the follow error is more useful
			}
			return err
		}
	}
	return nil
}

// beginModern sends the subscription request and waits for the acknowledgment.
func (s *Subscription) beginModern(ctx context.Context) error {
	c := s.client
	s.id = c.lastID.Add(1)
	params, err := json.Marshal(map[string]filter{"notifications": filter(s.wanted)})
	if err != nil {
		return err
	}
	body, err := encode(s.id, methodListen, params, c.meta())
	if err != nil {
		return err
	}
	c.subscriptions.add(s)
	var listening context.Context
	listening, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.work.Go(func() { s.listen(listening, &request{id: s.id, method: methodListen, body: body}) })
	waiting, release := c.timeouts.within(ctx)
	defer release()
	what := "it does not acknowledge a subscription to changes of " + s.wanted.String()
	select {
	case <-s.acknowledged:
		return nil
	case <-s.ended:
		switch {
		case s.isAcknowledged():
			return nil // already ended; Err returns the reason
		case s.err == nil:
			return c.conn.unreachable(what, nil)
		default:
			return s.err
		}
	case <-waiting.Done():
		s.stop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return c.conn.unreachable(what, context.Cause(waiting))
	}
}

// listen sends the subscription request and waits for the end of the subscription.
func (s *Subscription) listen(ctx context.Context, r *request) {
	c := s.client
	answer, err := c.conn.exchange(ctx, r)
	switch {
	case err == nil:
		_, err = c.result(r.method, answer)
	case ctx.Err() != nil:
		c.abandon(r) //nolint:contextcheck // ctx has ended, and the server must be notified
		err = nil
	}
	c.subscriptions.end(s, err)
}

// Changed receives a value after one or more changes, which [Subscription.Take] returns. The channel is closed at the
// end of the subscription.
func (s *Subscription) Changed() <-chan struct{} { return s.changed }

// Take returns the changes since the previous call.
func (s *Subscription) Take() Changes {
	s.mu.Lock()
	defer s.mu.Unlock()
	news := s.news
	s.news = Changes{}
	return news
}

// Honored returns the requested changes that the server has agreed to send. In the legacy era these are all of them,
// since servers do not report it.
func (s *Subscription) Honored() Changes {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.honored
}

// Err returns why the subscription ended. It is nil while the subscription is open, after Close, and after a regular
// end by the server.
func (s *Subscription) Err() error {
	select {
	case <-s.ended:
		return s.err
	default:
		return nil
	}
}

// Close ends the subscription and returns Err.
func (s *Subscription) Close() error {
	s.closing.Do(func() {
		s.stop()
		if s.id != 0 {
			return
		}
		s.client.subscriptions.end(s, nil)
		for _, uri := range s.wanted.Updated {
			_ = s.client.unfollow(s.client.ctx, uri) // best effort: the session may have ended
		}
	})
	<-s.ended
	return s.err
}

// follow subscribes the legacy session to a resource, unless it already is subscribed.
func (c *Client) follow(ctx context.Context, uri string) error {
	return c.subscriptions.changeURIs(ctx, func(uris map[string]int) error {
		if uris[uri] == 0 {
			if _, err := c.request(ctx, "resources/subscribe", uriParams(uri)); err != nil {
				return err
			}
		}
		uris[uri]++
		return nil
	})
}

// unfollow reverses follow once no other subscription needs the resource.
func (c *Client) unfollow(ctx context.Context, uri string) error {
	return c.subscriptions.changeURIs(ctx, func(uris map[string]int) error {
		if uris[uri]--; uris[uri] > 0 {
			return nil
		}
		delete(uris, uri)
		_, err := c.request(ctx, "resources/unsubscribe", uriParams(uri))
		return err
	})
}

// uriParams returns the params of a request for a resource.
func uriParams(uri string) json.RawMessage {
	quoted, _ := json.Marshal(uri) // a string can always be encoded
	return json.RawMessage(`{"uri":` + string(quoted) + `}`)
}

// changeURIs runs change with exclusive access to the resource subscriptions of the session.
func (a *subscriptions) changeURIs(ctx context.Context, change func(uris map[string]int) error) error {
	a.mu.Lock()
	if a.turn == nil {
		a.turn, a.uris = make(chan struct{}, 1), map[string]int{}
	}
	turn := a.turn
	a.mu.Unlock()
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-turn }()
	return change(a.uris)
}

func (a *subscriptions) add(s *Subscription) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open = map[*Subscription]struct{}{}
	}
	a.open[s] = struct{}{}
}

// end ends a subscription, once.
func (a *subscriptions) end(s *Subscription, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.open[s]; !ok {
		return
	}
	delete(a.open, s)
	s.err = err
	close(s.ended)
	close(s.changed)
}

// notified handles a notification. It returns an error if the notification is invalid.
func (a *subscriptions) notified(method string, params json.RawMessage) error {
	var p struct {
		Notifications filter `json:"notifications"`
		Meta          struct {
			ID int64 `json:"io.modelcontextprotocol/subscriptionId"`
		} `json:"_meta"`
	}
	if len(params) > 0 { // otherwise it is from the legacy era
		if err := strictjson.Decode(params, &p); err != nil {
			return err
		}
	}
	change := changesOf(method, params)
	if method != noteListens && change.none() {
		return errors.New("it names no resource")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for s := range a.open {
		if s.id != p.Meta.ID {
			continue
		}
		var err error
		if method == noteListens {
			err = s.acknowledge(Changes(p.Notifications))
		} else {
			err = s.take(change)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isAcknowledged reports whether the server has acknowledged the subscription.
func (s *Subscription) isAcknowledged() bool {
	select {
	case <-s.acknowledged:
		return true
	default:
		return false
	}
}

// acknowledge handles the acknowledgment of the server. The caller holds the lock of the subscriptions.
func (s *Subscription) acknowledge(honored Changes) error {
	if s.isAcknowledged() {
		return errors.New("the subscription is acknowledged already")
	}
	s.mu.Lock()
	s.honored = s.wanted.and(honored)
	nothing := s.honored.none()
	s.mu.Unlock()
	if nothing {
		s.stop() // no changes to wait for
	} else {
		close(s.acknowledged)
	}
	return nil
}

// take handles a change. The caller holds the lock of the subscriptions.
func (s *Subscription) take(change Changes) error {
	switch {
	case !s.isAcknowledged():
		return errors.New("it precedes the acknowledgment of the subscription")
	case !s.wanted.wants(change) && s.id != 0:
		return errors.New("the subscription does not want it")
	case !s.wanted.wants(change):
		return nil // a legacy session receives all changes
	}
	s.mu.Lock()
	s.news = s.news.with(change)
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default: // the previous signal is still pending
	}
	return nil
}
