package stdio

import (
	"context"
	"errors"
	"io"
	goruntime "runtime"
	"sync"
	"time"
)

const (
	// maxPending is how much may wait for a client that reads slowly. Beyond it
	// senders wait too, their calls keep their places, and reading stops: memory
	// is bounded by the calls in flight.
	maxPending = 1 << 20
	// largeMessage is not worth copying to share a write with others.
	largeMessage = 64 << 10
	// keepPending is the largest buffer kept for the next messages.
	keepPending = 4 * largeMessage
)

// errClosed is what a sender gets after the end of the session.
var errClosed = errors.New("stdio: the session has ended")

// writer puts messages on the stream, one per line and never torn. There is no
// goroutine of its own: a sender that finds nobody writing writes at once, and
// goes on as long as others have added to the pending messages meanwhile. So a
// lone answer is not delayed by a wake-up, and a crowd shares one write.
type writer struct {
	dst    io.Writer
	failed chan struct{} // closed at the first error

	mu      sync.Mutex
	changed sync.Cond // some of the fields below did
	pending []byte    // whole messages, each with its newline, that were posted or came while somebody was writing
	spare   []byte    // the buffer not in use, empty
	writing bool      // somebody is in dst.Write, or about to be
	writes  int       // calls of dst.Write that have returned
	err     error

	// How many messages are not written.
	kept    int // in pending, or written in part
	leaving int // in the batch that is being written
	waiting int // whose senders wait for room
}

func newWriter(dst io.Writer) *writer {
	w := &writer{dst: dst, failed: make(chan struct{})}
	w.changed.L = &w.mu
	return w
}

// Send implements [runtime.Outbox]. It returns when the message is written or
// kept to be written by another sender.
func (w *writer) Send(msg []byte) error { return w.SendPieces(msg) }

// SendPieces implements [runtime.Outbox].
func (w *writer) SendPieces(pieces ...[]byte) error { return w.send(pieces, true) }

// send implements SendPieces. If it is told to, it lets others share the write.
func (w *writer) send(pieces [][]byte, shares bool) error {
	size := 0
	for _, p := range pieces {
		size += len(p)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting++
	for w.err == nil && len(w.pending) >= maxPending {
		w.changed.Wait()
	}
	w.waiting--
	if w.err != nil {
		return w.err
	}
	if !w.writing && size >= largeMessage {
		if err := w.flush(); err != nil { // what was posted comes before it
			return err
		}
		return w.sendLarge(pieces)
	}
	for _, p := range pieces {
		w.pending = append(w.pending, p...)
	}
	w.pending = append(w.pending, '\n')
	w.kept++
	if w.writing {
		return nil
	}
	if shares {
		w.yield()
	}
	return w.flush()
}

// Post implements [runtime.Outbox].
func (w *writer) Post(msg []byte) error {
	w.mu.Lock()
	if w.err != nil || len(w.pending)+len(msg) >= largeMessage {
		w.mu.Unlock()
		return w.send([][]byte{msg}, false) // enough shares this write
	}
	w.pending = append(w.pending, msg...)
	w.pending = append(w.pending, '\n')
	w.kept++
	w.mu.Unlock()
	return nil
}

// Backlog implements [runtime.Outbox].
func (w *writer) Backlog() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.kept + w.leaving + w.waiting
}

// Flush implements [runtime.Outbox].
func (w *writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.writing {
		return w.err
	}
	return w.flush()
}

// sendLarge writes a message, given in pieces, without copying it. Its newline is put in front
// of whatever others send meanwhile.
func (w *writer) sendLarge(pieces [][]byte) error {
	w.pending = append(w.pending, '\n')
	w.kept++
	for _, p := range pieces {
		if w.err == nil {
			w.write(p)
		}
	}
	return w.flush()
}

// yield lets others that are about to send do so first and share the write. It takes some microseconds, as it wakes up
// another thread.
func (w *writer) yield() {
	w.writing = true
	w.mu.Unlock()
	goruntime.Gosched()
	w.mu.Lock()
	w.writing = false
}

// flush writes until nothing is pending. The caller holds the lock, and nobody
// is writing.
func (w *writer) flush() error {
	for w.err == nil && len(w.pending) > 0 {
		batch := w.pending
		w.pending, w.spare = w.spare, nil
		w.leaving, w.kept = w.kept, 0
		w.write(batch)
		w.leaving = 0
		if cap(batch) <= keepPending {
			w.spare = batch[:0]
		}
	}
	return w.err
}

// write makes one call of Write, without the lock.
func (w *writer) write(batch []byte) {
	w.writing = true
	w.changed.Broadcast() // less is pending
	w.mu.Unlock()
	n, err := w.dst.Write(batch)
	if err == nil && n < len(batch) {
		err = io.ErrShortWrite
	}
	w.mu.Lock()
	w.writing = false
	w.writes++
	if err != nil {
		w.fail(err)
	}
	w.changed.Broadcast()
}

// stalled waits until one call of Write has taken a time, and reports whether that was before ctx ended.
func (w *writer) stalled(ctx context.Context, most time.Duration) bool {
	const step = 50 * time.Millisecond
	ticker := time.NewTicker(step)
	defer ticker.Stop()
	var took time.Duration
	for last := -1; ; {
		w.mu.Lock()
		writing, writes := w.writing, w.writes
		w.mu.Unlock()
		if !writing || writes != last {
			last, took = writes, 0
		} else if took += step; took >= most {
			return true
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return false
		}
	}
}

// fail ends the writer: every sender, present and future, gets err. The caller
// holds the lock.
func (w *writer) fail(err error) {
	if w.err != nil {
		return
	}
	w.err = err
	w.pending, w.spare = nil, nil
	close(w.failed)
	w.changed.Broadcast()
}

// close waits until everything sent is written, or ctx ends, and returns the
// error that ended writing, if one did. Nothing can be sent afterwards.
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
