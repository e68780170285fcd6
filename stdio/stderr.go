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
	pending []byte        // records that wait for the current write
	written chan struct{} // closed when the pending records are written
	size    int           // of the pending records and of the current write, in bytes
	dropped int           // number of records that were dropped since the last report
	running bool          // run has not ended
	behind  bool          // a record was not written in time, and run has not ended since
}

// Write implements [io.Writer]. The error is always nil.
func (p *patientWriter) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.size > 0 && p.size+len(b) > maxKept {
		if p.behind {
			p.dropped++
			return len(b), nil
		}
		p.await(patience)
	}
	p.pending = append(p.pending, b...)
	p.size += len(b)
	if !p.running {
		p.running, p.written = true, make(chan struct{})
		go p.run()
	}
	if !p.behind {
		p.await(patience)
	}
	return len(b), nil
}

// await waits until the pending records are written, for at most this duration. The caller holds p.mu, which await
// releases meanwhile.
func (p *patientWriter) await(most time.Duration) {
	written := p.written
	p.mu.Unlock()
	select {
	case <-written:
		p.mu.Lock()
	case <-time.After(most):
		p.mu.Lock()
		p.behind = p.running
	}
}

// run writes the pending records, and returns when there are none.
func (p *patientWriter) run() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.pending) > 0 || p.dropped > 0 {
		if p.dropped > 0 {
			report := fmt.Sprintf("%d log records dropped: standard error was not read\n", p.dropped)
			p.pending, p.size, p.dropped = append(p.pending, report...), p.size+len(report), 0
		}
		batch, written := p.pending, p.written
		p.pending, p.written = nil, make(chan struct{})
		p.mu.Unlock()
		_, _ = p.w.Write(batch) // an error cannot be reported anywhere
		p.mu.Lock()
		p.size -= len(batch)
		close(written)
	}
	close(p.written) // nothing waits to be written
	p.running, p.behind = false, false
}

// flush waits until everything is written, for at most this duration.
func (p *patientWriter) flush(most time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running {
		p.await(most)
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
