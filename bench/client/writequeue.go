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
	queue  []byte
	closed bool
	wake   chan struct{} // buffered, capacity 1
	done   chan struct{} // closed when the writer has ended and the pipe is closed
}

func newWriteQueue(pipe *os.File) *writeQueue {
	o := &writeQueue{pipe: pipe, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go o.write()
	return o
}

// put queues a message. After close it does nothing.
func (o *writeQueue) put(message []byte) {
	o.mu.Lock()
	if !o.closed {
		o.queue = append(append(o.queue, message...), '\n')
	}
	o.mu.Unlock()
	o.nudge()
}

// close ends the writer after all queued messages are written, or after grace.
func (o *writeQueue) close(grace time.Duration) {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	_ = o.pipe.SetWriteDeadline(time.Now().Add(grace)) // an error means that the pipe is already closed
	o.nudge()
}

func (o *writeQueue) nudge() {
	select {
	case o.wake <- struct{}{}:
	default: // a wake-up is pending
	}
}

func (o *writeQueue) write() {
	defer close(o.done)
	defer func() { _ = o.pipe.Close() }()
	var spare []byte
	for range o.wake {
		o.mu.Lock()
		batch, closed := o.queue, o.closed
		o.queue = spare[:0]
		o.mu.Unlock()
		if _, err := o.pipe.Write(batch); err != nil {
			o.mu.Lock()
			o.closed = true // the reading side reports the closed pipe
			o.mu.Unlock()
			return
		}
		if closed {
			return
		}
		if spare = batch; cap(spare) > 1<<20 {
			spare = nil
		}
	}
}
