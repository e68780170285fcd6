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

// An event is an event of a stream.
type event struct {
	name string
	data any
}

// eventsLocked returns the events for the changes after the one with a number; a new stream passes 0, and gets only the calls
// that run. Events are not queued, but made from the newest state. So a slow browser misses intermediate states, and does
// not delay others.
func (p *Page) eventsLocked(after int) []event {
	var events []event
	if p.stateChange > after {
		events = append(events, event{"state", struct{}{}})
	}
	if p.messageChange > after {
		events = append(events, event{"message", struct{}{}})
	}
	for _, c := range p.calls {
		if c.change > after && (after > 0 || c.State == running) {
			events = append(events, event{"call", c.viewLocked(maxResult)})
		}
	}
	return events
}

// next waits for a change after the one with a number, but not longer than keepAlive. It returns the events to be sent, and
// the number of the newest change.
func (p *Page) next(ctx context.Context, after int) ([]event, int) {
	ctx, cancel := context.WithTimeout(ctx, keepAlive)
	defer cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.awaitLocked(ctx, func() bool { return p.changes > after }) // an error means that nothing has changed
	return p.eventsLocked(after), p.changes
}

// serveEvents sends events until the browser or the page closes the stream.
func (p *Page) serveEvents(w http.ResponseWriter, r *http.Request) (any, error) {
	defer p.streams.Add(-1)
	if p.streams.Add(1) > maxStreams {
		return nil, &statusError{http.StatusServiceUnavailable, fmt.Sprintf("%d event streams are open; close a tab of this page", maxStreams)}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out, ctx := http.NewResponseController(w), r.Context()
	for change := 0; ctx.Err() == nil; {
		var events []event
		events, change = p.next(ctx, change)
		_ = out.SetWriteDeadline(time.Now().Add(maxWrite)) // a test server may have none
		if _, err := w.Write(encodeEvents(events)); err != nil || out.Flush() != nil {
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
