package load

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// A Wire is one stream to a server and one back, on which many calls are under way at once.
type Wire interface {
	// Write sends whole lines. It may block until the server reads.
	Write(lines []byte) error
	// Tap has each line from the server passed to tap, from one goroutine, which is the one that reads:
	// when it blocks, nothing is read. The line is valid until tap returns; last says that no other
	// complete line is there yet. A line that tap returns false for goes where it would go without. A nil
	// tap ends it, and waits for a call that runs.
	Tap(tap func(line []byte, last bool) bool)
	// Dead is closed when the server has closed its output.
	Dead() <-chan struct{}
}

// A Request appends the call with an id to dst, as one JSON-RPC message without an end of
// line.
type Request func(dst []byte, id int64) []byte

// firstID is where the ids of calls begin: above those that the client gives to requests of its own, all of
// the same length, and small enough for servers that read 32 bits, for some hundreds of millions of calls.
const firstID = 1_500_000_000

// A Pipe loads a server over one stream. It is not safe for concurrent use.
type Pipe struct {
	// Wire is the stream.
	Wire Wire
	// Timeout is the time after which a call without an answer has failed; 0 means 30 s.
	Timeout time.Duration

	begun int64 // ids that were used: an answer that comes too late must not be taken for that of a later load
}

// Closed is the function [Closed] over one stream: it keeps a number of calls in flight, and writes the
// calls that follow on those answered together, in one write. So do clients that have much to ask, and
// so a server pays for the calls and not for being woken for each: with a write per call, the measuring
// alone would cost a server of this framework more than the calls.
func (p *Pipe) Closed(ctx context.Context, l Load, request Request) *Tally {
	l.Concurrency = max(l.Concurrency, 1)
	begin := time.Now()
	r := &pipeline{
		ctx: ctx, wire: p.Wire, request: request, counter: newCounter(l, begin),
		open: make(map[int64]time.Time, l.Concurrency), firstID: firstID + p.begun, fresh: true, done: make(chan struct{}),
	}
	r.nextID = r.firstID
	// As long as all that is in flight fits into the pipe, a write does not block for longer than the
	// server takes to read, and the goroutine that reads may do it. Pipes have 64 KiB on Linux.
	const fits = 32 << 10
	r.inline = (len(request(nil, firstID))+1)*l.Concurrency <= fits
	p.Wire.Tap(r.hear)
	defer p.Wire.Tap(nil)
	stop := r.startWriter()
	defer stop()
	r.fill(l.Concurrency, begin)
	r.wait(cmp.Or(p.Timeout, 30*time.Second))
	p.begun = r.nextID - firstID
	return r.counter.close(begin)
}

// A pipeline is a run of a Pipe.
type pipeline struct {
	ctx     context.Context
	wire    Wire
	request Request
	counter *counter
	inline  bool
	done    chan struct{} // closed when nothing is in flight and nothing more begins
	firstID int64

	mu       sync.Mutex
	open     map[int64]time.Time // when each call was sent
	nextID   int64
	out      []byte // what is to be written
	fresh    bool   // the next line is the first of those that were read together
	now      time.Time
	finished bool

	// For the goroutine that writes, unless inline.
	writing sync.Mutex
	wake    *sync.Cond
	queue   []byte
	ended   bool
}

// startWriter starts the goroutine that writes, if there is to be one, and returns what ends it. In a
// write that the server does not read it stays, until the server is ended.
func (p *pipeline) startWriter() (stop func()) {
	if p.inline {
		return func() {}
	}
	p.wake = sync.NewCond(&p.writing)
	go func() {
		for lines := p.queued(nil); lines != nil; lines = p.queued(lines) {
			if err := p.wire.Write(lines); err != nil {
				return // the wire is dead, which wait notices
			}
		}
	}()
	return func() {
		p.writing.Lock()
		defer p.writing.Unlock()
		p.ended = true
		p.wake.Signal()
	}
}

// queued waits for something to write, and returns nil at the end. It takes a buffer that has been
// written.
func (p *pipeline) queued(written []byte) []byte {
	p.writing.Lock()
	defer p.writing.Unlock()
	for len(p.queue) == 0 && !p.ended {
		p.wake.Wait()
	}
	if p.ended {
		return nil
	}
	lines := p.queue
	p.queue = written[:0]
	return lines
}

