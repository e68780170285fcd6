package connection

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
)

// Quick is how long a call may take that is expected to be quick.
const Quick = time.Millisecond

// reading is the reading of one source. One goroutine has the reading: it reads messages and runs the quick calls among
// them. While it runs a slow one, the watch passes the reading to another goroutine.
type reading struct {
	*Connection
	src   engine.Source // used by the goroutine that has the reading
	serve func(text []byte, t *Turn)
	ended chan error // gets the error that src ended with

	// Guarded by mu of the connection.
	running Call        // run by the reader; nil while it reads
	turns   uint64      // number of turns so far
	looked  uint64      // turns at the last check of the watch
	watch   *time.Timer // calls look
	watched bool        // the watch is set
}

// Read passes the messages of src to serve until src ends, and returns the error with which it ended; nil for [io.EOF].
// Serve is called by one goroutine at a time, but not always by the same one.
func (n *Connection) Read(src engine.Source, serve func(text []byte, t *Turn)) error {
	rd := &reading{Connection: n, src: src, serve: serve, ended: make(chan error, 1), watched: true}
	n.mu.Lock()
	rd.watch = time.AfterFunc(Quick, rd.look)
	n.readings = append(n.readings, rd)
	n.mu.Unlock()
	go rd.run()
	err := <-rd.ended
	n.mu.Lock()
	n.readings = slices.DeleteFunc(n.readings, func(other *reading) bool { return other == rd })
	n.mu.Unlock()
	if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// run is the body of a goroutine that has the reading.
func (rd *reading) run() {
	t := &Turn{reading: rd, isHeld: true} // by the goroutine that had the reading before
	defer rd.contain()
	defer t.exited()
	t.more = rd.src.Ready()
	for !t.lost {
		if !t.more && t.isHeld {
			rd.Flush() // before it waits
			t.isHeld = false
		}
		text, err := rd.src.Next()
		if err != nil {
			rd.Flush()
			rd.ended <- err
			return
		}
		t.more = rd.src.Ready()
		t.isServing = true
		rd.serve(text, t)
		t.isServing = false
	}
	rd.settle()
	rd.work(rd.next())
}

// settle delivers the responses that are held back, for a goroutine that has lost the reading.
func (rd *reading) settle() {
	defer contain.Panic(rd.Context, rd.Log, "answers not delivered")
	rd.Unread.Add(1)
	defer rd.Unread.Add(-1)
	rd.flushHeld()
}

// look is the watch: it takes over the reading if the reader is in the same turn as at the last check, and stops
// checking if no turn has begun since. It runs in its own goroutine.
func (rd *reading) look() {
	defer rd.contain()
	rd.mu.Lock()
	slow, moved := rd.running, rd.turns != rd.looked
	rd.looked = rd.turns
	if moved {
		slow = nil
	}
	if slow != nil {
		rd.running = nil
	}
	rd.watched = moved
	rd.mu.Unlock()
	switch {
	case slow != nil:
		slow.Overran()
		rd.src.Detach()
		rd.run()
	case moved:
		rd.watch.Reset(Quick) // first: the client may not be reading
		rd.Flush()            // a response is held back no longer than this
	}
}

// contain ends the reading, instead of the process, if the source or the transport panics.
func (rd *reading) contain() {
	if v := recover(); v != nil {
		rd.recovered(v)
	}
}

// recovered is contain for a func that has recovered v.
func (rd *reading) recovered(v any) {
	rd.Log.LogAttrs(rd.Context, slog.LevelError, "reading ended", slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
	select {
	case rd.ended <- fmt.Errorf("runtime: the transport panicked: %v", v):
	default: // it has already ended
	}
}

// HandOver makes another goroutine continue to read if one reads and runs c, which is about to wait: the answer to a
// question of the call must still be read, and so must messages that release a semaphore.
func (n *Connection) HandOver(c Call) {
	c = c.Outer()
	n.mu.Lock()
	i := slices.IndexFunc(n.readings, func(rd *reading) bool { return rd.running == c })
	if i < 0 {
		n.mu.Unlock()
		return
	}
	rd := n.readings[i]
	rd.running = nil
	n.mu.Unlock()
	defer rd.contain()
	c.Overran()
	rd.src.Detach()
	go rd.run()
}

// Turn is a goroutine that has a reading, or has lost it to another goroutine while it ran a call. It is the
// [engine.Writer] of the messages that it reads, until it reads the next one. It belongs to that goroutine.
type Turn struct {
	engine.NoAsk
	// Message is room for the message of the turn, for the func that serves it.
	Message engine.Message

	reading   *reading
	call      Call // the call that it runs; nil if there is none
	more      bool // another message is ready
	isServing bool // serve of the reading has not returned
	isHeld    bool // a response may be held back
	lost      bool // it has lost the reading
}

// After returns where the messages of a request go that is not answered in the turn.
func (t *Turn) After() engine.Writer { return t.reading.Out }

// Notify implements [engine.Writer].
func (t *Turn) Notify(msg []byte) error { return t.reading.Out.Notify(msg) }

// Respond implements [engine.Writer]. If another message is ready, the response is held back until the next one.
func (t *Turn) Respond(msg []byte, end engine.End) error {
	n := t.reading.Connection
	if msg == nil {
		end.Wrote()
		return nil
	}
	end.More = t.more || t.call == nil // for a goroutine that runs no call, Flush writes it
	err := n.Out.Respond(msg, end)
	t.isHeld = true
	switch {
	case t.more:
		return err
	case t.call == nil:
		n.Flush()
	case err != nil:
		return err // earlier responses may still be held back
	}
	t.isHeld = false // unless the transport has panicked
	return err
}

// Run runs c, whose messages are sent to the Turn, and reports whether it did: not if no more calls may run now.
func (t *Turn) Run(c Call) (hasRun bool, err error) {
	rd := t.reading
	n, q := rd.Connection, &rd.queue
	n.mu.Lock()
	if q.running >= n.MaxRunning {
		n.mu.Unlock()
		return false, nil
	}
	if n.isClosing || !n.requests.AddTurn(c) {
		if err := n.add(c.Key(), c); err != nil {
			n.mu.Unlock()
			return false, err
		}
	}
	q.running++
	rd.running, t.call = c, c
	rd.turns++
	if !rd.watched {
		rd.watched = true
		rd.watch.Reset(Quick)
	}
	n.mu.Unlock()

	c.Run(time.Time{})
	t.end()
	return true, nil
}

// end ends the turn of the call.
func (t *Turn) end() {
	rd := t.reading
	t.call.Leave()
	rd.mu.Lock()
	var next Call
	t.lost = rd.running != t.call
	if !t.lost { // otherwise this goroutine continues as one that runs calls
		rd.running = nil
		next = rd.nextLocked()
	}
	rd.mu.Unlock()
	t.call = nil
	if next != nil {
		go rd.work(next)
	}
}

// exited cleans up after a func of the program that has ended the goroutine (runtime.Goexit): a tool, whose call it
// answers, or an observer or condition, whose message may stay without a response.
func (t *Turn) exited() {
	rd, v := t.reading, recover()
	if v != nil {
		rd.recovered(v)
	}
	switch {
	case t.call != nil:
		t.call.Exited()
		t.end()
	case v != nil, !t.isServing:
		return
	default:
		rd.Log.LogAttrs(rd.Context, slog.LevelError, "the serving of a message ended early, because a func has called runtime.Goexit")
	}
	if !t.lost {
		go rd.run()
		return
	}
	rd.settle()
	if next := rd.next(); next != nil {
		go rd.work(next)
	}
}
