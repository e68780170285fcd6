package streamhttp

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

// FuzzResume interprets plan as operations on a replay log, and compares the events that readers get with a model that
// keeps everything: each event belongs to the stream, events are in order, and no kept event is skipped. last is a
// Last-Event-ID.
func FuzzResume(f *testing.F) {
	for _, last := range []string{"1-0", "1-2", "0-0", "2-1", "01-1", "1-+1", "1--1", "1-99999999999999999999", "9223372036854775807-1", "1", "-", "", "1-1-1", "1-1\x00", " 1-1"} {
		f.Add(last, []byte{0, 2, 2, 3, 2, 6, 5, 3, 3, 3, 3}, uint16(0))
		f.Add(last, []byte{0, 1, 2, 10, 4, 3, 5, 4, 4, 13, 6, 3, 3, 8, 2, 7}, uint16(300))
		f.Add(last, []byte{1, 4, 4, 4, 3, 5, 4, 6, 3, 1, 4, 9, 3, 3}, uint16(2000))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, last string, plan []byte, limit uint16) {
		defer watch()()
		at, ok := parseEventID(last)
		if want := strings.Trim(last, "-0123456789") == ""; ok && (!want || at.String() != last) {
			t.Fatalf("parsing %q: %+v", last, at)
		}
		m := &replayModel{t: t, log: newReplayLog(int(limit))}
		m.streams = []*streamModel{{stream: m.log.general}}
		for i, act := range plan[:min(len(plan), 200)] {
			m.act(int(act%8), int(act/8), i, at, ok)
			m.check()
		}
		m.drain()
	})
}

// replayModel is a replay log and its expected content.
type replayModel struct {
	t       *testing.T
	log     *replayLog
	streams []*streamModel // by id
}

// streamModel is a stream and all messages sent on it.
type streamModel struct {
	stream *stream
	reader *reader // nil: no reader
	all    []string
}

// act applies one operation to a stream.
func (m *replayModel) act(what, which, i int, at eventID, ok bool) {
	s := m.streams[which%len(m.streams)]
	switch what {
	case 0:
		stream, reader := m.log.begin()
		m.streams = append(m.streams, &streamModel{stream: stream, reader: reader})
	case 1:
		_, m.streams[0].reader = m.log.listen()
	case 2:
		if s != m.streams[0] && !s.stream.ended && s.stream.hasRoom() { // otherwise the sender waits
			m.append(s, i, which > 20)
		}
	case 3:
		m.take(s)
	case 4:
		if s = m.streams[0]; s.stream.hasRoom() {
			msg := fmt.Sprintf("message %d of none %s", i, strings.Repeat("x", which*which))
			_ = m.log.Notify([]byte(msg)) // never fails
			s.all = append(s.all, msg)
		}
	case 5:
		s.stream.leave(s.reader)
		s.reader = nil
	case 6:
		m.resume(eventID{s.stream.id, s.stream.written - which%3})
	case 7:
		if ok {
			m.resume(at)
		} else if which == 31 {
			m.log.end(true)
		}
	}
}

func (m *replayModel) append(s *streamModel, i int, last bool) {
	msg := fmt.Sprintf("message %d of %d %s", i, s.stream.id, strings.Repeat("x", i*i))
	s.all = append(s.all, msg)
	if last {
		s.stream.end([]byte(msg))
		return
	}
	s.stream.send([]byte(msg))
}

// take makes the reader of a stream take an event.
func (m *replayModel) take(s *streamModel) {
	if s.reader == nil {
		return
	}
	after, want := max(s.stream.written, s.reader.writing), 0
	for _, e := range m.log.kept {
		if want == 0 && e.stream == s.stream && e.number > after {
			want = e.number
		}
	}
	e, over := s.stream.take(s.reader)
	switch {
	case (e == nil) != (want == 0):
		m.t.Fatalf("stream %d returns %v, want event %d", s.stream.id, e, want)
	case e != nil && (e.number != want || e.stream != s.stream || string(e.msg) != s.all[want-1]):
		m.t.Fatalf("event %d of stream %d is number %d, %q", want, s.stream.id, e.number, e.msg)
	case e == nil && over != s.stream.ended:
		m.t.Fatalf("stream %d ended: %t", s.stream.id, over)
	}
}

// resume makes a client reconnect.
func (m *replayModel) resume(at eventID) {
	known := m.log.streams[at.stream]
	isKnown := known != nil && m.log.limit > 0
	isBeyond := isKnown && at.event > known.last
	isNothing := isKnown && known.ended && at.event == known.last
	stream, reader, err := m.log.resume(at)
	if isKnown != !errors.Is(err, errNoStream) || isBeyond != errors.Is(err, errNoEvent) || isNothing != errors.Is(err, errNothing) {
		m.t.Fatalf("resume(%v): %v, stream known: %t", at, err, isKnown)
	}
	if err != nil {
		return
	}
	s := m.streams[at.stream]
	if s.stream != stream {
		m.t.Fatalf("resume(%v) = stream %d", at, stream.id)
	}
	old := s.reader
	s.reader = reader
	if old != nil {
		if e, over := stream.take(old); e != nil || !over {
			m.t.Fatalf("stream %d has two readers", stream.id)
		}
	}
}

// check checks the invariants of the replay log.
func (m *replayModel) check() {
	size, owed := 0, 0 // owed is the size of events still to be written
	counts := map[*stream]int{}
	var spared *event // the newest unwritten response, or else the newest event
	for i, e := range m.log.kept {
		if e.ends && e.number > e.stream.written || i == len(m.log.kept)-1 && spared == nil {
			spared = e
		}
	}
	for _, e := range m.log.kept {
		size += e.size()
		if e.number > e.stream.written && (e.stream.reader != nil || e.stream.id == 0 || e == spared) {
			owed += e.size()
		}
		if string(e.msg) != m.streams[e.stream.id].all[e.number-1] {
			m.t.Fatalf("stream %d keeps %q as event %d", e.stream.id, e.msg, e.number)
		}
		counts[e.stream]++
	}
	if size != m.log.size || size > m.log.limit+owed {
		m.t.Fatalf("%d bytes kept, log.size = %d, limit %d, %d bytes unread", size, m.log.size, m.log.limit, owed)
	}
	if unread := m.log.general.unread(); m.log.general.reader == nil && len(unread) > maxUnsent {
		m.t.Fatalf("%d unread messages without a reader", len(unread))
	}
	for _, s := range m.streams {
		if s.stream.kept != counts[s.stream] || s.stream.last != len(s.all) {
			m.t.Fatalf("stream %d keeps %d of %d events, want %d of %d", s.stream.id, s.stream.kept, s.stream.last, counts[s.stream], len(s.all))
		}
	}
}

// drain makes all readers take their remaining events and leave. Then nothing beyond the limit is kept.
func (m *replayModel) drain() {
	_, m.streams[0].reader = m.log.listen()
	for _, s := range m.streams {
		for s.reader != nil && (len(s.stream.unread()) > 0) {
			m.take(s)
		}
		s.stream.leave(s.reader)
		m.check()
	}
	if m.log.limit == 0 && len(m.log.kept) > 0 {
		m.t.Fatalf("%d events kept beyond the limit", len(m.log.kept))
	}
	for id, s := range m.log.streams {
		if id > 0 && s.kept == 0 && s.ended {
			m.t.Fatalf("stream %d kept without events", id)
		}
	}
}