// fill begins the first calls.
func (p *pipeline) fill(n int, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range n {
		p.add(now)
	}
	p.flush()
}

// add begins another call, if there is to be one.
func (p *pipeline) add(now time.Time) {
	if !p.counter.begin(p.ctx, now) {
		return
	}
	p.out = append(p.request(p.out, p.nextID), '\n')
	p.open[p.nextID] = now
	p.nextID++
}

// flush sends what was added, and notices the end.
func (p *pipeline) flush() {
	if len(p.open) == 0 && !p.finished {
		p.finished = true
		close(p.done)
	}
	if len(p.out) == 0 {
		return
	}
	if p.inline {
		_ = p.wire.Write(p.out) // if it fails the wire is dead, which wait notices
		p.out = p.out[:0]
		return
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	p.queue = append(p.queue, p.out...)
	p.out = p.out[:0]
	p.wake.Signal()
}

// hear takes a line that came.
func (p *pipeline) hear(line []byte, last bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.finished {
		return false
	}
	if p.fresh {
		p.now = time.Now()
	}
	p.fresh = last
	mine := p.answer(line)
	if last {
		p.flush()
	}
	return mine
}

// answer counts a line, if it is the answer to a call in flight, and begins the next one.
func (p *pipeline) answer(line []byte) bool {
	id, ok := idOf(line)
	if !ok {
		return false
	}
	from, ok := p.open[id]
	if !ok {
		// An answer to what was given up is nobody's business any more, and a second answer neither.
		return id >= firstID && id < p.nextID
	}
	delete(p.open, id)
	p.counter.end(p.ctx, from, p.now, Judge(line))
	p.add(p.now)
	return true
}

// wait waits until all calls are answered, or given up.
func (p *pipeline) wait(limit time.Duration) {
	tick := time.NewTicker(max(limit/8, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-p.ctx.Done():
			p.giveUp(time.Time{}, nil)
			return
		case <-p.wire.Dead():
			p.giveUp(time.Now(), &CallError{TransportError, "the server has ended, or closed its output"})
			return
		case now := <-tick.C:
			p.expire(now, limit)
		}
	}
}

// giveUp counts all calls in flight as failed, if there is an error, and ends the load.
func (p *pipeline) giveUp(now time.Time, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		for _, from := range p.open {
			p.counter.end(p.ctx, from, now, err)
		}
		p.counter.tally.GaveUp = true
	}
	clear(p.open)
	p.finished = true
}

// expire gives up the calls that have been in flight for too long, and begins others for them.
func (p *pipeline) expire(now time.Time, limit time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.finished {
		return
	}
	for id, from := range p.open {
		if now.Sub(from) >= limit {
			delete(p.open, id)
			p.counter.end(p.ctx, from, now, &CallError{TransportError, fmt.Sprintf("no answer within %v", limit)})
			p.add(now)
		}
	}
	p.flush()
}

var (
	idHead     = []byte(`{"jsonrpc":"2.0","id":`)
	idTail     = []byte(`,"id":`)
	methodMark = []byte(`"method":`)
)

// idOf returns the id of an answer, if it is a number. Where it stands as the first member but for
// the version, or as the last, as in all answers there are, the rest need not be read.
func idOf(line []byte) (int64, bool) {
	if rest, ok := bytes.CutPrefix(line, idHead); ok {
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n < len(rest) && rest[n] == ',' && !bytes.HasPrefix(rest[n+1:], methodMark) {
			id, err := strconv.ParseInt(string(rest[:n]), 10, 64)
			return id, err == nil
		}
	}
	// The digits before the last brace, and the name before them, are a member of the outermost object.
	if head, ok := bytes.CutSuffix(line, []byte("}")); ok && !bytes.Contains(line[:min(len(line), 64)], methodMark) {
		n := len(head)
		for n > 0 && head[n-1] >= '0' && head[n-1] <= '9' {
			n--
		}
		if n < len(head) && bytes.HasSuffix(head[:n], idTail) {
			id, err := strconv.ParseInt(string(head[n:]), 10, 64)
			return id, err == nil
		}
	}
	var message struct {
		ID     *int64          `json:"id"`
		Method json.RawMessage `json:"method"`
	}
	if err := json.Unmarshal(line, &message); err != nil || message.ID == nil || message.Method != nil {
		return 0, false
	}
	return *message.ID, true
}
