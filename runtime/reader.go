package runtime

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
)

// ReceiveFrom implements [engine.Session].
func (s *session) ReceiveFrom(src engine.Source) error {
	r := &reading{session: s, src: src, ended: make(chan error, 1), watched: true}
	s.mu.Lock()
	r.watch = time.AfterFunc(watchInterval, r.look)
	s.readings = append(s.readings, r)
	s.mu.Unlock()
	go r.run()
	err := <-r.ended
	s.mu.Lock()
	s.readings = slices.DeleteFunc(s.readings, func(rd *reading) bool { return rd == r })
	s.mu.Unlock()
	if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// watchInterval is the interval at which the watch checks the call of a reader. A call that was already running at the
// last check is slow.
const watchInterval = quick

// reading is the reading of one source. One goroutine has the reading: it reads messages and runs the quick calls among
// them. While it runs a slow one, the watch passes the reading to another goroutine.
type reading struct {
	session *session
	src     engine.Source // used by the goroutine that has the reading
	ended   chan error    // gets the error that src ended with

	// Guarded by session.mu.
	running *call       // run by the reader; nil while it reads
	turns   uint64      // number of turns so far
	looked  uint64      // turns at the last check of the watch
	watch   *time.Timer // calls look
	watched bool        // the watch is set
}

// overran is called when a call that a reader runs takes long, and another goroutine continues to read.
func (c *call) overran() {
	if !c.out.IsSending() { // otherwise the client reads slowly
		c.pace.took(quick)
	}
}

// run is the body of a goroutine that has the reading.
func (rd *reading) run() {
	r := &reader{reading: rd, session: rd.session, posted: true} // by the goroutine that had the reading before
	defer rd.contain()
	defer r.exited()
	r.more = rd.src.Ready()
	for !r.lost {
		if !r.more && r.posted {
			rd.session.flush() // before it waits
			r.posted = false
		}
		text, err := rd.src.Next()
		if err != nil {
			rd.session.flush()
			rd.ended <- err
			return
		}
		r.more = rd.src.Ready()
		readMessage(&r.message, text, &rd.session.limits)
		if r.message.IsBatch {
			rd.session.take(&r.message, rd.session.route())
		} else {
			rd.session.take(&r.message, route{to: r, turn: r, isShared: true})
		}
	}
	rd.settle()
	rd.session.calls.work(rd.session.calls.next())
}

// settle makes the transport deliver posted messages, for a goroutine that has lost the reading.
func (rd *reading) settle() {
	defer contain.Panic(rd.session.ctx, rd.session.log, "answers not delivered")
	rd.session.unread.Add(1)
	defer rd.session.unread.Add(-1)
	rd.session.flushPosted()
}

// look is the watch: it takes over the reading if the reader is in the same turn as at the last check, and stops
// checking if no turn has begun since. It runs in its own goroutine.
func (rd *reading) look() {
	defer rd.contain()
	s := rd.session
	s.mu.Lock()
	slow, moved := rd.running, rd.turns != rd.looked
	rd.looked = rd.turns
	if moved {
		slow = nil
	}
	if slow != nil {
		rd.running = nil
	}
	rd.watched = moved
	s.mu.Unlock()
	switch {
	case slow != nil:
		slow.overran()
		rd.src.Detach()
		rd.run()
	case moved:
		rd.watch.Reset(watchInterval) // first: the client may not be reading
		s.flush()                     // a posted answer waits no longer than this
	}
}

// contain ends the reading, instead of the process, if the source or the connection panics.
func (rd *reading) contain() {
	v := recover()
	if v == nil {
		return
	}
	rd.session.log.LogAttrs(rd.session.ctx, slog.LevelError, "reading ended", slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
	select {
	case rd.ended <- fmt.Errorf("runtime: the transport panicked: %v", v):
	default: // it has already ended
	}
}

// handOver makes another goroutine continue to read if a reader runs c, which is about to wait: the answer to the call's
// request must still be read, and so must messages that release a semaphore.
func (s *session) handOver(c *call) {
	if outer := c.extras().within; outer != nil {
		c = outer
	}
	s.mu.Lock()
	i := slices.IndexFunc(s.readings, func(rd *reading) bool { return rd.running == c })
	if i < 0 {
		s.mu.Unlock()
		return
	}
	rd := s.readings[i]
	rd.running = nil
	s.mu.Unlock()
	defer rd.contain()
	c.overran()
	rd.src.Detach()
	go rd.run()
}

// reader is a goroutine that has a reading, or has lost it to another goroutine while it ran a call. It is the
// [engine.Writer] of the messages in its turn.
type reader struct {
	engine.NoAsk
	reading *reading
	session *session
	message engine.Message // the message that it has read last
	call    *call          // the call that it runs
	more    bool           // another message is ready
	posted  bool           // an answer was posted and may be held back
	lost    bool           // it has lost the reading
}

// Notify implements [engine.Writer].
func (r *reader) Notify(msg []byte) error { return r.session.out.Notify(msg) }

// Respond implements [engine.Writer]. If the next message is ready, the response is held back until the next one.
func (r *reader) Respond(msg []byte, end engine.End) error {
	if msg == nil {
		end.Wrote()
		return nil
	}
	end.More = true
	err := r.session.out.Respond(msg, end)
	r.posted = true
	switch {
	case err != nil:
	case r.more:
		return nil
	case r.call != nil:
		err = r.session.out.Flush()
	default:
		r.session.flush()
	}
	r.posted = false // unless the transport has panicked
	return err
}

// after implements [turn].
func (r *reader) after() route { return r.session.route() }

// run implements [turn].
func (r *reader) run(c *call) *wireError {
	s := r.session
	s.mu.Lock()
	if s.calls.running >= s.limits.MaxConcurrentCalls {
		s.mu.Unlock()
		c.out.To(s.out)
		return s.calls.admit(c)
	}
	c.out.To(r)
	if s.closing || !s.requests.AddTurn(c) {
		if err := s.enroll(envelope.Key(c.id), c); err != nil {
			s.mu.Unlock()
			return err
		}
	}
	s.calls.running++
	rd := r.reading
	rd.running = c
	rd.turns++
	if !rd.watched {
		rd.watched = true
		rd.watch.Reset(watchInterval)
	}
	s.mu.Unlock()

	r.call = c
	c.run(time.Time{})
	r.end()
	return nil
}

// end ends the turn of the call.
func (r *reader) end() {
	s := r.session
	s.inFlight.leave(r.call)
	s.mu.Lock()
	var next *call
	r.lost = r.reading.running != r.call
	if !r.lost { // otherwise this goroutine continues as one that runs calls
		r.reading.running = nil
		next = s.calls.nextLocked()
	}
	s.mu.Unlock()
	r.call = nil
	if next != nil {
		go s.calls.work(next)
	}
}

// exited cleans up after a tool that has called runtime.Goexit.
func (r *reader) exited() {
	if r.call == nil {
		return
	}
	r.call.fail(errGoexit)
	r.end()
	if !r.lost {
		go r.reading.run()
		return
	}
	r.reading.settle()
	if next := r.session.calls.next(); next != nil {
		go r.session.calls.work(next)
	}
}
