package testbed

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/mcptool-go/mcptool/bench/client"
)

// Dial connects a client of revision 2026-07-28 to the instances, over at most so many connections at a time and those
// that subscriptions keep. It lists the tools, so that calls need not list them for their headers. The options Era and
// Transport are those of Dial.
func (n *Nginx) Dial(ctx context.Context, connections int, o client.Options) (*client.Client, error) {
	const subscriptions = 2 // the one that ends, and the next
	connections += subscriptions
	o.Era = client.Modern
	o.Transport = recorder{&http.Transport{MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections}}
	target := client.Target{URL: "http://" + n.Addr + "/mcp", Header: http.Header{"Host": {n.host}}}
	c, err := client.Dial(ctx, target, o)
	if err != nil {
		return nil, err
	}
	if _, err := c.Tools(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// WithInstance returns a context for one request of a client of [Nginx.Dial]. When the response has begun, addr is the
// address of the instance that answers it.
func WithInstance(ctx context.Context, addr *string) context.Context {
	return context.WithValue(ctx, instanceKey{}, addr)
}

// instanceKey is the key in a context of a *string that gets the address of the instance.
type instanceKey struct{}

// A recorder records which instance answers a request.
type recorder struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (r recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.RoundTripper.RoundTrip(request)
	if addr, ok := request.Context().Value(instanceKey{}).(*string); ok && err == nil {
		tried := strings.Split(response.Header.Get("X-Instance"), ", ") // where one has failed, nginx names that and the next
		*addr = tried[len(tried)-1]
	}
	return response, err
}
