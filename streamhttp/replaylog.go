package streamhttp

import (
	"bytes"
	"errors"
	"slices"
	"sync"

	"github.com/mcptool-go/mcptool/runtime"
)

const (
	// maxPending is the number of bytes that a stream buffers for a slow client before senders block; one message
	// always fits.
	maxPending = 64 << 10
	// maxUnsent is the maximum number of messages that wait for a standalone stream.
	maxUnsent = 16
	// eventCost is the approximate memory of an event without its message, in bytes.
	eventCost = 128
)

// replayLog has the event streams of one session: the messages to be written, and the last messages that were written,
// for clients that resume a stream after their connection broke. A stream outlives its connections; at most one
// connection reads it at a time.
type replayLog struct {
	limit  int                  // bytes kept for clients that resume
	memory *runtime.Reservation // for the kept events; set before the first one, nil in tests

	mu      sync.Mutex
	room    sync.Cond // signalled when an event was written, a reader left, or the log was closed
	streams map[int]*stream
	next    int       // id of the next stream
	kept    []*event  // events of all streams, the oldest first
	size    int       // size of kept, in bytes
	excess  int       // bytes of kept beyond the memory limit
	open    []*stream // standalone streams with a reader, the newest last
	unsent  [][]byte  // messages that wait for a standalone stream
	closed  bool
}

// stream is one event stream of a session. The mutex of its log guards it.
type stream struct {
	log        *replayLog
	id         int
	request    []byte   // id of the message that it answers, set before the first event; nil if none
	events     []*event // kept events, the oldest first
	last       int      // number of the newest event
	written    int      // number of the last event that the reader has taken
	writing    int      // written, while the reader writes that event (which keeps its memory); else 0
	pending    int      // bytes of the events after written
	reader     *reader  // nil: no connection reads it
	ended      bool     // no event will follow
	standalone bool     // it was opened with GET and belongs to no request
	polled     bool     // its client was asked to reconnect, and no connection reads it yet
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
	changed chan struct{} // has an element after a change of the stream
	ping    []byte        // to be written to this connection only; nil if there is none
}

func (r *reader) wake() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

func newReplayLog(limit int) *replayLog {
	l := &replayLog{limit: limit, streams: map[int]*stream{}}
	l.room.L = &l.mu
	return l
}

// begin returns a new stream and its first reader.
func (l *replayLog) begin() (*stream, *reader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.beginLocked()
}

func (l *replayLog) beginLocked() (*stream, *reader) {
	l.next++
	s := &stream{log: l, id: l.next, reader: &reader{changed: make(chan struct{}, 1)}}
	l.streams[s.id] = s
	return s, s.reader
}

// beginStandalone returns a new stream for messages that belong to no request, and its reader.
func (l *replayLog) beginStandalone() (*stream, *reader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, r := l.beginLocked()
	s.standalone = true
	l.offer(s)
	return s, r
}

// offer makes a standalone stream available to Send, and adds the messages that wait for one.
func (l *replayLog) offer(s *stream) {
	if l.closed {
		s.ended = true
		return
	}
	if !slices.Contains(l.open, s) {
		l.open = append(l.open, s)
	}
	for _, msg := range l.unsent {
		l.memory.Add(-len(msg))
		s.appendLocked(msg)
	}
	l.unsent = nil
}

// Send implements [runtime.Outbox], for messages that belong to no request: they are sent on the newest open standalone
// stream, or on the next one that is opened.
func (l *replayLog) Send(msg []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.open) > 0 {
		s := l.open[len(l.open)-1]
		if s.hasRoom() {
			s.appendLocked(msg)
			return nil
		}
		l.room.Wait() // afterwards another stream may be the newest
	}
	if n := len(l.unsent); n > 0 && bytes.Equal(l.unsent[n-1], msg) {
		return nil // an identical notification is already waiting
	}
	if len(l.unsent) == maxUnsent {
		l.memory.Add(-len(l.unsent[0]))
		l.unsent = l.unsent[1:]
	}
	l.unsent = append(l.unsent, bytes.Clone(msg))
	l.memory.Add(len(msg))
	return nil
}

// append adds an event, and ends the stream if last is set. It blocks while the reader is slow. It reports whether a
// connection reads the event, or a client may get it by resuming the stream.
func (s *stream) append(msg []byte, last bool) bool {
	l := s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	for !s.hasRoom() {
		l.room.Wait()
	}
	s.ended = s.ended || last // before appendLocked, which may make this event the awaited answer of a polled stream
	switch {
	case msg == nil:
	case last:
		s.answerLocked(s.request, msg)
	default:
		s.appendLocked(msg)
	}
	if last {
		l.forget(s)
	}
	if s.reader != nil {
		s.reader.wake()
	}
	return s.reader != nil || len(s.events) > 0
}

// answer adds the answer to the message with this id, which may be nil, to a stream that continues. It blocks while the
// reader is slow.
func (s *stream) answer(id, msg []byte) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	for !s.hasRoom() {
		s.log.room.Wait()
	}
	s.answerLocked(id, msg)
}

// answerLocked adds an answer, or an error if the memory limit does not permit the answer. An answer to a batch is
// always added, see [runtime.Reservation.Answer]. The caller holds the mutex.
func (s *stream) answerLocked(id, msg []byte) {
	if answersBatch(msg) {
		s.appendLocked(msg)
		return
	}
	excess, err := s.log.take(len(msg) + eventCost)
	if err != nil {
		s.appendLocked(noMemory(id, err).message())
		return
	}
	s.keep(msg, excess)
}

// hasRoom reports whether an event can be added now.
func (s *stream) hasRoom() bool {
	return s.reader == nil || s.pending <= maxPending || s.log.closed
}

