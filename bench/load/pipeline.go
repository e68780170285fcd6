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

// A Wire is a bidirectional stream to a server that carries many concurrent calls.
type Wire interface {
	// Write writes complete lines. It may block until the server reads.
	Write(lines []byte) error
	// Queue is Write without blocking; another goroutine writes the lines. If that fails, the stream is dead.
	Queue(lines []byte)
	// Tap calls tap with each line from the server, in the only reading goroutine, so reading waits for tap to return.
	// The line is valid until then; last reports that no other complete line is buffered. If tap returns false, the
	// line takes its default path. A nil tap restores the default and waits for a running call of tap.
	Tap(tap func(line []byte, last bool) bool)
	// Dead is closed when the server has closed its output.
	Dead() <-chan struct{}
}

// A Request appends a call with an id to dst, as a JSON-RPC message without a line break.
type Request func(dst []byte, id int64) []byte

// firstID is the first id of calls: above the ids that the client uses for its own requests, with a constant number of
// digits, and within 32 bits for some hundreds of millions of calls.
const firstID = 1_500_000_000

// A Pipe loads a server over one stream. It is not safe for concurrent use.
type Pipe struct {
	// Wire is the stream.
	Wire Wire
	// Timeout is the timeout of a call; 0 means 30 s.
	Timeout time.Duration

	begun int64 // ids used so far: a late response must not match a call of a later load
}

// Closed is like the function [Closed] over one stream. It keeps a number of calls in flight, and batches the calls
// that follow responses read together in one write, as busy clients do. The server then pays for calls and not for
// wake-ups: with a write per call, the measurement alone would cost a server of this framework more than the calls.
func (p *Pipe) Closed(ctx context.Context, l Load, request Request) *Tally {
	l.Concurrency = max(l.Concurrency, 1)
	begin := time.Now()
	r := &pipeline{
		ctx: ctx, wire: p.Wire, request: request, counter: newCounter(l, begin),
		open: make(map[int64]time.Time, l.Concurrency), firstID: firstID + p.begun, fresh: true, done: make(chan struct{}),
	}
	r.nextID = r.firstID
	// While all calls in flight fit into the pipe, a write blocks only for as long as the server takes to read, so the
	// reading goroutine can do it. Pipes hold 64 KiB on Linux.
	const fits = 32 << 10
	r.inline = (len(request(nil, firstID))+1)*l.Concurrency <= fits
	p.Wire.Tap(r.hear)
	defer p.Wire.Tap(nil)
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
	done    chan struct{} // closed when no call is in flight and none will start
	firstID int64

	mu       sync.Mutex
	open     map[int64]time.Time // start time of each call in flight
	nextID   int64
	out      []byte // pending output
	fresh    bool   // the next line is the first of a batch
	now      time.Time
	finished bool
}

// fill starts the first calls.
func (p *pipeline) fill(n int, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range n {
		p.add(now)
	}
	p.flush()
}

// add starts another call if the load permits.
func (p *pipeline) add(now time.Time) {
	if !p.counter.begin(p.ctx, now) {
		return
	}
	p.out = append(p.request(p.out, p.nextID), '\n')
	p.open[p.nextID] = now
	p.nextID++
}

// flush sends the added calls and detects the end.
func (p *pipeline) flush() {
	if len(p.open) == 0 && !p.finished {
		p.finished = true
		close(p.done)
	}
	if len(p.out) == 0 {
		return
	}
	if p.inline {
		_ = p.wire.Write(p.out) // on error the wire is dead, which wait detects
	} else {
		p.wire.Queue(p.out)
	}
	p.out = p.out[:0]
}

// hear handles a line from the server.
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

// answer handles a response: it records the call if it is in flight, and starts the next one.
func (p *pipeline) answer(line []byte) bool {
	id, ok := idOf(line)
	if !ok {
		return false
	}
	from, ok := p.open[id]
	if !ok {
		// Drop late responses to expired calls, and duplicates.
		return id >= firstID && id < p.nextID
	}
	delete(p.open, id)
	p.counter.end(p.ctx, from, p.now, Judge(line))
	p.add(p.now)
	return true
}

// wait waits until all calls have completed or were given up.
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

// giveUp records all calls in flight as failed if err is not nil, and ends the load.
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

// expire gives up calls that exceed the time limit, and starts others in their place.
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

// idOf returns the numeric id of a response. It is fast if the id is the first member after the version or the last
// member, as in all common implementations.
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
	// Digits before the last brace, after the name, form a member of the outermost object.
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
