package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	"github.com/mcptool-go/mcptool/internal/engine"
)

const (
	// maxPending is the size of the pending messages, in bytes, from which on
	// senders wait. Their calls then continue to count as running, and reading
	// stops, so memory is bounded by the calls in flight even if the client reads
	// slowly.
	maxPending = 1 << 20
	// maxPosted is the size in bytes from which on responses are not held back.
	maxPosted = 64 << 10
	// keepPending is the largest buffer kept for the next messages, in bytes.
	keepPending = 4 * maxPosted
)

// errClosed is the error of Notify after the end of the session.
var errClosed = errors.New("stdio: the session has ended")

// writer writes messages to a stream, one per line and never interleaved. It
// has no goroutine: a sender writes its message itself unless another sender
// is writing, and continues as long as others have added pending messages. So
// a single answer is not delayed by waking up a goroutine, and messages that
// are sent at the same time share a write.
type writer struct {
	engine.NoAsk
	dst io.Writer

	mu      sync.Mutex
	changed sync.Cond // signals changes of the fields below
	pending []byte    // complete messages with newlines that were held back, or sent during a write
	spare   []byte    // the unused buffer, empty
	writing bool      // a sender is in flush
	err     error
}

func newWriter(dst io.Writer) *writer {
	w := &writer{dst: dst}
	w.changed.L = &w.mu
	return w
}

// Notify implements [engine.Writer]. It returns when the message was written,
// or was added to the pending messages, which another sender writes.
func (w *writer) Notify(msg []byte) error { return w.send(msg, false) }

// Respond implements [engine.Writer]. If more responses follow, the response is
// written with the next message, or by Flush.
func (w *writer) Respond(msg []byte, end engine.End) error {
	defer end.Wrote()
	if msg == nil {
		return nil
	}
	return w.send(msg, end.More)
}

// send adds a pending message, and writes it, unless it may be written later and not too much is held back.
func (w *writer) send(msg []byte, later bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.err == nil && len(w.pending) >= maxPending {
		w.changed.Wait()
	}
	if w.err != nil {
		return w.err
	}
	w.pending = append(append(w.pending, msg...), '\n')
	if later && len(w.pending) <= maxPosted {
		return nil
	}
	return w.flush()
}

// Probe implements [engine.Conn].
func (*writer) Probe([]byte) (reached func() bool, err error) { return nil, engine.ErrNoProbe }

// Flush implements [engine.Conn].
func (w *writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flush()
}

// flush writes until nothing is pending, unless another sender already does. The caller holds the lock, which flush
// releases while it writes.
func (w *writer) flush() error {
	if w.writing {
		return w.err
	}
	w.writing = true
	defer func() {
		w.writing = false
		w.changed.Broadcast()
	}()
	for w.err == nil && len(w.pending) > 0 {
		batch := w.pending
		w.pending, w.spare = w.spare, nil
		w.changed.Broadcast()
		if w.write(batch); w.err == nil && cap(batch) <= keepPending {
			w.spare = batch[:0]
		}
	}
	return w.err
}

// write writes a batch without the lock, which the caller holds. An error ends the writer, and so does a stream of the
// program that panics or ends the goroutine.
func (w *writer) write(batch []byte) {
	w.mu.Unlock()
	err := errors.New("the stream has called runtime.Goexit")
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the stream panicked: %v\n%s", v, debug.Stack())
		}
		w.mu.Lock()
		if err != nil {
			w.fail(err)
		}
	}()
	var n int
	if n, err = w.dst.Write(batch); err == nil && n < len(batch) {
		err = io.ErrShortWrite
	}
}

// fail ends the writer: all current and future senders get err. The caller
// holds the lock.
func (w *writer) fail(err error) {
	if w.err != nil {
		return
	}
	w.err = err
	w.pending, w.spare = nil, nil
	w.changed.Broadcast()
}

// close waits until all messages that were sent are written, or ctx ends, and
// returns the error that ended the writer, if any. Later calls of Notify return
// errClosed.
func (w *writer) close(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.changed.Broadcast()
	})()
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.err == nil && ctx.Err() == nil && w.writing {
		w.changed.Wait()
	}
	err := w.err
	w.fail(errClosed)
	return err
}
