package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/mcptool-go/mcptool/internal/lab/testbed"
)

// A subscription is an open subscription to changes of the tools.
type subscription struct {
	instance string     // instance with the subscription
	events   chan event // notifications, then the end of the subscription
}

// An event is a notification, or the end of the subscription.
type event struct {
	method string // "" at the end
	err    error  // at the end; io.EOF if the server ended it regularly
}

// subscribe opens a subscription and returns when the server has acknowledged it.
func (c *connection) subscribe(ctx context.Context) (*subscription, error) {
	s := &subscription{events: make(chan event, 8)}
	c.mu.Lock()
	c.subscription = s
	c.mu.Unlock()
	go func() {
		ctx := testbed.WithInstance(ctx, &s.instance)
		_, err := c.client.Request(ctx, "subscriptions/listen", json.RawMessage(`{"notifications":{"toolsListChanged":true}}`))
		if err == nil {
			err = io.EOF
		} else {
			err = fmt.Errorf("subscription ended: %w", err)
		}
		s.events <- event{err: err}
	}()
	method, err := s.next(ctx)
	if err == nil && method != "notifications/subscriptions/acknowledged" {
		err = fmt.Errorf("subscription began with %q", method)
	}
	return s, err
}

// next waits for a notification and returns its method, or for the end.
func (s *subscription) next(ctx context.Context) (method string, err error) {
	select {
	case e := <-s.events:
		return e.method, e.err
	case <-ctx.Done():
		return "", fmt.Errorf("no notification: %w", ctx.Err())
	}
}
