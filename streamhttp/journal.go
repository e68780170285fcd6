package streamhttp

import (
	"bytes"
	"errors"
	"slices"
	"sync"

	"github.com/mcptool-go/mcptool/runtime"
)

const (
	// maxPending is how much a stream may hold for a client that is slower than what is
	// sent to it, before the sender has to wait; one message always fits.
	maxPending = 64 << 10
	// maxStray is how many messages wait for a stream that could carry them.
	maxStray = 16
	// eventCost is what an event costs beyond its message, in bytes, about.
	eventCost = 128
)

// journal is the event streams of one session: what is still to be written, and what
// was written lately, so that a client whose connection broke can have it again.
// A stream outlives its connections; at most one reads it at a time.
type journal struct {
	limit  int                  // bytes kept for clients that come back
	memory *runtime.Reservation // for what is kept; set before the first event, nil in tests

	mu      sync.Mutex
	room    sync.Cond // signalled when an event was written, a reader left, or it is all over
	streams map[int]*stream
	next    int       // id of the next stream
	kept    []*event  // of all streams, the oldest first
	size    int       // of kept, in bytes
	excess  int       // bytes of kept for which there was no memory
	open    []*stream // the unbound ones that are being read, the newest last
	stray   [][]byte  // messages for an unbound stream when there is none
	closed  bool
}

// stream is one event stream of a session. Its journal guards it.
type stream struct {
	journal *journal
	id      int
	events  []*event // those kept, the oldest first
	last    int      // number of the newest event
	written int      // number of the last event the reader took
	pending int      // bytes of those after it
	reader  *reader  // nil: nobody reads
	ended   bool     // no event will follow
	unbound bool     // it belongs to no request: a stream of GET
	owed    bool     // nobody reads because the client was told to come back for the rest
}

// event is one message on a stream. Events are numbered from 1.
type event struct {
	stream *stream
	number int
	msg    []byte
}

func (e *event) size() int { return len(e.msg) + eventCost }

// reader is one connection that reads a stream.
type reader struct {
	news  chan struct{} // something has changed
	probe []byte        // to be written to this connection and no other, nil for nothing
}

func (r *reader) wake() {
	select {
	case r.news <- struct{}{}:
	default:
	}
}

func newJournal(limit int) *journal {
	j := &journal{limit: limit, streams: map[int]*stream{}}
	j.room.L = &j.mu
	return j
}

// begin makes a stream and its first reader.
func (j *journal) begin() (*stream, *reader) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.beginLocked()
}

func (j *journal) beginLocked() (*stream, *reader) {
	j.next++
	s := &stream{journal: j, id: j.next, reader: &reader{news: make(chan struct{}, 1)}}
	j.streams[s.id] = s
	return s, s.reader
}

// beginUnbound makes a stream for what belongs to no request, and its reader.
func (j *journal) beginUnbound() (*stream, *reader) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s, r := j.beginLocked()
	s.unbound = true
	j.offer(s)
	return s, r
}

// offer puts an unbound stream to use: it carries what belongs to no request, first
// what has waited for it.
func (j *journal) offer(s *stream) {
	if j.closed {
		s.ended = true
		return
	}
	if !slices.Contains(j.open, s) {
		j.open = append(j.open, s)
	}
	for _, msg := range j.stray {
		j.memory.Add(-len(msg))
		s.appendLocked(msg)
	}
	j.stray = nil
}

// Send implements [runtime.Outbox], for what belongs to no request: one stream of those
// that are open carries it, or the next one to be opened.
func (j *journal) Send(msg []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(j.open) > 0 {
		s := j.open[len(j.open)-1]
		if s.hasRoom() {
			s.appendLocked(msg)
			return nil
		}
		j.room.Wait() // after which another stream may be the one
	}
	if n := len(j.stray); n > 0 && bytes.Equal(j.stray[n-1], msg) {
		return nil // that the tools have changed need not be said twice
	}
	if len(j.stray) == maxStray {
		j.memory.Add(-len(j.stray[0]))
		j.stray = j.stray[1:]
	}
	j.stray = append(j.stray, bytes.Clone(msg))
	j.memory.Add(len(msg))
	return nil
}

// append adds an event, and with last ends the stream. It waits for a reader that is slow. It reports
// whether somebody reads the event, or may come back for it.
func (s *stream) append(msg []byte, last bool) bool {
	j := s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	for !s.hasRoom() {
		j.room.Wait()
	}
	s.ended = s.ended || last // before what may be the answer
	if msg != nil {
		s.appendLocked(msg)
	}
	if last {
		j.forget(s)
	}
	if s.reader != nil {
		s.reader.wake()
	}
	return s.reader != nil || len(s.events) > 0
}

