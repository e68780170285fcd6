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
	// maxPending is the size of the pending messages, in bytes, from which on
	// senders wait. Their calls then continue to count as running, and reading
	// stops, so memory is bounded by the calls in flight even if the client reads
	// slowly.
	maxPending = 1 << 20
	// largeMessage is the size in bytes from which on a message is written
	// directly, because copying it costs more than a separate write.
	largeMessage = 64 << 10
	// keepPending is the largest buffer kept for the next messages, in bytes.
	keepPending = 4 * largeMessage
)

// errClosed is the error of Send after the end of the session.
var errClosed = errors.New("stdio: the session has ended")

// writer writes messages to a stream, one per line and never interleaved. It
// has no goroutine: a sender writes its message itself unless another sender
// is writing, and continues as long as others have added pending messages. So
// a single answer is not delayed by waking up a goroutine, and messages that
// are sent at the same time share a write.
type writer struct {
	dst    io.Writer
	failed chan struct{} // closed at the first error

	mu      sync.Mutex
	changed sync.Cond // signals changes of the fields below
	pending []byte    // complete messages with newlines that were posted, or sent during a write
	spare   []byte    // the unused buffer, empty
	writing bool      // a sender is in dst.Write, or about to call it
	writes  int       // number of calls of dst.Write that have returned
	err     error

	// The numbers of messages that were not written yet.
	kept    int // in pending, including one that is partly written
	leaving int // in the batch that is being written
	waiting int // whose senders wait for room in pending
}

func newWriter(dst io.Writer) *writer {
	w := &writer{dst: dst, failed: make(chan struct{})}
	w.changed.L = &w.mu
	return w
}

// Send implements [runtime.Outbox]. It returns when the message was written,
// or was added to the pending messages, which another sender writes.
func (w *writer) Send(msg []byte) error { return w.SendPieces(msg) }

// SendPieces implements [runtime.Outbox].
func (w *writer) SendPieces(pieces ...[]byte) error { return w.send(pieces, true) }

// send implements SendPieces. If shares is true, it yields before a write so that others can share it.
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
		if err := w.flush(); err != nil { // posted messages come first
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
		return w.send([][]byte{msg}, false) // there is enough to write already
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

// sendLarge writes a message, given in pieces, without copying it. Its newline is added to
// pending first, so that it precedes messages that others send meanwhile.
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

// yield lets other goroutines that are about to send add their messages first, so that they share the write. It takes
// some microseconds, because it may wake up another thread.
func (w *writer) yield() {
	w.writing = true
	w.mu.Unlock()
	goruntime.Gosched()
	w.mu.Lock()
	w.writing = false
}

// flush writes until nothing is pending. The caller holds the lock, and no
// sender may be writing.
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

// write calls dst.Write once, with the lock released. The caller holds the
// lock.
func (w *writer) write(batch []byte) {
	w.writing = true
	w.changed.Broadcast() // pending has become shorter
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

// stalled waits until a single call of dst.Write has lasted for the duration most. It reports false if ctx ended
// before.
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

// fail ends the writer: all current and future senders get err. The caller
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

// close waits until all messages that were sent are written, or ctx ends, and
// returns the error that ended the writer, if any. Later calls of Send return
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
