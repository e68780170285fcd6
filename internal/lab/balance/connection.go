package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/testbed"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// A connection is a client of the balancer that records which instance serves a request. Requests are independent of each
// other.
type connection struct {
	client *client.Client

	mu           sync.Mutex
	progress     []time.Time   // times of progress reports
	subscription *subscription // the open one; nil if there is none
}

// connect connects to the balancer, over at most the given number of connections.
func connect(ctx context.Context, balancer *testbed.Nginx, connections int) (_ *connection, err error) {
	c := &connection{}
	c.client, err = balancer.Dial(ctx, connections, client.Options{Timeout: 2 * time.Minute, Notify: c.notified})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// notified records a notification.
func (c *connection) notified(method string, _ json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case method == "notifications/progress":
		c.progress = append(c.progress, time.Now())
	case c.subscription != nil:
		c.subscription.events <- event{method: method}
	}
}

// reports returns the time since each progress report.
func (c *connection) reports() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []time.Duration
	for _, at := range c.progress {
		all = append(all, time.Since(at))
	}
	return all
}

// call calls a tool, decodes its result into out, and returns the address of the instance that served it.
func (c *connection) call(ctx context.Context, tool string, arguments, out any) (instance string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s at %s: %w", tool, instance, err)
		}
	}()
	text, err := json.Marshal(arguments)
	if err != nil {
		return "", err
	}
	result, err := c.client.Call(testbed.WithInstance(ctx, &instance), tool, text)
	switch {
	case err != nil:
		return instance, err
	case result.IsError:
		return instance, fmt.Errorf("failed: %s", result.Raw)
	case out == nil:
		return instance, nil
	default:
		return instance, json.Unmarshal(result.StructuredContent, out)
	}
}
