package main

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// watch is an open subscription to changes of the tools.
type watch struct {
	instance string       // that serves it
	changes  <-chan error // nil for each change; then how it ended, with io.EOF for in good order; closed after that
}

// subscribe opens a subscription and returns when the server has agreed.
func (c *client) subscribe(ctx context.Context) (*watch, error) {
	a, err := c.send(ctx, "subscriptions/listen", "", map[string]any{"notifications": map[string]any{"toolsListChanged": true}})
	if err != nil {
		return nil, err
	}
	if m, err := a.next(); err != nil || m.Method != "notifications/subscriptions/acknowledged" {
		return nil, errors.Join(err, fmt.Errorf("a subscription began with %q", m.Method), a.body.Close())
	}
	changes := make(chan error, 8)
	go func() {
		defer close(changes)
		for {
			m, err := a.next()
			switch {
			case err != nil:
				changes <- errors.Join(fmt.Errorf("a subscription broke off: %w", err), a.body.Close())
				return
			case m.Result != nil:
				changes <- errors.Join(io.EOF, a.body.Close())
				return
			default:
				changes <- nil
			}
		}
	}()
	return &watch{instance: a.instance, changes: changes}, nil
}

// next waits for one change.
func (w *watch) next(ctx context.Context) error {
	select {
	case err := <-w.changes:
		return err
	case <-ctx.Done():
		return fmt.Errorf("a subscriber was told nothing: %w", ctx.Err())
	}
}
