package process

import (
	"os"
	"sync"
	"time"
)

// A WriteQueue writes messages to a pipe, one per line, without blocking the sender: a server that does not read must
// not prevent a caller from giving up. Messages queued during a write go out in one write.
type WriteQueue struct {
	pipe   *os.File
	mu     sync.Mutex
	wake   sync.Cond // of mu
	queue  []byte
	busy   bool // a batch is being written
	closed bool
	done   chan struct{}
}

// NewWriteQueue returns a queue that owns pipe.
func NewWriteQueue(pipe *os.File) *WriteQueue {
	o := &WriteQueue{pipe: pipe, done: make(chan struct{})}
	o.wake.L = &o.mu
	go o.write()
	return o
}

// pipeSize is how much an empty pipe takes on every system without blocking, in bytes.
const pipeSize = 4 << 10

// Put queues a message. After Close it does nothing. If the server has read all earlier messages, the pipe is empty, and
// Put writes a short message itself, which saves the time to wake the writer.
func (o *WriteQueue) Put(message []byte, isRead bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	o.queue = append(append(o.queue, message...), '\n')
	if isRead && !o.busy && len(o.queue) <= pipeSize {
		_ = o.pipe.SetWriteDeadline(time.Now().Add(Grace)) // a server can answer what it has not read
		_, err := o.pipe.Write(o.queue)
		_ = o.pipe.SetWriteDeadline(time.Time{})
		o.queue, o.closed = o.queue[:0], err != nil // the reading side reports a closed pipe
	}
	o.wake.Signal()
}

// Close ends the writer after all queued messages are written, or after grace.
func (o *WriteQueue) Close(grace time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	_ = o.pipe.SetWriteDeadline(time.Now().Add(grace)) // an error means that the pipe is already closed
	o.wake.Signal()
}

// Done is closed when the writer has ended and the pipe is closed.
func (o *WriteQueue) Done() <-chan struct{} { return o.done }

// Write writes complete lines past the queue. It may block until the process reads, or until Close.
func (o *WriteQueue) Write(lines []byte) (int, error) { return o.pipe.Write(lines) }

func (o *WriteQueue) write() {
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
		batch, o.queue, ended, o.busy = o.queue, batch[:0], o.closed, true
		o.mu.Unlock()
		_, err := o.pipe.Write(batch)
		o.mu.Lock()
		if o.busy = false; err != nil { // the reading side reports the closed pipe
			o.closed, ended = true, true
		}
		o.mu.Unlock()
	}
}
