package client

import (
	"os"
	"sync"
	"time"
)

// A writeQueue writes messages to a pipe, one per line, without blocking the sender: a server that does not read must
// not prevent a caller from giving up. Messages queued during a write go out in one write.
type writeQueue struct {
	pipe   *os.File
	mu     sync.Mutex
	wake   sync.Cond // of mu
	queue  []byte
	closed bool
	done   chan struct{} // closed when the writer has ended and the pipe is closed
}

func newWriteQueue(pipe *os.File) *writeQueue {
	o := &writeQueue{pipe: pipe, done: make(chan struct{})}
	o.wake.L = &o.mu
	go o.write()
	return o
}

// put queues a message. After close it does nothing.
func (o *writeQueue) put(message []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.queue = append(append(o.queue, message...), '\n')
		o.wake.Signal()
	}
}

// close ends the writer after all queued messages are written, or after grace.
func (o *writeQueue) close(grace time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	_ = o.pipe.SetWriteDeadline(time.Now().Add(grace)) // an error means that the pipe is already closed
	o.wake.Signal()
}

func (o *writeQueue) write() {
	defer close(o.done)
	defer func() { _ = o.pipe.Close() }()
	var batch []byte
	for ended := false; !ended; {
		o.mu.Lock()
		for len(o.queue) == 0 && !o.closed {
			o.wake.Wait()
		}
		if cap(batch) > 1<<20 {
			batch = nil
		}
		batch, o.queue, ended = o.queue, batch[:0], o.closed
		o.mu.Unlock()
		if _, err := o.pipe.Write(batch); err != nil { // the reading side reports the closed pipe
			o.mu.Lock()
			o.closed, ended = true, true
			o.mu.Unlock()
		}
	}
}
