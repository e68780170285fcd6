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

// TestTake checks that a stream that was not written for long gets the newest state once.
func TestTake(t *testing.T) {
	t.Parallel()
	p := New(Options{})
	first, second, ended := addCall(p, running, 0), addCall(p, running, 0), addCall(p, done, 1)
	for _, c := range []*call{first, second, ended} {
		c.change = p.changeLocked()
	}
	p.messages.add(Message{})
	s := new(stream)
	if events := p.takeLocked(s); len(events) != 3 || events[0].name != "state" || events[1].data.(Call).ID != first.ID || events[2].data.(Call).ID != second.ID {
		t.Errorf("the events of a new stream are %+v, want the state and the calls that run", events)
	}
	for i := range 999 {
		p.messages.add(Message{})
		p.stateChange = p.changeLocked()
		p.Show(Build{State: "building", Version: i})
		first.change = p.changeLocked()
	}
	second.State, second.change = done, p.changeLocked()
	events := p.takeLocked(s)
	if n := len(events); n != 4+maxGathered {
		t.Fatalf("there are %d events, want %d", n, 4+maxGathered)
	}
	if b, ok := events[0].data.(Build); !ok || b.Version != 998 {
		t.Errorf("the build is %+v", events[0].data)
	}
	if c, ok := events[3].data.(Call); !ok || c.ID != second.ID || c.State != done {
		t.Errorf("the call is %+v", events[3].data)
	}
	if m, ok := events[len(events)-1].data.(Message); !ok || m.N != 1000 {
		t.Errorf("the last message is %+v", events[len(events)-1].data)
	}
	if again := p.takeLocked(s); len(again) != 0 {
		t.Errorf("the next events are %+v", again)
	}
}