// hasRoom reports whether an event can be added now.
func (s *stream) hasRoom() bool {
	return s.reader == nil || s.pending <= maxPending || s.journal.closed
}

func (s *stream) appendLocked(msg []byte) {
	j := s.journal
	s.last++
	e := &event{stream: s, number: s.last, msg: bytes.Clone(msg)}
	s.events = append(s.events, e)
	s.pending += e.size()
	j.kept = append(j.kept, e)
	j.size += e.size()
	if !j.memory.TryKeep(e.size()) {
		j.memory.Add(e.size()) // it has to be written first
		j.excess += e.size()
	}
	j.trim()
	if s.reader != nil {
		s.reader.wake()
	}
}

// trim lets go of the oldest events, as many as are too much or have no memory, but of none that a reader
// is still to take, nor of the answer that is owed, which is not counted.
func (j *journal) trim() {
	if j.size <= j.limit && j.excess == 0 {
		return
	}
	owed, spare := j.owed(), 0
	if owed != nil {
		spare = owed.size()
	}
	j.kept = slices.DeleteFunc(j.kept, func(e *event) bool {
		s := e.stream
		if j.size-spare <= j.limit && j.excess == 0 || e == owed || e.number > s.written && s.reader != nil {
			return false
		}
		j.size -= e.size()
		j.excess = max(j.excess-e.size(), 0)
		j.memory.Add(-e.size())
		s.events = s.events[1:] // e: what is older has gone before
		j.forget(s)
		return true
	})
}

// owed returns what is kept although it be too much, because its client was told to come back for it: the newest
// answer, or if there is none, the newest event of all. It is nil if nothing is.
func (j *journal) owed() *event {
	isOwed := func(e *event) bool { return e.stream.owed && e.number > e.stream.written }
	for _, e := range slices.Backward(j.kept) {
		if isOwed(e) && e.stream.ended && e.number == e.stream.last {
			return e
		}
	}
	if newest := j.kept[len(j.kept)-1]; isOwed(newest) {
		return newest
	}
	return nil
}

// forget drops a stream that nobody can have any use for.
func (j *journal) forget(s *stream) {
	if s.reader == nil && len(s.events) == 0 && (s.ended || s.unbound) {
		delete(j.streams, s.id)
	}
}

// take returns the next event for r. Without one it reports whether there will be none
// any more: the stream has ended, or another reader has taken over.
func (s *stream) take(r *reader) (e *event, over bool) {
	j := s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if s.reader != r {
		return nil, true
	}
	if s.written == s.last {
		return nil, s.ended || j.closed
	}
	e = s.events[len(s.events)-(s.last-s.written)]
	s.written++
	s.pending -= e.size()
	j.trim()
	j.room.Broadcast()
	return e, false
}

// leave ends the reading of r.
func (s *stream) leave(r *reader) {
	j := s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if s.reader != r {
		return
	}
	s.reader = nil
	if i := slices.Index(j.open, s); i >= 0 {
		j.open = slices.Delete(j.open, i, i+1)
	}
	j.trim()
	j.forget(s)
	j.room.Broadcast()
}

var (
	errNoStream = errors.New("there is no such stream")
	errNoEvent  = errors.New("there has been no such event yet")
	errNothing  = errors.New("the stream has ended, and nothing follows that event")
)

// resume makes a new reader of a stream, for what came after p, as far as it is kept: the
// answer comes last and is kept longest. Who read it before reads no more. Where nothing will
// ever follow, as after a call that was cancelled, the error is errNothing.
func (j *journal) resume(p place) (*stream, *reader, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s, ok := j.streams[p.stream]
	if !ok || s.unbound != p.unbound || j.limit == 0 {
		return nil, nil, errNoStream
	}
	if p.event > s.last {
		return nil, nil, errNoEvent
	}
	if s.ended && !s.unbound && p.event == s.last {
		return nil, nil, errNothing
	}
	after := max(p.event, s.last-len(s.events))
	if s.reader != nil {
		s.reader.wake() // to find that it is not the reader any more
	}
	s.reader = &reader{news: make(chan struct{}, 1)}
	s.written, s.pending, s.owed = after, 0, false
	for _, e := range s.events[len(s.events)-(s.last-after):] {
		s.pending += e.size()
	}
	if s.unbound {
		j.offer(s)
	}
	j.trim() // of what the client says that it has read
	return s, s.reader, nil
}

// endUnbound ends the streams that belong to no request.
func (j *journal) endUnbound() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range j.open {
		s.ended = true
		s.reader.wake()
	}
	j.open = nil
	j.room.Broadcast()
}

// close ends all streams. What they hold is still written.
func (j *journal) close() {
	j.endUnbound()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	for _, s := range j.streams {
		if s.reader != nil {
			s.reader.wake()
		}
	}
	j.room.Broadcast()
}
