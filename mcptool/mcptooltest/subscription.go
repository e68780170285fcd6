package mcptooltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
	"github.com/mcptool-go/mcptool/runtime"
)

// nextTime is how long [Subscription.Next] waits.
const nextTime = 10 * time.Second

// subscribeRevision is the last revision in which clients subscribe with resources/subscribe.
const subscribeRevision = "2025-11-25"

// Subscription is a subscription to updates of resources and to changes of the lists of tools, prompts and resources;
// [Subscribe] returns one. It is for one goroutine at a time.
type Subscription struct {
	uris    []string
	granted chan []string // gets the URIs in the first message of a subscriptions/listen
	arrived chan struct{} // has a value when there is something new
	gone    chan struct{} // closed when the subscription has ended

	mu       sync.Mutex
	queue    []Notification
	returned []Notification
	end      error // nil while the subscription is open
}

// Notification is a notification that something has changed.
type Notification struct {
	// Method is "notifications/resources/updated", or "notifications/tools/list_changed",
	// "notifications/prompts/list_changed" or "notifications/resources/list_changed".
	Method string
	// URI is the URI of the updated resource; "" if a list has changed.
	URI string
}

// String returns the method and the URI.
func (n Notification) String() string { return strings.TrimSuffix(n.Method+" "+n.URI, " ") }

// Subscribe subscribes to the URIs and to changes of the lists of tools, prompts and resources, as the client. It ends
// the test (FailNow) if a URI is refused; [Client.Subscribe] returns an error instead. The subscription ends with the
// test.
//
// In memory, the client connects to srv. It uses resources/subscribe of revision 2025-11-25, or with [Client.Replay]
// subscriptions/listen of revision 2026-07-28. A client with a URL uses the latter, and ignores srv, which may be nil.
//
//	sub := mcptooltest.Subscribe(t, ada, srv, "orders://7")
//	registry.ResourceUpdated("orders://7")
//	if got := sub.Next(t); got.URI != "orders://7" {
//		t.Errorf("got %v, want an update of orders://7", got)
//	}
func Subscribe(tb testing.TB, c *Client, srv *runtime.Server, uris ...string) *Subscription {
	tb.Helper()
	sub, err := c.Subscribe(tb, srv, uris...)
	if err != nil {
		tb.Fatalf("mcptooltest.Subscribe: %v", err)
	}
	return sub
}

// newSubscription subscribes as the client, see [Client.Subscribe].
func newSubscription(tb testing.TB, c *Client, srv *runtime.Server, uris []string) (*Subscription, error) {
	tb.Helper()
	s := &Subscription{uris: uris, granted: make(chan []string, 1), arrived: make(chan struct{}, 1), gone: make(chan struct{})}
	var err error
	switch {
	case c.URL != "":
		err = s.listenHTTP(tb, c)
	case srv == nil:
		err = errors.New("needs a server, or a Client with a URL")
	default:
		err = s.open(tb, c, srv)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Next waits for the next notification and returns it. It ends the test (FailNow) if none arrives within 10 seconds, or
// if the subscription has ended.
//
// To test that a change is not announced, make it, and then update another URI of the subscription. An update is
// announced after all earlier changes, so Next must return this one:
//
//	registry.ResourceUpdatedFor("globex", "orders://7") // not the tenant of the client
//	registry.ResourceUpdated("orders://8")
//	if got := sub.Next(t); got.URI != "orders://8" {
//		t.Errorf("got %v, want an update of orders://8", got)
//	}
//
// Servers send several updates of one URI within 100 ms as one, in the place of the first, so Next must have returned
// earlier updates of that URI. Updates of resources below one URI of the subscription arrive in any order, as do changes
// that other servers announce over [runtime.Server.Bus].
func (s *Subscription) Next(tb testing.TB) Notification {
	tb.Helper()
	timeout := time.After(nextTime)
	for {
		if n, ok := s.take(); ok {
			return n
		}
		select {
		case <-s.arrived:
		case <-s.gone:
			if n, ok := s.take(); ok {
				return n
			}
			tb.Fatalf("no more notifications: %v; %s", s.end, s.describe())
		case <-timeout:
			tb.Fatalf("no notification within %v; %s", nextTime, s.describe())
		}
	}
}

// describe describes the subscription, for failures.
func (s *Subscription) describe() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("subscribed to %q, notifications before: %q", s.uris, s.returned)
}

// take returns the next notification, if it has arrived.
func (s *Subscription) take() (n Notification, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return n, false
	}
	n, s.queue = s.queue[0], s.queue[1:]
	s.returned = append(s.returned, n)
	return n, true
}

