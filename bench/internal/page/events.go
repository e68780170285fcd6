package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
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

// changeLocked begins a change, wakes all that wait for one, and returns its number.
func (p *Page) changeLocked() int {
	p.changes++
	close(p.changed)
	p.changed = make(chan struct{})
	return p.changes
}

// awaitLocked waits until a condition is true, or returns the error of ctx. The lock is released while it waits, and held
// when it calls the condition and when it returns.
func (p *Page) awaitLocked(ctx context.Context, condition func() bool) error {
	for !condition() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		p.mu.Lock()
	}
	return nil
}

// A stream is an event stream to a browser. It does not queue events: it knows the numbers of the newest change and message
// that were sent, and sends the newest state of what has changed since. So a slow browser misses intermediate states, and
// holds up nothing.
type stream struct {
	change, message int // 0 in a new stream
}

// An event is an event of a stream.
type event struct {
	name string
	data any
}

// takeLocked returns the events to be sent next. Those of a new stream are state, build and the calls that run.
func (p *Page) takeLocked(s *stream) []event {
	var events []event
	isNew := s.change == 0
	if p.buildChange > s.change {
		events = append(events, event{"build", *p.build})
	}
	if p.stateChange > s.change {
		events = append(events, event{"state", struct{}{}})
	}
	for _, c := range p.calls {
		if c.change > s.change && (c.State == running || !isNew) {
			events = append(events, event{"call", c.viewLocked(maxResult)})
		}
	}
	if !isNew {
		list := p.messages.after(s.message)
		for _, m := range list[max(0, len(list)-maxGathered):] {
			events = append(events, event{"message", m})
		}
	}
	s.change, s.message = p.changes, p.messages.last
	return events
}

// next waits for a change, but not longer than keepAlive, and returns the events to be sent.
func (p *Page) next(ctx context.Context, s *stream) []event {
	ctx, cancel := context.WithTimeout(ctx, keepAlive)
	defer cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.awaitLocked(ctx, func() bool { return p.changes > s.change }) // without a change, there are no events
	return p.takeLocked(s)
}

// serveEvents sends events until the browser or the page closes the stream.
func (p *Page) serveEvents(w http.ResponseWriter, r *http.Request) (any, error) {
	defer p.streams.Add(-1)
	if p.streams.Add(1) > maxStreams {
		return nil, &statusError{http.StatusServiceUnavailable, fmt.Sprintf("%d event streams are open; close a tab of this page", maxStreams)}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out, ctx := http.NewResponseController(w), r.Context()
	for s := new(stream); ctx.Err() == nil; {
		text := encodeEvents(p.next(ctx, s))
		_ = out.SetWriteDeadline(time.Now().Add(maxWrite)) // a test server may have none
		if _, err := w.Write(text); err != nil || out.Flush() != nil {
			break
		}
		select {
		case <-time.After(gather):
		case <-ctx.Done():
		}
	}
	return nil, nil //nolint:nilnil // the response is written
}

// encodeEvents returns the text of events, which is a comment if there are none.
func encodeEvents(events []event) []byte {
	var text []byte
	for _, e := range events {
		data, err := json.Marshal(e.data) // without line breaks
		if err != nil {
			continue // its result is not JSON, which the client excludes
		}
		text = fmt.Appendf(text, "event: %s\ndata: %s\n\n", e.name, data)
	}
	if text == nil {
		return []byte(": idle\n\n")
	}
	return text
}
