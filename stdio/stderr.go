package stdio

import (
	"fmt"
	"io"
	"log"
	"os"
	"sync"
	"time"
)

// Stderr is standard error, for loggers: clients pipe it, some never read it, and a write to a full pipe blocks. A
// write to Stderr waits for at most 200 ms, and later writes do not wait until the pipe is read. Meanwhile up to 1 MiB
// is kept; further writes are dropped, and a line reports how many when it is read. Each write should be one record or
// line, as [log.Logger] and the handlers of [log/slog] make them. Stderr is safe for concurrent use.
//
//	logger := slog.New(slog.NewJSONHandler(stdio.Stderr, nil))
//
// [Serve] also makes Stderr the output of package log, and so of [log/slog.Default], if that is the standard error that
// the program has started with; when Serve returns, it is so again.
var Stderr io.Writer = stderr

var stderr = &patientWriter{w: os.Stderr}

const (
	// patience is how long a write waits. It takes less, unless the pipe is full.
	patience = 200 * time.Millisecond
	// maxKept bounds what is kept while the pipe is full, in bytes.
	maxKept = 1 << 20
)

// patientWriter is a writer to w whose Write returns in time. The zero value with a w is ready to use.
type patientWriter struct {
	w io.Writer

	mu      sync.Mutex
	queue   []queued
	size    int           // of the queue, in bytes
	dropped int           // number of writes that were dropped since the last report
	behind  bool          // a write was not done in time, and the queue has not been empty since
	empty   chan struct{} // closed when the queue is empty; nil if it is
	next    chan struct{} // closed when the current write is done
}

type queued struct {
	text    []byte
	written chan struct{}
}

// Write implements [io.Writer]. The error is always nil.
func (p *patientWriter) Write(b []byte) (int, error) {
	p.mu.Lock()
	for p.size+len(b) > maxKept && p.size > 0 {
		if p.behind || !p.awaitNext() {
			p.behind = p.empty != nil
			p.dropped++
			p.mu.Unlock()
			return len(b), nil
		}
	}
	q, waits := queued{append([]byte(nil), b...), make(chan struct{})}, !p.behind
	p.queue = append(p.queue, q)
	p.size += len(b)
	if p.empty == nil {
		p.empty, p.next = make(chan struct{}), q.written
		go p.run()
	}
	p.mu.Unlock()
	if waits && !closesWithin(q.written, patience) {
		p.mu.Lock()
		p.behind = p.empty != nil
		p.mu.Unlock()
	}
	return len(b), nil
}

// awaitNext waits until the next write is done, and reports whether that was in time. The caller holds p.mu, which
// awaitNext releases meanwhile.
func (p *patientWriter) awaitNext() bool {
	next := p.next
	p.mu.Unlock()
	defer p.mu.Lock()
	return closesWithin(next, patience)
}

// run writes the queue, and returns when it is empty.
func (p *patientWriter) run() {
	for {
		p.mu.Lock()
		if len(p.queue) == 0 && p.dropped > 0 {
			report := fmt.Appendf(nil, "%d log records dropped: nobody read standard error\n", p.dropped)
			p.queue, p.dropped = append(p.queue, queued{report, make(chan struct{})}), 0
			p.size += len(report)
		}
		if len(p.queue) == 0 {
			close(p.empty)
			p.queue, p.empty, p.behind = nil, nil, false
			p.mu.Unlock()
			return
		}
		q := p.queue[0]
		p.queue, p.next = p.queue[1:], q.written
		p.mu.Unlock()
		_, _ = p.w.Write(q.text) // an error cannot be reported anywhere
		p.mu.Lock()
		p.size -= len(q.text)
		p.mu.Unlock()
		close(q.written)
	}
}

// flush waits until everything is written, for at most this duration.
func (p *patientWriter) flush(most time.Duration) {
	p.mu.Lock()
	empty := p.empty
	p.mu.Unlock()
	if empty != nil {
		closesWithin(empty, most)
	}
}

// closesWithin waits until done is closed, for at most this duration, and reports whether it was closed.
func closesWithin(done <-chan struct{}, most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// unblockLog makes [Stderr] the output of package log, if that is standard error, until restore is called.
func unblockLog() (restore func()) {
	isDefault := log.Writer() == stderr.w
	if isDefault {
		log.SetOutput(stderr)
	}
	return func() {
		if isDefault && log.Writer() == io.Writer(stderr) {
			log.SetOutput(stderr.w)
		}
		stderr.flush(lastWrite)
	}
}
