package page

import (
	"encoding/json"
	"strings"
	"testing"
)

// addCall adds a call with a result of some bytes, as the newest of the page.
func addCall(p *Page, state string, size int) *call {
	p.lastCall++
	c := &call{page: p}
	c.ID, c.State, c.Result, c.ResultBytes = p.lastCall, state, make(json.RawMessage, size), size
	p.calls = append(p.calls, c)
	p.trimLocked()
	return c
}

// kept returns the ids of the calls in the history.
func kept(p *Page) (ids []int) {
	for _, c := range p.calls {
		ids = append(ids, c.ID)
	}
	return ids
}

// TestHistory checks which calls are dropped above the limits.
func TestHistory(t *testing.T) {
	t.Parallel()
	p := New(Options{})
	for range maxCalls {
		addCall(p, done, 1)
	}
	if ids := kept(p); len(ids) != maxCalls || ids[0] != 1 {
		t.Errorf("%d calls are kept, from %d on", len(ids), ids[0])
	}
	addCall(p, failed, 1)
	if ids := kept(p); len(ids) != maxCalls || ids[0] != 2 {
		t.Errorf("above the limit, %d calls are kept, from %d on", len(ids), ids[0])
	}
	p = New(Options{})
	waiting := addCall(p, running, 0)
	for range 3 {
		addCall(p, done, 50<<20)
	}
	if ids := kept(p); len(ids) != 3 || ids[0] != waiting.ID || ids[1] != 3 {
		t.Errorf("of three large calls, %v are kept; want the running one and the newest two", ids)
	}
	addCall(p, done, maxHistory+1)
	if ids := kept(p); len(ids) != 2 || ids[0] != waiting.ID || ids[1] != 5 {
		t.Errorf("after a call above the limit, %v are kept; want the running one and the newest", ids)
	}
}

// TestMessagesKept checks that the oldest messages are dropped, by number and by size.
func TestMessagesKept(t *testing.T) {
	t.Parallel()
	var m messages
	for range maxMessages + 5 {
		m.add(Message{Text: "x"})
	}
	if all := m.after(0); len(all) != maxMessages || all[0].N != 6 || len(m.after(maxMessages)) != 5 || len(m.after(maxMessages+5)) != 0 || len(m.after(1<<40)) != 0 || len(m.after(-1)) != maxMessages {
		t.Errorf("%d messages are kept, from %d on", len(all), all[0].N)
	}
	for range 20 {
		m.add(Message{Text: strings.Repeat("x", maxMessage)})
	}
	if all := m.after(0); len(all) != maxRecorded/maxMessage {
		t.Errorf("%d large messages are kept, want %d", len(all), maxRecorded/maxMessage)
	}
}

// TestEvents checks that a stream that was not written for long gets the newest state once.
func TestEvents(t *testing.T) {
	t.Parallel()
	p := New(Options{})
	first, second, ended := addCall(p, running, 0), addCall(p, running, 0), addCall(p, done, 1)
	for _, c := range []*call{first, second, ended} {
		c.change = p.changeLocked()
	}
	expect := func(after int, want ...any) {
		t.Helper()
		events := p.eventsLocked(after)
		if len(events) != len(want) {
			t.Fatalf("after the change %d there are the events %+v, want %+v", after, events, want)
		}
		for i, e := range events {
			var got any = e.name
			if c, ok := e.data.(Call); ok {
				got = [2]any{c.ID, c.State}
			}
			if got != want[i] {
				t.Errorf("after the change %d, event %d is %+v, want %v", after, i, e, want[i])
			}
		}
	}
	expect(0, "state", [2]any{first.ID, running}, [2]any{second.ID, running})
	before := p.changes
	expect(before)
	for i := range 1000 {
		p.messages.add(Message{})
		p.messageChange = p.changeLocked()
		p.stateChange = p.changeLocked()
		p.Show(Build{State: "building", Version: i})
		first.change = p.changeLocked()
	}
	second.State, second.change = done, p.changeLocked()
	expect(before, "state", "message", [2]any{first.ID, running}, [2]any{second.ID, done})
	expect(0, "state", "message", [2]any{first.ID, running})
	expect(p.changes)
}
