package client

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/mcptool-go/mcptool/bench/strictjson"
)

const (
	methodListen = "subscriptions/listen"
	noteChanged  = "notifications/tools/list_changed"
	noteListens  = "notifications/subscriptions/acknowledged"
)

// A Subscription gets the changes of the list of tools. It is safe for concurrent use.
type Subscription struct {
	client       *Client
	id           int64 // of its request; 0 in the legacy era, where the session is the subscription
	changed      chan struct{}
	acknowledged chan struct{} // closed when the server has acknowledged it
	ended        chan struct{} // closed when it has ended, after err is set
	stop         context.CancelFunc
	err          error
}

// subscriptions are those that are open.
type subscriptions struct {
	mu   sync.Mutex
	open map[*Subscription]struct{}
}

// Subscribe subscribes to changes of the list of tools, until [Subscription.Close]. It returns when the server has
// acknowledged it; ctx and the timeout concern only that. In the legacy era, where servers send their changes unasked, it
// returns at once over stdio, and over HTTP when the stream of the session is open. The error is an *RPCError, an
// *UnreachableError, or ctx's.
func (c *Client) Subscribe(ctx context.Context) (*Subscription, error) {
	s := &Subscription{client: c, changed: make(chan struct{}, 1), acknowledged: make(chan struct{}), ended: make(chan struct{}), stop: func() {}}
	if c.era == Legacy {
		c.attending.Do(c.conn.attend)
		c.subscriptions.add(s)
		return s, nil
	}
	s.id = c.lastID.Add(1)
	body, err := encode(s.id, methodListen, json.RawMessage(`{"notifications":{"toolsListChanged":true}}`), c.meta())
	if err != nil {
		return nil, err
	}
	c.subscriptions.add(s)
	var listening context.Context
	listening, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.work.Go(func() { s.listen(listening, &request{id: s.id, method: methodListen, body: body}) })
	waiting, release := c.timeouts.within(ctx)
	defer release()
	select {
	case <-s.acknowledged:
		return s, nil
	case <-s.ended:
		if s.err == nil {
			s.err = c.conn.unreachable("it does not acknowledge a subscription to changes of its tools", nil)
		}
		return nil, s.err
	case <-waiting.Done():
		s.stop()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, c.conn.unreachable("it does not acknowledge a subscription to changes of its tools", context.Cause(waiting))
	}
}

// listen sends the request of a subscription, and waits for its end.
func (s *Subscription) listen(ctx context.Context, r *request) {
	c := s.client
	answer, err := c.conn.exchange(ctx, r)
	switch {
	case err == nil:
		_, err = c.result(r.method, answer)
	case ctx.Err() != nil:
		c.abandon(r) //nolint:contextcheck // ctx has ended, and the server is to be told of it
		err = nil
	}
	c.subscriptions.end(s, err)
}

// Changed gets a value after a change, or after several. It is closed when the subscription has ended.
func (s *Subscription) Changed() <-chan struct{} { return s.changed }

// Err returns why the subscription has ended: nil if it has not, or by Close, or because the server ended it in good order.
func (s *Subscription) Err() error {
	select {
	case <-s.ended:
		return s.err
	default:
		return nil
	}
}

// Close ends the subscription. Its error is that of Err.
func (s *Subscription) Close() error {
	s.stop()
	if s.id == 0 {
		s.client.subscriptions.end(s, nil)
	}
	<-s.ended
	return s.err
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

// notified takes a notification. It returns what is wrong with it.
func (a *subscriptions) notified(method string, params json.RawMessage) error {
	var p struct {
		Notifications struct {
			ToolsListChanged bool `json:"toolsListChanged"`
		} `json:"notifications"`
		Meta struct {
			ID int64 `json:"io.modelcontextprotocol/subscriptionId"`
		} `json:"_meta"`
	}
	if len(params) > 0 { // else it is of the legacy era
		if err := strictjson.Decode(params, &p); err != nil {
			return err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for s := range a.open {
		if s.id != p.Meta.ID {
			continue
		}
		isAcknowledged := s.id == 0
		select {
		case <-s.acknowledged:
			isAcknowledged = true
		default:
		}
		switch {
		case method == noteListens && isAcknowledged:
			return errors.New("the subscription is acknowledged already")
		case method == noteListens && !p.Notifications.ToolsListChanged:
			s.stop() // there is nothing to wait for
		case method == noteListens:
			close(s.acknowledged)
		case !isAcknowledged:
			return errors.New("it precedes the acknowledgment of the subscription")
		default:
			select {
			case s.changed <- struct{}{}:
			default: // it has not read the last one yet
			}
		}
	}
	return nil
}
