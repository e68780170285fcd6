package client

import (
	"os"
	"sync"
	"time"
)

// A writeQueue writes messages to a pipe, each as a line, without anybody waiting for it: a
// server that does not read must not keep us from giving up. What is put while it writes goes
// out in one piece.
type writeQueue struct {
	pipe   *os.File
	mu     sync.Mutex
	queue  []byte
	closed bool
	wake   chan struct{} // has room for one
	done   chan struct{} // closed when the writer has ended, and the pipe is closed
}

func newWriteQueue(pipe *os.File) *writeQueue {
	o := &writeQueue{pipe: pipe, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go o.write()
	return o
}

// put adds a message. After close it does nothing.
func (o *writeQueue) put(message []byte) {
	o.mu.Lock()
	if !o.closed {
		o.queue = append(append(o.queue, message...), '\n')
	}
	o.mu.Unlock()
	o.nudge()
}

// close lets the writer end when everything is written, or after grace.
func (o *writeQueue) close(grace time.Duration) {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	_ = o.pipe.SetWriteDeadline(time.Now().Add(grace)) // or what is written has gone already
	o.nudge()
}

func (o *writeQueue) nudge() {
	select {
	case o.wake <- struct{}{}:
	default: // it will look anyway
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
			o.closed = true // its reader is gone, which the other direction tells
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
