package testbed

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// Dial connects a client of revision 2026-07-28 to the instances, over at most the given number of concurrent
// connections in addition to those for subscriptions. It lists the tools, so that calls need not list them for their
// headers. It overrides the options Era and Transport.
func (n *Nginx) Dial(ctx context.Context, connections int, o client.Options) (*client.Client, error) {
	const subscriptions = 2 // the current and the next one
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

// WithInstance returns a context for one request of a client from [Nginx.Dial]. It sets addr to the address of the
// responding instance when the response starts.
func WithInstance(ctx context.Context, addr *string) context.Context {
	return context.WithValue(ctx, instanceKey{}, addr)
}

// instanceKey is the context key of a *string for the address of the instance.
type instanceKey struct{}

// A recorder records which instance responds to a request.
type recorder struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (r recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.RoundTripper.RoundTrip(request)
	if addr, ok := request.Context().Value(instanceKey{}).(*string); ok && err == nil {
		tried := strings.Split(response.Header.Get("X-Instance"), ", ") // after a failure, nginx lists both
		*addr = tried[len(tried)-1]
	}
	return response, err
}
