package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// The methods of subscriptions.
const (
	methodListen  = "subscriptions/listen"
	noteListens   = "notifications/subscriptions/acknowledged"
	noteTools     = "notifications/tools/list_changed"
	notePrompts   = "notifications/prompts/list_changed"
	noteResources = "notifications/resources/list_changed"
	noteUpdated   = "notifications/resources/updated"
)

// ErrNoSubscriptions is returned by [Client.Subscribe] if the server does not support subscriptions to resources.
var ErrNoSubscriptions = errors.New("the server does not support subscriptions to resources")

// errNotAcknowledged means that a server has ended a subscription without acknowledging it.
var errNotAcknowledged = errors.New("the subscription is not acknowledged")

// A Subscription receives change notifications of a server. It is safe for concurrent use.
type Subscription struct {
	client  *Client
	uri     string // of the resource; "" for the list of tools
	id      int64  // request id; 0 in the legacy era, where the session is the subscription
	changed chan struct{}
	begun   chan error    // receives nil on acknowledgment by the server, or why there is none
	ended   chan struct{} // closed at the end, after err is set
	stop    context.CancelFunc
	closing sync.Once
	err     error

	acknowledged bool // guarded by the lock of the subscriptions
}

// subscriptions holds the open subscriptions.
type subscriptions struct {
	mu   sync.Mutex
	open map[*Subscription]struct{}
}

// Subscribe subscribes to updates of a resource, and of those below it, until [Subscription.Close]; "" means changes of
// the list of tools. It returns when the server has acknowledged the subscription; ctx and the timeout apply only until
// then. Legacy servers send list changes without a subscription; over HTTP, Subscribe then returns when the session
// stream is open. A legacy session must not have two subscriptions to the same resource at a time.
//
// The error is [ErrNoSubscriptions] if the server does not support subscriptions to resources, an *RPCError, an
// *UnreachableError, or ctx's.
func (c *Client) Subscribe(ctx context.Context, uri string) (*Subscription, error) {
	if uri != "" && !c.followsResources() {
		return nil, ErrNoSubscriptions
	}
	s := &Subscription{client: c, uri: uri, changed: make(chan struct{}, 1), begun: make(chan error, 1), ended: make(chan struct{}), stop: func() {}}
	begin := s.beginModern
	if c.era == Legacy {
		begin = s.beginLegacy
	}
	if err := begin(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// beginLegacy subscribes to the resource and listens to the session stream.
func (s *Subscription) beginLegacy(ctx context.Context) error {
	c := s.client
	c.attending.Do(c.conn.attend)
	s.acknowledged = true
	c.subscriptions.add(s) // before the server may send an update
	if s.uri == "" {
		return nil
	}
	_, err := c.Request(ctx, "resources/subscribe", oneParam("uri", s.uri))
	if err != nil {
		c.subscriptions.end(s, err)
	}
	return err
}

// filter is the JSON form of the changes in a subscription request and its acknowledgment.
type filter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Resources []string `json:"resourceSubscriptions,omitempty"`
}

// beginModern sends the subscription request and waits for the acknowledgment.
func (s *Subscription) beginModern(ctx context.Context) error {
	c := s.client
	s.id = c.lastID.Add(1)
	wanted, what := filter{Tools: true}, "it does not acknowledge a subscription to changes of tools"
	if s.uri != "" {
		wanted, what = filter{Resources: []string{s.uri}}, "it does not acknowledge a subscription to changes of the resource "+s.uri
	}
	params, err := json.Marshal(map[string]filter{"notifications": wanted})
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
	select {
	case err := <-s.begun:
		if errors.Is(err, errNotAcknowledged) {
			return c.conn.unreachable(what, nil)
		}
		return err
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
	answer, err := c.transfer(ctx, r)
	switch {
	case err == nil:
		_, err = c.result(r.method, answer)
	case ctx.Err() != nil:
		c.abandon(r, true) //nolint:contextcheck // ctx has ended, and the server must be notified
		err = nil
	}
	c.subscriptions.end(s, err)
}

// Changed receives a value after one or more changes. The channel is closed at the end of the subscription.
func (s *Subscription) Changed() <-chan struct{} { return s.changed }

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
		if s.uri != "" {
			_, _ = s.client.Request(s.client.ctx, "resources/unsubscribe", oneParam("uri", s.uri)) // the session may have ended
		}
	})
	<-s.ended
	return s.err
}

func (a *subscriptions) add(s *Subscription) {
	a.mu.Lock()
	defer a.mu.Unlock()
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
	if !s.acknowledged {
		s.begun <- cmp.Or(err, errNotAcknowledged)
	}
	close(s.ended)
	close(s.changed)
}

// notified handles a notification. It returns an error if the notification is invalid.
func (a *subscriptions) notified(method string, params json.RawMessage) error {
	var p struct {
		URI           string `json:"uri"`
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
	if method == noteUpdated && p.URI == "" {
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
			err = s.acknowledge(p.Notifications)
		} else {
			err = s.take(method, p.URI)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// acknowledge handles the acknowledgment of the server, which may honor only a part of a request. The caller holds the
// lock of the subscriptions.
func (s *Subscription) acknowledge(honored filter) error {
	switch {
	case s.acknowledged:
		return errors.New("the subscription is acknowledged already")
	case s.uri == "" && honored.Tools, s.uri != "" && slices.Contains(honored.Resources, s.uri):
		s.acknowledged = true
		s.begun <- nil
	default:
		s.stop() // no changes to wait for
	}
	return nil
}

// wants reports whether the subscription is for a change: of the tools, of its resource, or of one below that.
func (s *Subscription) wants(method, uri string) bool {
	if s.uri == "" {
		return method == noteTools
	}
	rest, ok := strings.CutPrefix(uri, s.uri)
	return ok && (rest == "" || strings.HasSuffix(s.uri, "/") || strings.ContainsAny(rest[:1], "/?#"))
}

// take handles a change. The caller holds the lock of the subscriptions.
func (s *Subscription) take(method, uri string) error {
	switch {
	case !s.acknowledged:
		return errors.New("it precedes the acknowledgment of the subscription")
	case !s.wants(method, uri) && s.id != 0:
		return errors.New("the subscription does not want it")
	case !s.wants(method, uri):
		return nil // a legacy session receives all changes
	}
	select {
	case s.changed <- struct{}{}:
	default: // the previous signal is still pending
	}
	return nil
}
