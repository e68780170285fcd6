package streamhttp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

// FuzzResume plays what a session and its clients do to a replay log, byte by byte of plan, and holds what readers get
// against a model that keeps everything: each event belongs to the stream, comes once, in order, and none that
// is kept is left out. Last is what a client sends as Last-Event-ID.
func FuzzResume(f *testing.F) {
	for _, last := range []string{"r1-0", "r1-2", "u2-0", "u1-0", "r2-1", "r01-1", "r1-+1", "r1--1", "r1-99999999999999999999", "u9223372036854775807-1", "r1", "-", "", "r1-1-1", "r1-1\x00", " r1-1"} {
		f.Add(last, []byte{0, 2, 2, 3, 2, 6, 5, 3, 3, 3, 3}, uint16(0))
		f.Add(last, []byte{0, 1, 2, 10, 4, 3, 5, 4, 4, 13, 6, 3, 3, 8, 2, 7}, uint16(300))
		f.Add(last, []byte{1, 4, 4, 4, 3, 5, 4, 6, 3, 1, 4, 9, 3, 3}, uint16(2000))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, last string, plan []byte, limit uint16) {
		defer watch()()
		at, ok := parseEventID(last)
		if want := strings.Trim(last, "ru-0123456789") == ""; ok && (!want || at.String() != last) {
			t.Fatalf("%q is read as %+v", last, at)
		}
		m := &replayModel{t: t, log: newReplayLog(int(limit))}
		for i, act := range plan[:min(len(plan), 200)] {
			m.act(int(act%8), int(act/8), i, at, ok)
		}
		m.drain()
	})
}

// replayModel is a replay log and what should be in it.
type replayModel struct {
	t       *testing.T
	log     *replayLog
	streams []*streamModel
	strays  []string // what waits for a stream that could carry it
	open    []*streamModel
}

// streamModel is a stream, all that was ever sent on it, and how far its reader is.
type streamModel struct {
	stream *stream
	reader *reader // nil: nobody reads
	all    []string
	read   int // number of the last event that was taken
}

// act does one of the things that can happen to a stream.
func (m *replayModel) act(what, which, i int, at eventID, ok bool) {
	if len(m.streams) == 0 && what > 1 && what != 4 {
		return
	}
	var s *streamModel
	if len(m.streams) > 0 {
		s = m.streams[which%len(m.streams)]
	}
	switch what {
	case 0:
		stream, reader := m.log.begin()
		m.streams = append(m.streams, &streamModel{stream: stream, reader: reader})
	case 1:
		stream, reader := m.log.beginStandalone()
		s = &streamModel{stream: stream, reader: reader}
		m.streams = append(m.streams, s)
		m.offer(s)
	case 2:
		if !s.stream.standalone && !s.stream.ended && s.stream.hasRoom() { // who has none waits
			m.append(s, i, which > 20)
		}
	case 3:
		m.take(s)
	case 4:
		m.send(fmt.Sprintf("stray %d %s", i, strings.Repeat("x", which*which)))
	case 5:
		m.leave(s)
	case 6:
		m.resume(eventID{s.stream.standalone, s.stream.id, s.read - which%3})
	case 7:
		if ok {
			m.resume(at)
		} else if which == 31 {
			m.log.close()
			m.open = nil
		}
	}
	m.check()
}

func (m *replayModel) append(s *streamModel, i int, last bool) {
	msg := fmt.Sprintf("message %d of %d %s", i, s.stream.id, strings.Repeat("x", i*i))
	s.stream.append([]byte(msg), last)
	s.all = append(s.all, msg)
}

// offer has a stream carry what belongs to no request.
func (m *replayModel) offer(s *streamModel) {
	if m.log.closed {
		return
	}
	if !slices.Contains(m.open, s) {
		m.open = append(m.open, s)
	}
	s.all = append(s.all, m.strays...)
	m.strays = nil
}

func (m *replayModel) send(msg string) {
	if n := len(m.open); n > 0 {
		if s := m.open[n-1]; s.stream.hasRoom() { // who has none waits
			_ = m.log.Send([]byte(msg)) // never fails
			s.all = append(s.all, msg)
		}
		return
	}
	_ = m.log.Send([]byte(msg)) // never fails
	m.strays = append(m.strays, msg)
	m.strays = m.strays[max(0, len(m.strays)-maxUnsent):]
}

