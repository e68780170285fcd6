package page

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

const (
	maxStreams = 64
	// gather is how long changes are gathered before they are sent.
	gather = 50 * time.Millisecond
	// maxGathered is the maximum number of messages that are sent at once. If there are more, the oldest are left out.
	maxGathered = 100
	// keepAlive is the time between two writes of an idle stream, and maxWrite is how long a write may take.
	keepAlive = 15 * time.Second
	maxWrite  = 30 * time.Second
)

// A stream is an event stream to a browser. It does not queue events: it knows what has changed since the last write, and
// sends the newest state of that. So a slow browser misses intermediate states, and holds up nothing.
type stream struct {
	wake chan struct{} // receives a value after a change

	// Guarded by the lock of the page.
	state, build, messages bool
	calls                  map[int]struct{}
	sent                   int // the number of the last message
}

// publish changes what is to be sent on all streams.
func (p *Page) publish(change func(*stream)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.publishLocked(change)
}

func (p *Page) publishLocked(change func(*stream)) {
	for s := range p.streams {
		change(s)
		select {
		case s.wake <- struct{}{}:
		default: // it was woken before
		}
	}
}

// An event is an event of a stream.
type event struct {
	name string
	data any
}

// take returns the events to be sent, and forgets them.
func (p *Page) take(s *stream) []event {
	p.mu.Lock()
	defer p.mu.Unlock()
	var events []event
	if s.build && p.build != nil {
		events = append(events, event{"build", *p.build})
	}
	if s.state {
		events = append(events, event{"state", struct{}{}})
	}
	for _, c := range p.calls {
		if _, changed := s.calls[c.ID]; changed {
			events = append(events, event{"call", c.viewLocked(maxResult)})
		}
	}
	if s.messages {
		list := p.messages.after(s.sent)
		for _, m := range list[max(0, len(list)-maxGathered):] {
			events = append(events, event{"message", m})
		}
	}
	s.state, s.build, s.messages, s.sent = false, false, false, p.messages.last
	clear(s.calls)
	return events
}

// serveEvents sends events until the browser or the page closes the stream. It begins with state and all running calls.
func (p *Page) serveEvents(w http.ResponseWriter, r *http.Request) {
	s := &stream{wake: make(chan struct{}, 1), state: true, build: true, calls: map[int]struct{}{}}
	s.wake <- struct{}{}
	p.mu.Lock()
	if len(p.streams) >= maxStreams {
		p.mu.Unlock()
		err := &statusError{http.StatusServiceUnavailable, fmt.Sprintf("%d event streams are open; close a tab of this page", maxStreams)}
		handler(func(*http.Request) (any, error) { return nil, err }).ServeHTTP(w, r)
		return
	}
	p.streams[s] = struct{}{}
	s.sent = p.messages.last
	for _, c := range p.calls {
		if c.running() {
			c.dirty(s)
		}
	}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.streams, s)
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	idle := time.NewTicker(keepAlive)
	defer idle.Stop()
	for {
		text := []byte(": idle\n\n")
		select {
		case <-s.wake:
			text = encodeEvents(p.take(s))
		case <-idle.C:
		case <-r.Context().Done():
			return
		}
		_ = out.SetWriteDeadline(time.Now().Add(maxWrite)) // a test server may have none
		if _, err := w.Write(text); err != nil || out.Flush() != nil {
			return
		}
		select {
		case <-time.After(gather):
		case <-r.Context().Done():
			return
		}
	}
}

func encodeEvents(events []event) []byte {
	var text []byte
	for _, e := range events {
		data, err := json.Marshal(e.data) // without line breaks
		if err != nil {
			continue // its result is not JSON, which the client excludes
		}
		text = fmt.Appendf(text, "event: %s\ndata: %s\n\n", e.name, data)
	}
	return text
}

// history returns all calls, oldest first, and the large results only of the newest ones.
func (p *Page) history() []Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	const maxTogether = 4 << 20
	views, room := []Call{}, maxTogether
	for _, c := range slices.Backward(p.calls) {
		v := c.viewLocked(room)
		room -= len(v.Result)
		views = append(views, v)
	}
	slices.Reverse(views)
	return views
}