// receive handles a message of the server.
func (s *Subscription) receive(m *serverMessage) {
	switch {
	case m.Error != nil:
		s.finish(refusalOf(m.Error))
	case m.Result != nil:
		s.finish(errEnded)
	case m.Method == "notifications/subscriptions/acknowledged":
		select {
		case s.granted <- m.Params.Notifications.ResourceSubscriptions:
		default: // a second one has no meaning
		}
	case m.Method == "notifications/resources/updated" || strings.HasSuffix(m.Method, "/list_changed"):
		s.mu.Lock()
		s.queue = append(s.queue, Notification{m.Method, m.Params.URI})
		s.mu.Unlock()
		select {
		case s.arrived <- struct{}{}:
		default:
		}
	}
}

// errEnded is the end of a subscription by the server.
var errEnded = errors.New("the server has ended the subscription")

// finish records the end of the subscription.
func (s *Subscription) finish(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end == nil {
		s.end = why
		close(s.gone)
	}
}

// open subscribes in memory.
func (s *Subscription) open(tb testing.TB, c *Client, srv *runtime.Server) error {
	tb.Helper()
	p := &peer{revision: subscribeRevision, capabilities: string(c.declared()), server: srv, defects: &defects{}, access: c.access()}
	if c.Replay {
		p.revision = modernRevision
	}
	to := receiver{subscription: s}
	if err := p.connect(tb.Context(), to); err != nil {
		return err
	}
	tb.Cleanup(func() { p.close(context.Background()) })
	if p.modern {
		m, _ := p.message(request{method: methodListen, params: s.params(), access: p.access}, "")
		p.session.Serve(m, stream{to})
		return s.await(tb.Context())
	}
	for _, uri := range s.uris {
		a, err := p.request(tb.Context(), request{method: "resources/subscribe", params: `"uri":` + quoted(uri), access: p.access})
		switch {
		case err != nil:
			return err
		case a.refusal != nil && a.refusal.Code == codeNotFound:
			return refused(uri)
		case a.refusal != nil:
			return a.refusal
		}
	}
	return nil
}

// methodListen is the method of subscriptions from revision 2026-07-28 on.
const methodListen = "subscriptions/listen"

// params returns the params of a subscriptions/listen.
func (s *Subscription) params() string {
	uris := make([]string, len(s.uris))
	for i, uri := range s.uris {
		uris[i] = quoted(uri)
	}
	return `"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":[` +
		strings.Join(uris, ",") + `]}`
}

// listenHTTP subscribes over HTTP. Its goroutine reads the response until the test or the subscription ends.
func (s *Subscription) listenHTTP(tb testing.TB, c *Client) error {
	tb.Helper()
	ctx, stop := context.WithCancel(tb.Context())
	response, err := httpCaller{c}.post(ctx, &httpRequest{method: methodListen, params: s.params()}, "") //nolint:bodyclose // by the cleanup
	if err != nil {
		stop()
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.finish(s.readAll(newMessageReader(response)))
	}()
	tb.Cleanup(func() {
		stop()
		<-done
		_ = response.Body.Close()
	})
	return s.await(tb.Context())
}

// readAll receives messages until an error or the end of the response, and returns why.
func (s *Subscription) readAll(messages *messageReader) error {
	for {
		m, err := messages.next()
		switch {
		case errors.Is(err, io.EOF):
			return errEnded
		case err != nil:
			return err
		case m.Error != nil:
			return messages.refused(m.Error)
		}
		s.receive(&m)
	}
}

// await waits for the first message of a subscriptions/listen, and returns an error if the server has refused a URI.
func (s *Subscription) await(ctx context.Context) error {
	var granted []string
	select {
	case granted = <-s.granted:
	case <-s.gone:
		select {
		case granted = <-s.granted: // and ended at once
		default:
			return s.end
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	for _, uri := range s.uris {
		if !slices.ContainsFunc(granted, func(other string) bool { return isSameURI(uri, other) }) {
			return refused(uri)
		}
	}
	return nil
}

// isSameURI reports whether two URIs have the same normal form: a server grants only one of them.
func isSameURI(a, b string) bool {
	normalA, ok := uritemplate.Normalize(a)
	normalB, _ := uritemplate.Normalize(b)
	return ok && normalA == normalB
}

// refused returns the error of a URI that the server refuses.
func refused(uri string) error {
	return fmt.Errorf("%s: %w: the server refuses the subscription", uri, ErrHidden)
}

// receiver passes the messages of a server in memory to a subscription.
type receiver struct {
	deaf
	subscription *Subscription
}

// Notify implements [engine.Writer].
func (r receiver) Notify(msg []byte) error {
	var m serverMessage
	if err := json.Unmarshal(msg, &m); err != nil {
		return err
	}
	r.subscription.receive(&m)
	return nil
}

// stream is the receiver of a subscriptions/listen, which ends with its response.
type stream struct{ receiver }

// Respond implements [engine.Writer].
func (s stream) Respond(msg []byte, end engine.End) error {
	defer end.Wrote()
	if msg == nil || s.Notify(msg) != nil {
		s.subscription.finish(errEnded)
	}
	return nil
}
