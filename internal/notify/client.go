package notify

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
)

// Client notifies the client of a session of changed lists and updated resources. It keeps only the changes that the
// client does not know yet, and sends them in its own goroutine, which runs only while something is due: a client that
// does not read delays no other. If changes are faster than the client reads, they are sent as one. A Client is safe for
// concurrent use.
type Client struct {
	hub  *Hub
	ctx  context.Context // for log records
	log  *slog.Logger
	idle func() // called when the goroutine ends

	mu      sync.Mutex
	closed  bool
	sending bool      // the goroutine runs
	streams []*Stream // which have begun

	updated      []*Subscription // with updates that are due
	subResources int             // number of updates since the last pause that are about sub-resources
	pause        *time.Timer     // set for an interval after notifications were sent, otherwise nil
}

// NewClient returns the Client of a session. Ctx is for its log records. Idle is called, with no lock held, when nothing
// more is being sent.
func (h *Hub) NewClient(ctx context.Context, log *slog.Logger, idle func()) *Client {
	return &Client{hub: h, ctx: ctx, log: log, idle: idle}
}

// Join makes the Client receive the notices of the hub, unless it has joined before or is closed.
func (c *Client) Join() {
	h := c.hub
	h.Subscribe()
	h.mu.Lock()
	defer h.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	if len(h.clients) == 0 {
		h.clients = map[*Client]struct{}{}
		h.stop = watchRegistry(h.registry, h.deliver)
	}
	h.clients[c] = struct{}{}
}

// Close ends the notifications.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	if c.pause != nil {
		c.pause.Stop()
	}
	c.mu.Unlock()
	h := c.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, joined := h.clients[c]; !joined {
		return
	}
	if delete(h.clients, c); len(h.clients) == 0 {
		h.stop()
	}
}

// IsSending reports whether a notification may be on its way.
func (c *Client) IsSending() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sending
}

// listChanged starts notifying the client of changed lists.
func (c *Client) listChanged() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.startSending()
}

// startSending starts the goroutine, unless it runs. In a pause, endPause starts it. The caller holds c.mu.
func (c *Client) startSending() {
	if !c.sending && !c.closed && c.pause == nil {
		c.sending = true
		go c.send()
	}
}

// send notifies the client until nothing is due. A change is either seen by the last check, or finds that sending is
// false and starts it again.
func (c *Client) send() {
	done := false
	defer func() {
		if !done { // a condition of the author has called runtime.Goexit
			go c.send()
		}
	}()
	for c.sendDue() {
	}
	done = true
}

// sendDue sends what is due. It reports whether there may be more to send.
func (c *Client) sendDue() (more bool) {
	due := c.takeDue()
	if len(due) == 0 {
		c.idle()
	}
	for _, notify := range due {
		func() {
			defer contain.Panic(c.ctx, c.log, "change not announced")
			notify()
		}()
	}
	return len(due) > 0
}

// takeDue returns funcs that send what is due, and marks it as sent. Later changes wait until the interval is over. If
// nothing is due, the sending ends. The funcs for changes of lists come before those for updates: tests with
// mcptooltest.Subscribe depend on this order.
func (c *Client) takeDue() (due []func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed && c.pause == nil {
		for _, s := range c.streams {
			now := c.hub.generations(s.audience)
			for l := range now {
				if s.lists[l] && now[l] != s.seen[l] {
					due = append(due, func() { s.announce(List(l)) })
				}
			}
			s.seen = now
		}
		due = append(due, c.takeUpdates()...)
		if len(due) > 0 {
			c.pause = time.AfterFunc(interval, c.endPause)
		}
	}
	c.sending = len(due) > 0
	return due
}

// Stream is one stream of notifications to a client: the one of a legacy session, or a subscriptions/listen.
type Stream struct {
	client   *Client
	announce func(List) // notifies the client that a list has changed

	// Guarded by client.mu.
	lists        Set
	audience     Audience
	seen         generations // of the lists that the client knows
	begun, ended bool
}

// NewStream returns a stream that notifies the client of changed lists by calling announce.
func (c *Client) NewStream(announce func(List)) *Stream {
	return &Stream{client: c, announce: announce}
}

// SetLists sets the lists, of whose changes from now on the client is notified. The default is none. If the client may
// have missed changes, all lists that are not empty count as changed.
func (s *Stream) SetLists(lists Set, audience Audience, missed bool) {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	if s.lists, s.audience = lists, audience; !missed {
		s.seen = s.client.hub.generations(audience)
	}
}

// Begin starts sending notifications, at first of the changes since SetLists. It is called after the acknowledgement of a
// subscriptions/listen, which must be the first message of its stream, or when a legacy client has sent
// notifications/initialized.
func (s *Stream) Begin() {
	c := s.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if !s.ended {
		s.begun = true
		c.streams = append(c.streams, s)
		c.startSending()
	}
}

// End ends the notifications. The subscriptions of the stream must be ended separately.
func (s *Stream) End() {
	c := s.client
	c.mu.Lock()
	defer c.mu.Unlock()
	s.ended = true
	c.streams = slices.DeleteFunc(c.streams, func(other *Stream) bool { return other == s })
}
