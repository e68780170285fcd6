package contain

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

const (
	// patience is how long who logs waits for the handler at least; twice as long is the most. What takes longer is a
	// write to a pipe that nobody reads, not the formatting of a record.
	patience = 100 * time.Millisecond
	// maxBacklog bounds the records that wait for a handler that blocks, in bytes.
	maxBacklog = 1 << 20
	// recordSize is what a record counts beside its strings, in bytes.
	recordSize = 256
)

// errDropped is returned for a record that was dropped.
var errDropped = errors.New("the log handler blocks, and the record was dropped")

// queue hands records to a handler that may block, one at a time and in order.
//
// Who logs waits until the record is handled, so that it is written before whatever happens next. But while the
// handler blocks, that is from when it has had one record for longer than patience until the queue is empty, nobody
// waits: records are kept up to maxBacklog, others are dropped, and a record tells how many.
//
// A goroutine handles the records, and ends when there are none. Who has nothing to do but log may handle its own
// (handleHere), which costs a third of that: a new goroutine has to grow its stack. A timer that is set as long as
// records come notices that the handler blocks, so that a record costs no timer.
type queue struct {
	root slog.Handler // handles the record about those that were dropped

	mu       sync.Mutex
	spare    *entry // for the next record, nil if there is none
	waiting  []*entry
	inHand   *entry // what the handler has, nil if nothing
	size     int    // of the waiting records that nobody waits for, in bytes
	dropped  int
	running  bool // the goroutine exists
	behind   bool // the handler blocks
	began    int  // how many records were handed to the handler,
	lastSeen int  // and how many when the timer was last at zero
	timer    *time.Timer
	ticking  bool          // the timer is set
	empty    chan struct{} // closed when there is no record; nil if nobody waits for that
}

// entry is one record on its way to its handler.
type entry struct {
	ctx      context.Context
	handler  slog.Handler
	record   slog.Record
	released bool       // nobody waits for it
	done     chan error // gets the result for who waits; has room for it
}

// handle has the handler handle the record.
func (q *queue) handle(ctx context.Context, handler slog.Handler, record slog.Record) error {
	q.mu.Lock()
	if q.behind && !q.keep(record) {
		q.mu.Unlock()
		return errDropped
	}
	e := q.entry(ctx, handler, record)
	q.waiting = append(q.waiting, e)
	q.start()
	behind := q.behind
	e.released = behind
	q.mu.Unlock()
	if behind {
		return nil
	}
	err := <-e.done
	q.mu.Lock()
	if !e.released {
		q.reuse(e)
	}
	q.mu.Unlock()
	return err
}

// handleHere has the handler handle the record in this goroutine if it has no other, which takes as long as the handler
// does. Otherwise it is as handle.
func (q *queue) handleHere(ctx context.Context, handler slog.Handler, record slog.Record) error {
	q.mu.Lock()
	if q.inHand != nil || q.running || q.behind {
		q.mu.Unlock()
		return q.handle(ctx, handler, record)
	}
	e := q.entry(ctx, handler, record)
	e.released = true // nobody else waits for it
	q.take(e)
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.inHand = nil
		q.reuse(e)
		q.start()
	}()
	return e.handle()
}

// entry returns an entry for a record. The caller holds q.mu.
func (q *queue) entry(ctx context.Context, handler slog.Handler, record slog.Record) *entry {
	e := q.spare
	if q.spare = nil; e == nil {
		e = &entry{done: make(chan error, 1)}
	}
	e.ctx, e.handler, e.record = ctx, handler, record.Clone()
	return e
}

// reuse keeps an entry for another record. The caller holds q.mu.
func (q *queue) reuse(e *entry) {
	e.ctx, e.handler, e.record = nil, nil, slog.Record{}
	q.spare = e
}

// start starts the goroutine if there is something to do and nobody who does it. The caller holds q.mu.
func (q *queue) start() {
	switch {
	case q.running || q.inHand != nil:
	case len(q.waiting) > 0 || q.dropped > 0:
		q.running = true
		go q.run()
	default:
		q.behind = false
		if q.empty != nil {
			close(q.empty)
			q.empty = nil
		}
	}
}

