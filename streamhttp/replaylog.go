package streamhttp

import (
	"bytes"
	"errors"
	"slices"
	"sync"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

const (
	// maxPending is the number of bytes that a stream buffers for a slow client before senders block; one message
	// always fits.
	maxPending = 64 << 10
	// maxUnsent is the maximum number of messages that wait for a client to open the general stream.
	maxUnsent = 16
	// eventCost is the approximate memory of an event without its message, in bytes.
	eventCost = 128
)

// replayLog has the event streams of one session: the messages to be written, and the last messages that were written,
// for clients that resume a stream after their connection broke. A stream outlives its connections; at most one
// connection reads it at a time. It implements [engine.Conn] with the general stream, whose messages belong to no
// request.
type replayLog struct {
	engine.NoAsk
	limit  int                 // bytes kept for clients that resume
	memory *engine.Reservation // for the kept events; set before the first one, nil in tests

	mu      sync.Mutex
	room    sync.Cond // signalled when an event was written, a reader left, or a stream was ended
	general *stream
	streams map[int]*stream // including general, which is never removed
	next    int             // id of the next stream
	kept    []*event        // events of all streams, the oldest first
	size    int             // size of kept, in bytes

	// isShared means that answers are also sent on the general stream, as in HTTP with SSE. It is set before other
	// goroutines use the log.
	isShared bool
}

// stream is one event stream of a session. The mutex of its log guards it.
type stream struct {
	log     *replayLog
	id      int     // 0 for the general stream
	kept    int     // number of kept events
	last    int     // number of the newest event
	written int     // number of the last event that a reader has written
	reader  *reader // nil: no connection reads it
	ended   bool    // no event will follow
}

// event is one message on a stream. Events are numbered from 1.
type event struct {
	stream  *stream
	number  int
	msg     []byte
	ends    bool // the stream: it is the answer
	isBrief bool // it is beyond the memory for events that are kept, and dropped as soon as it is written
}

func (e *event) size() int { return len(e.msg) + eventCost }

// isUnread reports whether no reader has written the event.
func (e *event) isUnread() bool { return e.number > e.stream.written }

// reader is one connection that reads a stream.
type reader struct {
	changed chan struct{} // has an element after a change of the stream
	start   int           // number of the event after which it began to read
	writing int           // number of the event that it is writing; 0 if none
	ping    []byte        // to be written to this connection only; nil if there is none
}

func (r *reader) wake() {
	if r == nil {
		return
	}
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

func newReplayLog(limit int) *replayLog {
	l := &replayLog{limit: limit, streams: map[int]*stream{}}
	l.room.L = &l.mu
	l.general = l.newStream()
	return l
}

func (l *replayLog) newStream() *stream {
	s := &stream{log: l, id: l.next}
	l.streams[s.id] = s
	l.next++
	return s
}

// attach returns a new reader for the events after the one with this number, in the place of the previous reader.
func (s *stream) attach(after int) *reader {
	s.reader.wake()
	r := &reader{changed: make(chan struct{}, 1)}
	s.reader, s.written = r, after
	s.log.trim() // drops events that the client has read
	if unread := s.unread(); len(unread) > 0 {
		s.written = unread[0].number - 1
	}
	r.start = s.written
	s.log.room.Broadcast()
	return r
}

// detach removes the reader, if there is one.
func (s *stream) detach() {
	if s.reader == nil {
		return
	}
	s.reader.wake()
	s.reader = nil
	if unread := s.unread(); s == s.log.general && len(unread) > maxUnsent {
		s.written = unread[len(unread)-maxUnsent-1].number
	}
	s.log.trim()
	s.log.forget(s)
	s.log.room.Broadcast()
}

// begin returns a new stream for the messages of a request, and its first reader.
func (l *replayLog) begin() (*stream, *reader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.newStream()
	return s, s.attach(0)
}

// listen returns the general stream and its new reader, for the events that no other has written.
func (l *replayLog) listen() (*stream, *reader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.general, l.general.attach(l.general.written)
}

var (
	errNoStream = errors.New("unknown stream")
	errNoEvent  = errors.New("unknown event: it has not been sent yet")
	errNothing  = errors.New("the stream has ended, and nothing follows that event")
)

// resume returns a stream and its new reader, for the events after id that are still kept. The answer is the last event
// and is kept for longest. If no event will follow, as after a cancelled call, the error is errNothing.
func (l *replayLog) resume(id eventID) (*stream, *reader, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.streams[id.stream]
	switch {
	case !ok || l.limit == 0:
		return nil, nil, errNoStream
	case id.event > s.last:
		return nil, nil, errNoEvent
	case s.ended && id.event == s.last:
		return nil, nil, errNothing
	}
	return s, s.attach(id.event), nil
}

// Notify implements [engine.Writer]. The message waits if no client reads the general stream. An answer beyond the
// memory limit is replaced by an error.
func (l *replayLog) Notify(msg []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.general
	if unread := s.unread(); s.reader == nil && len(unread) > 0 {
		if bytes.Equal(unread[len(unread)-1].msg, msg) {
			return nil // an identical notification is already waiting
		}
		if over := len(unread) - maxUnsent; over >= 0 {
			s.written = unread[over].number // the oldest do not wait any more
		}
	}
	s.add(msg, false)
	return nil
}

// Respond implements [engine.Writer].
func (l *replayLog) Respond(msg []byte, end engine.End) error {
	defer end.Wrote()
	if msg == nil {
		return nil
	}
	return l.Notify(msg)
}

// Flush implements [engine.Conn]. Nothing is held back.
func (*replayLog) Flush() error { return nil }

// answerTo returns the id of the request that msg, a message of the engine, answers, and reports whether it is an
// answer, and not the one to a batch.
func answerTo(msg []byte) (id []byte, ok bool) {
	rest, ok := bytes.CutPrefix(msg, []byte(`{"jsonrpc":"2.0","id":`))
	if !ok {
		return nil, false
	}
	s := rawjson.New(rest, 1) // up to the end of the id
	id = s.Value()
	return id, !bytes.HasPrefix(rest[len(id):], []byte(`,"method"`))
}

// Probe implements [engine.Conn], with the reader of the general stream. A ping concerns only that connection: it
// has no id, and is not repeated for a client that resumes the stream.
func (l *replayLog) Probe(msg []byte) (reached func() bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.general.reader
	if r == nil {
		return nil, engine.ErrUndelivered
	}
	r.ping = bytes.Clone(msg)
	r.wake()
	return func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return r == l.general.reader && r.ping == nil // a client that opens another connection is alive
	}, nil
}

// send adds a message. It reports whether a connection reads the event, or a client may get it by resuming the stream.
func (s *stream) send(msg []byte) bool {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.add(msg, false)
	return s.reader != nil || s.kept > 0
}

// end ends the stream, with this answer unless it is nil.
func (s *stream) end(msg []byte) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if msg != nil {
		s.add(msg, true)
	}
	s.ended = true
	s.reader.wake()
	s.log.forget(s)
}