// appendLocked adds an event even beyond the memory limit: only answers can be replaced by an error, and a missing
// notification would look like a disconnect. The caller holds the mutex.
func (s *stream) appendLocked(msg []byte) {
	size := len(msg) + eventCost
	excess, err := s.log.take(size)
	if err != nil {
		s.log.memory.Add(size)
	}
	s.keep(msg, excess)
}

// take reserves memory for an event of that size. Excess is the number of bytes that may not be kept for clients that
// resume: the event is dropped after it has been written. The error means that the memory limit is exceeded.
func (l *replayLog) take(size int) (excess int, err error) {
	if l.memory.TryKeep(size) {
		return 0, nil
	}
	return size, l.memory.Answer(size)
}

// keep adds an event with this excess, see take. The caller holds the mutex.
func (s *stream) keep(msg []byte, excess int) {
	l := s.log
	s.last++
	e := &event{stream: s, number: s.last, msg: bytes.Clone(msg)}
	s.events = append(s.events, e)
	s.pending += e.size()
	l.kept = append(l.kept, e)
	l.size += e.size()
	l.excess += excess
	l.trim()
	if s.reader != nil {
		s.reader.wake()
	}
}

// trim drops the oldest events beyond the limits, except events that a reader must still write, and the event that
// awaited returns, whose size is not counted.
func (l *replayLog) trim() {
	if l.size <= l.limit && l.excess == 0 {
		return
	}
	awaited, spare := l.awaited(), 0
	if awaited != nil {
		spare = awaited.size()
	}
	l.kept = slices.DeleteFunc(l.kept, func(e *event) bool {
		s := e.stream
		if l.size-spare <= l.limit && l.excess == 0 || e == awaited || s.reader != nil && (e.number > s.written || e.number == s.writing) {
			return false
		}
		l.size -= e.size()
		l.excess = max(l.excess-e.size(), 0)
		l.memory.Add(-e.size())
		s.events = s.events[1:] // e is the oldest event of its stream
		l.forget(s)
		return true
	})
}

// awaited returns the event that is kept beyond all limits, because its client was asked to reconnect for it: the
// newest such answer, or if there is none, the newest event of all if a client was asked to reconnect for it; nil if
// none.
func (l *replayLog) awaited() *event {
	isAwaited := func(e *event) bool { return e.stream.polled && e.number > e.stream.written }
	for _, e := range slices.Backward(l.kept) {
		if isAwaited(e) && e.stream.ended && e.number == e.stream.last {
			return e
		}
	}
	if newest := l.kept[len(l.kept)-1]; isAwaited(newest) {
		return newest
	}
	return nil
}

// forget removes a stream that clients can no longer read or resume.
func (l *replayLog) forget(s *stream) {
	if s.reader == nil && len(s.events) == 0 && (s.ended || s.standalone) {
		delete(l.streams, s.id)
	}
}

// take returns the next event for r, which has written the previous one; nil if there is none yet. It reports whether
// no more events follow: the stream has ended, or another reader has replaced r.
func (s *stream) take(r *reader) (e *event, ended bool) {
	l := s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.reader != r {
		return nil, true
	}
	s.writing = 0
	l.trim()
	if s.written == s.last {
		return nil, s.ended || l.closed
	}
	e = s.events[len(s.events)-(s.last-s.written)]
	s.written++
	s.writing = s.written
	s.pending -= e.size()
	l.room.Broadcast()
	return e, false
}

// leave detaches r from the stream if it is still the reader.
func (s *stream) leave(r *reader) {
	l := s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.reader != r {
		return
	}
	s.reader = nil
	if i := slices.Index(l.open, s); i >= 0 {
		l.open = slices.Delete(l.open, i, i+1)
	}
	l.trim()
	l.forget(s)
	l.room.Broadcast()
}

var (
	errNoStream = errors.New("there is no such stream")
	errNoEvent  = errors.New("no such event has been sent yet")
	errNothing  = errors.New("the stream has ended, and nothing follows that event")
)

// resume returns a stream and its new reader, for the events after id that are still kept. The answer is the last event
// and is kept for longest. The new reader replaces the previous one. If no event will follow, as after a cancelled
// call, the error is errNothing.
func (l *replayLog) resume(id eventID) (*stream, *reader, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.streams[id.stream]
	if !ok || s.standalone != id.standalone || l.limit == 0 {
		return nil, nil, errNoStream
	}
	if id.event > s.last {
		return nil, nil, errNoEvent
	}
	if s.ended && !s.standalone && id.event == s.last {
		return nil, nil, errNothing
	}
	after := max(id.event, s.last-len(s.events))
	if s.reader != nil {
		s.reader.wake() // so that it notices the replacement
	}
	s.reader = &reader{changed: make(chan struct{}, 1)}
	s.written, s.writing, s.pending, s.polled = after, 0, 0, false
	for _, e := range s.events[len(s.events)-(s.last-after):] {
		s.pending += e.size()
	}
	if s.standalone {
		l.offer(s)
	}
	l.trim() // drops events that the client has read
	return s, s.reader, nil
}

// leaveStandalone ends the connections that read standalone streams. Their clients must reconnect, and mayStream checks
// their tokens.
func (l *replayLog) leaveStandalone() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.open {
		s.reader.wake()
		s.reader = nil
		l.forget(s)
	}
	l.open = nil
	l.trim()
	l.room.Broadcast()
}

// endStandalone ends the standalone streams.
func (l *replayLog) endStandalone() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.open {
		s.ended = true
		s.reader.wake()
	}
	l.open = nil
	l.room.Broadcast()
}

// close ends all streams. Kept events are still written.
func (l *replayLog) close() {
	l.endStandalone()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, s := range l.streams {
		if s.reader != nil {
			s.reader.wake()
		}
	}
	l.room.Broadcast()
}