// take notes that the handler is about to have e. The caller holds q.mu.
func (q *queue) take(e *entry) {
	q.inHand = e
	q.began++
	switch {
	case q.ticking:
		return
	case q.timer == nil:
		q.timer = time.AfterFunc(patience, q.tick)
	default:
		q.timer.Reset(patience)
	}
	q.ticking = true
}

// keep reports whether a record that nobody waits for is kept, and counts it. The caller holds q.mu.
func (q *queue) keep(record slog.Record) bool {
	size, isFixed := measure(record)
	if !isFixed || q.size+size > maxBacklog {
		q.dropped++
		return false
	}
	q.size += size
	return true
}

// run is the goroutine.
func (q *queue) run() {
	ended := false
	defer func() {
		if !ended { // the handler has called runtime.Goexit
			go q.run()
		}
	}()
	for e := q.next(); e != nil; e = q.next() {
		q.finish(e)
	}
	ended = true
}

// finish has e handled.
func (q *queue) finish(e *entry) {
	err := errDropped // if the handler calls runtime.Goexit
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.inHand = nil
		if !e.released {
			e.done <- err
		}
	}()
	err = e.handle()
}

// next takes a record off the queue; nil if there is none, and the goroutine ends.
func (q *queue) next() *entry {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case len(q.waiting) > 0:
		q.take(q.waiting[0])
		q.waiting = slices.Delete(q.waiting, 0, 1)
		if q.inHand.released {
			size, _ := measure(q.inHand.record)
			q.size -= size
		}
	case q.dropped > 0:
		record := slog.NewRecord(time.Now(), slog.LevelWarn, "log records dropped: the handler blocked", 0)
		record.AddAttrs(slog.Int("dropped", q.dropped))
		q.dropped = 0
		q.take(&entry{ctx: context.Background(), handler: q.root, record: record, released: true})
	default:
		q.running = false
		q.start()
	}
	return q.inHand
}

// tick is called at intervals of patience as long as records come and go.
func (q *queue) tick() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.began == q.lastSeen {
		if q.inHand != nil {
			q.release()
		}
		q.ticking = false
		return
	}
	q.lastSeen = q.began
	q.timer.Reset(patience)
}

// release lets go whoever waits, because the handler blocks. Of the records that it has not got, those are dropped
// whose values may change from here on. The caller holds q.mu.
func (q *queue) release() {
	q.behind = true
	if e := q.inHand; !e.released {
		e.released = true
		e.done <- nil
	}
	kept := q.waiting[:0]
	for _, e := range q.waiting {
		var err error
		if !e.released {
			if !q.keep(e.record) {
				err = errDropped
			}
			e.released = true
			e.done <- err
		}
		if err == nil {
			kept = append(kept, e)
		}
	}
	clear(q.waiting[len(kept):])
	q.waiting = kept
}

// wait waits until no record is left, for as long as given.
func (q *queue) wait(most time.Duration) {
	q.mu.Lock()
	if !q.running && q.inHand == nil {
		q.mu.Unlock()
		return
	}
	if q.empty == nil {
		q.empty = make(chan struct{})
	}
	empty := q.empty
	q.mu.Unlock()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-empty:
	case <-timer.C:
	}
}

// measure returns how much the record holds, in bytes, and whether all its values are fixed.
func measure(r slog.Record) (size int, isFixed bool) {
	size, isFixed = recordSize+len(r.Message), true
	r.Attrs(func(a slog.Attr) bool {
		n, fixed := measureAttr(a)
		size, isFixed = size+n, isFixed && fixed
		return true
	})
	return size, isFixed
}

func measureAttr(a slog.Attr) (size int, isFixed bool) {
	size, isFixed = len(a.Key), true
	switch a.Value.Kind() {
	case slog.KindString:
		size += len(a.Value.String())
	case slog.KindGroup:
		for _, member := range a.Value.Group() {
			n, fixed := measureAttr(member)
			size, isFixed = size+n, isFixed && fixed
		}
	case slog.KindAny:
		err, isError := a.Value.Any().(error)
		if isError && err != nil {
			size += recordSize
		}
		isFixed = isError || a.Value.Any() == nil
	case slog.KindLogValuer:
		isFixed = false
	default: // numbers and times
	}
	return size, isFixed
}
