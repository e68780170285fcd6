package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/bench/client"
)

// A connection is a client of the balancer that records which instance serves a request. Requests are independent of each
// other.
type connection struct {
	client *client.Client

	mu           sync.Mutex
	progress     []time.Time   // when calls reported progress
	subscription *subscription // the one that is open; nil if none is
}

// connect connects to the balancer at addr, whose name is host, over at most so many connections.
func connect(ctx context.Context, addr, host string, connections int) (_ *connection, err error) {
	c := &connection{}
	target := client.Target{URL: "http://" + addr + "/mcp", Header: http.Header{"Host": {host}}}
	c.client, err = client.Dial(ctx, target, client.Options{
		Era:       client.Modern,
		Timeout:   2 * time.Minute,
		Notify:    c.notified,
		Transport: instanceRecorder{&http.Transport{MaxConnsPerHost: connections + 2, MaxIdleConnsPerHost: connections + 2}},
	})
	if err != nil {
		return nil, err
	}
	if _, err := c.client.Tools(ctx); err != nil { // so that calls need not list them, for their headers
		return nil, errors.Join(err, c.client.Close())
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

// reports returns how long ago calls reported progress.
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
	result, err := c.client.Call(context.WithValue(ctx, instanceKey{}, &instance), tool, text)
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

// instanceKey is the key in a context of a *string that gets the address of the instance that serves the request.
type instanceKey struct{}

// An instanceRecorder records which instance serves a request.
type instanceRecorder struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (r instanceRecorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.RoundTripper.RoundTrip(request)
	if instance, ok := request.Context().Value(instanceKey{}).(*string); ok && err == nil {
		tried := strings.Split(response.Header.Get("X-Instance"), ", ") // where one has failed, nginx names that and the next
		*instance = tried[len(tried)-1]
	}
	return response, err
}