// add adds an event. It blocks while the reader is slow. If the memory limit does not permit an answer, it adds an
// error; other messages are added nevertheless, because a missing notification would look like a disconnect, and an
// answer to a batch as well, see [engine.Reservation.Grow]. The caller holds the mutex of the log, as for the
// methods below.
func (s *stream) add(msg []byte, ends bool) {
	l := s.log
	for !s.hasRoom() {
		l.room.Wait()
	}
	isKept := l.memory.Grow(len(msg)+eventCost, admission.Spare) == nil
	if !isKept {
		if err := l.memory.Grow(len(msg)+eventCost, admission.Overdraft); err != nil {
			if id, ok := answerTo(msg); ok {
				msg = noMemory(id, err).message()
			}
			l.memory.Add(len(msg) + eventCost)
		}
	}
	s.last++
	s.kept++
	e := &event{stream: s, number: s.last, msg: bytes.Clone(msg), ends: ends, isBrief: !isKept}
	l.kept = append(l.kept, e)
	l.size += e.size()
	l.trim()
	s.reader.wake()
}

// hasRoom reports whether an event can be added now.
func (s *stream) hasRoom() bool {
	if s.reader == nil || s.ended {
		return true
	}
	pending := 0
	for _, e := range s.unread() {
		if e.number > s.reader.writing {
			pending += e.size()
		}
	}
	return pending <= maxPending
}

// unread returns the kept events that no reader has written.
func (s *stream) unread() (events []*event) {
	for _, e := range s.log.kept {
		if e.stream == s && e.isUnread() {
			events = append(events, e)
		}
	}
	return events
}

// trim drops events that need not be written any more: those beyond the memory limit, and the oldest beyond the limit
// of the log.
func (l *replayLog) trim() {
	spared := l.spared()
	l.kept = slices.DeleteFunc(l.kept, func(e *event) bool {
		s := e.stream
		mustBeWritten := e.isUnread() && (s.reader != nil || s == l.general || e == spared)
		if mustBeWritten || l.size <= l.limit && !e.isBrief {
			return false
		}
		l.size -= e.size()
		l.memory.Add(-e.size())
		s.kept--
		l.forget(s)
		return true
	})
}

// spared returns the event that is kept for a client that resumes even if it is larger than the limit of the log: the
// newest answer that no reader has written, or else the newest event; nil if nothing is kept for such clients.
func (l *replayLog) spared() (newest *event) {
	if l.limit == 0 || len(l.kept) == 0 {
		return nil
	}
	for _, e := range slices.Backward(l.kept) {
		if e.ends && e.isUnread() && !e.isBrief {
			return e
		}
	}
	if newest = l.kept[len(l.kept)-1]; newest.isBrief {
		return nil
	}
	return newest
}

// forget removes a stream that clients can no longer read or resume.
func (l *replayLog) forget(s *stream) {
	if s.reader == nil && s.kept == 0 && s.ended && s != l.general {
		delete(l.streams, s.id)
	}
}

// take returns the next event for r, which has written the previous one; nil if there is none yet. The number of a ping
// is 0. It reports whether no more events follow: the stream has ended, or another reader has replaced r.
func (s *stream) take(r *reader) (e *event, ended bool) {
	l := s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.reader != r {
		return nil, true
	}
	if r.writing > 0 {
		s.written, r.writing = r.writing, 0
		l.trim()
	}
	if unread := s.unread(); len(unread) > 0 {
		r.writing = unread[0].number
		l.room.Broadcast()
		return unread[0], false
	}
	if r.ping != nil {
		e, r.ping = &event{stream: s, msg: r.ping}, nil
		return e, false
	}
	return nil, s.ended
}

// leave detaches r from the stream if it is still the reader.
func (s *stream) leave(r *reader) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if s.reader == r {
		s.detach()
	}
}

// leaveGeneral ends the connection that reads the general stream. Its client must reconnect, and mayStream checks its
// token.
func (l *replayLog) leaveGeneral() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isShared { // then messages have no more scopes than the token of the stream
		l.general.detach()
	}
}

// end ends the general stream if it is not shared, or all streams. Kept events are still written.
func (l *replayLog) end(all bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.streams {
		if all || s == l.general && !l.isShared {
			s.ended = true
			s.reader.wake()
			l.forget(s)
		}
	}
	l.room.Broadcast()
}

// eventID identifies an event of a session. A client that resumes a stream sends the id of the last event that it has
// read.
type eventID struct{ stream, event int }