// take has the reader of a stream take an event.
func (m *replayModel) take(s *streamModel) {
	if s.reader == nil {
		return
	}
	e, over := s.stream.take(s.reader)
	switch {
	case e != nil:
		if s.read++; e.number != s.read || e.stream != s.stream || s.read > len(s.all) || string(e.msg) != s.all[s.read-1] {
			m.t.Fatalf("event %d of stream %d is number %d, %q", s.read, s.stream.id, e.number, e.msg)
		}
	case s.read != len(s.all):
		m.t.Fatalf("stream %d has nothing after %d of %d", s.stream.id, s.read, len(s.all))
	case over != (s.stream.ended || m.log.closed):
		m.t.Fatalf("stream %d is over: %t", s.stream.id, over)
	}
}

func (m *replayModel) leave(s *streamModel) {
	if s.reader == nil {
		return
	}
	s.stream.leave(s.reader)
	s.reader = nil
	m.open = slices.DeleteFunc(m.open, func(o *streamModel) bool { return o == s })
}

// resume has a client come back.
func (m *replayModel) resume(at eventID) {
	kept := 0
	if known := m.log.streams[at.stream]; known != nil {
		kept = len(known.events)
	}
	stream, reader, err := m.log.resume(at)
	i := slices.IndexFunc(m.streams, func(s *streamModel) bool { return s.stream.id == at.stream })
	if err != nil {
		known := i >= 0 && m.log.streams[at.stream] != nil && m.streams[i].stream.standalone == at.standalone && m.log.limit > 0
		beyond := known && at.event > len(m.streams[i].all)
		nothing := known && m.streams[i].stream.ended && at.event == len(m.streams[i].all)
		if known != !errors.Is(err, errNoStream) || beyond != errors.Is(err, errNoEvent) || nothing != errors.Is(err, errNothing) {
			m.t.Fatalf("resume %v: %v, with the stream known: %t", at, err, known)
		}
		return
	}
	if i < 0 || m.streams[i].stream != stream || stream.standalone != at.standalone || at.event > len(m.streams[i].all) {
		m.t.Fatalf("resumed %v with stream %d", at, stream.id)
	}
	s := m.streams[i]
	old := s.reader
	s.reader = reader
	s.read = max(at.event, len(s.all)-kept)
	if stream.standalone {
		m.offer(s)
	}
	if old != nil {
		if e, over := stream.take(old); e != nil || !over {
			m.t.Fatalf("stream %d has two readers", stream.id)
		}
	}
}

// check holds what can be said of a replay log at any time.
func (m *replayModel) check() {
	size := 0
	for _, e := range m.log.kept {
		size += e.size()
	}
	owed := 0 // what readers are still to take, or have taken and not written
	for _, s := range m.streams {
		if s.reader != nil {
			for _, e := range s.stream.events {
				if e.number > s.read || e.number == s.stream.writing {
					owed += e.size()
				}
			}
		}
		for i, e := range s.stream.events {
			if number := len(s.all) - len(s.stream.events) + i + 1; e.number != number || string(e.msg) != s.all[number-1] {
				m.t.Fatalf("stream %d keeps %d, %q at %d", s.stream.id, e.number, e.msg, number)
			}
		}
	}
	if size != m.log.size || size > m.log.limit+owed {
		m.t.Fatalf("%d bytes are kept, said to be %d; the limit is %d, and %d are still to be read", size, m.log.size, m.log.limit, owed)
	}
}

// drain has all readers take what there is, and go: then no more is kept than may be.
func (m *replayModel) drain() {
	for _, s := range m.streams {
		for s.reader != nil && s.read < len(s.all) {
			m.take(s)
		}
		m.leave(s)
		m.check()
	}
	if m.log.limit == 0 && len(m.log.kept) > 0 {
		m.t.Fatalf("%d events are kept for nobody", len(m.log.kept))
	}
	for id, s := range m.log.streams {
		if len(s.events) == 0 && (s.ended || s.standalone) {
			m.t.Fatalf("stream %d is kept for nobody", id)
		}
	}
}
