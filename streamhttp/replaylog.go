package streamhttp

import (
	"bytes"
	"errors"
	"slices"
	"sync"

	"github.com/mcptool-go/mcptool/runtime"
)

const (
	// maxPending is how many bytes a stream holds for a slow client before senders
	// block; one message always fits.
	maxPending = 64 << 10
	// maxUnsent is how many messages wait for a standalone stream to be opened.
	maxUnsent = 16
	// eventCost is about what an event costs beyond its message, in bytes.
	eventCost = 128
)

// replayLog holds the event streams of one session: the messages that are still to be written, and the last ones that
// were written, for clients that resume a stream after their connection broke.
// A stream outlives its connections; at most one connection reads it at a time.
type replayLog struct {
	limit  int                  // bytes kept for clients that resume
	memory *runtime.Reservation // of the kept events; set before the first one, nil in tests

	mu      sync.Mutex
	room    sync.Cond // signalled when an event was written, a reader left, or the log was closed
	streams map[int]*stream
	next    int       // id of the next stream
	kept    []*event  // of all streams, the oldest first
	size    int       // of kept, in bytes
	excess  int       // bytes of kept beyond what memory allows
	open    []*stream // the standalone ones that are being read, the newest last
	unsent  [][]byte  // messages for a standalone stream while there is none
	closed  bool
}

// stream is one event stream of a session. The mutex of its log guards it.
type stream struct {
	log        *replayLog
	id         int
	request    []byte   // id of the message that it answers, nil if there is none; set before the first event
	events     []*event // those kept, the oldest first
	last       int      // number of the newest event
	written    int      // number of the last event the reader took
	writing    int      // the same while the reader writes it, and else 0: it takes memory until it is written
	pending    int      // bytes of those after it
	reader     *reader  // nil: no connection reads it
	ended      bool     // no event will follow
	standalone bool     // it was opened with GET and belongs to no request
	polled     bool     // no connection reads it because its client was told to reconnect for the rest
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
	changed chan struct{} // has an element when the stream has changed
	ping    []byte        // to be written to this connection only, nil for none
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

// offer makes a standalone stream available to Send, and adds the messages that have waited for
// one.
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

// Send implements [runtime.Outbox], for messages that belong to no request: the newest open standalone stream
// carries them, or the next one to be opened.
func (l *replayLog) Send(msg []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.open) > 0 {
		s := l.open[len(l.open)-1]
		if s.hasRoom() {
			s.appendLocked(msg)
			return nil
		}
		l.room.Wait() // after which another stream may be the newest
	}
	if n := len(l.unsent); n > 0 && bytes.Equal(l.unsent[n-1], msg) {
		return nil // the same notification need not wait twice
	}
	if len(l.unsent) == maxUnsent {
		l.memory.Add(-len(l.unsent[0]))
		l.unsent = l.unsent[1:]
	}
	l.unsent = append(l.unsent, bytes.Clone(msg))
	l.memory.Add(len(msg))
	return nil
}

// append adds an event, and with last ends the stream. It blocks while the reader is slow. It reports
// whether a connection reads the event, or a client may resume the stream and get it.
func (s *stream) append(msg []byte, last bool) bool {
	l := s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	for !s.hasRoom() {
		l.room.Wait()
	}
	s.ended = s.ended || last // before appendLocked, which may make this event the answer of a polled stream
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

// answer adds the answer to the message with this id, nil if it has none, to a stream that goes on. It blocks while the
// reader is slow.
func (s *stream) answer(id, msg []byte) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	for !s.hasRoom() {
		s.log.room.Wait()
	}
	s.answerLocked(id, msg)
}

// answerLocked adds an answer, or the error that there is no memory for it. That of a batch is not refused as a whole, see
// [runtime.Reservation.Answer]. The caller holds the mutex.
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

// appendLocked adds an event even if there is no memory for it: only answers can be refused. Without a notification the
// client would be taken for disconnected. The caller holds the mutex.
func (s *stream) appendLocked(msg []byte) {
	size := len(msg) + eventCost
	excess, err := s.log.take(size)
	if err != nil {
		s.log.memory.Add(size)
	}
	s.keep(msg, excess)
}

// take takes the memory for an event of so many bytes, and returns how many of them are beyond what may be kept: the event
// is dropped when it is written. The error says that there is no memory for it.
func (l *replayLog) take(size int) (excess int, err error) {
	if l.memory.TryKeep(size) {
		return 0, nil
	}
	return size, l.memory.Answer(size)
}

// keep adds an event, of which so many bytes are beyond what may be kept. The caller holds the mutex.
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

// trim drops the oldest events beyond the limits, but none that a reader
// has still to take, nor the one that awaited returns, which is not counted.
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
		s.events = s.events[1:] // e is the oldest of its stream
		l.forget(s)
		return true
	})
}

// awaited returns the event that is kept beyond all limits, because its client was told to reconnect for it: the newest
// answer, or if there is none, the newest event of all if it is such an event. It may be nil.
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

// forget drops a stream that no client can read or resume any more.
func (l *replayLog) forget(s *stream) {
	if s.reader == nil && len(s.events) == 0 && (s.ended || s.standalone) {
		delete(l.streams, s.id)
	}
}

// take returns the next event for r, which has written the one before; nil if there is none yet. It reports whether
// there will be no more: the stream has ended, or another reader has taken over.
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

// leave detaches r from the stream, if it is still its reader.
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

// resume returns a stream and a new reader of it, for the events after id as far as they are kept: the
// answer is the last event and is kept longest. It replaces the previous reader. If nothing will
// ever follow, as after a call that was cancelled, the error is errNothing.
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
		s.reader.wake() // so that it finds that it has been replaced
	}
	s.reader = &reader{changed: make(chan struct{}, 1)}
	s.written, s.writing, s.pending, s.polled = after, 0, 0, false
	for _, e := range s.events[len(s.events)-(s.last-after):] {
		s.pending += e.size()
	}
	if s.standalone {
		l.offer(s)
	}
	l.trim() // the events that the client has read
	return s, s.reader, nil
}

// leaveStandalone ends the connections that read standalone streams. Their clients reconnect, with a token that
// mayStream checks.
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

// close ends all streams. Events that they hold are still written.
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
