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
	// patience is how long a caller waits for the handler before it counts as blocked; a caller waits for at most twice as
	// long. Formatting a record takes less; a write to a pipe that nobody reads takes longer.
	patience = 100 * time.Millisecond
	// maxBacklog bounds the records that wait for a handler that blocks, in bytes.
	maxBacklog = 1 << 20
	// recordSize and attrSize are what a record and an attribute count in addition to their strings, in bytes.
	recordSize = 256
	attrSize   = 64
	// maxSpare is how many entries are kept for further records. It is not smaller than what is usually handled together.
	maxSpare = 32
)

// errDropped is returned for a record that was dropped.
var errDropped = errors.New("the log handler blocks, and the record was dropped")

// queue passes records to a handler that may block, one at a time and in order.
//
// A caller waits until its record is handled, so that it is written before whatever happens next. But while the
// handler blocks, that is from the time when a caller has waited for longer than patience until the queue is empty,
// no caller waits: records are kept up to maxBacklog, further ones are dropped, and a record reports how many.
//
// A goroutine handles the records, and ends when there are none; it may be that of a caller, see handleHere. One timer
// runs as long as records arrive and detects a handler that blocks, so that a record does not need a timer of its own.
type queue struct {
	root slog.Handler // handles the record about dropped records

	mu       sync.Mutex
	spare    []*entry // for the next records, at most maxSpare
	waiting  []*entry
	inHand   *entry // the record that the handler is handling, nil if none
	size     int    // of the queued records that no caller waits for, in bytes
	dropped  int
	running  bool // the goroutine exists
	behind   bool // the handler blocks
	began    int  // how many records were passed to the handler,
	lastSeen int  // and how many when the timer last fired
	ticks    int  // how often the timer has fired
	timer    *time.Timer
	ticking  bool          // the timer is set
	empty    chan struct{} // closed when the queue is empty; nil if nobody waits for that
}

// entry is a record on its way to its handler.
type entry struct {
	ctx      context.Context
	handler  slog.Handler
	shared   *Shared // see Record
	record   slog.Record
	since    int        // the value of ticks when it arrived
	size     int        // in bytes, while it is released and queued
	released bool       // no caller waits for it
	done     chan error // gets the result for the waiting caller; buffered
}

// handle makes the handler handle the records, and returns the first error. The caller waits once, for the last record.
// The caller holds q.mu, which handle unlocks.
func (q *queue) handle(handler slog.Handler, records ...Record) (err error) {
	var room [maxSpare]*entry
	entries, err := q.add(room[:0], handler, records)
	behind := q.behind
	q.start()
	q.mu.Unlock()
	if behind {
		return err
	}
	return q.await(entries)
}

// handleHere makes the handler handle the records that take returns in this goroutine, which becomes the one of the queue
// until that is empty. It does nothing and reports false if there is one already.
func (q *queue) handleHere(handler slog.Handler, take func() []Record) bool {
	var room [maxSpare]*entry
	q.mu.Lock()
	if q.running || q.inHand != nil || len(q.waiting) > 0 || q.dropped > 0 {
		q.mu.Unlock()
		return false
	}
	entries, _ := q.add(room[:0], handler, take())
	q.running = true
	q.mu.Unlock()
	q.run()
	_ = q.await(entries)
	return true
}

// add queues the records and returns their entries, unless the handler blocks; then some may be dropped, which it
// returns as an error. The caller holds q.mu.
func (q *queue) add(entries []*entry, handler slog.Handler, records []Record) (_ []*entry, err error) {
	for i := range records {
		e := q.entry(handler, &records[i])
		if q.behind && !q.keep(e) {
			err = errDropped
			continue
		}
		entries = append(entries, e)
	}
	q.waiting = append(q.waiting, entries...)
	return entries, err
}

// await waits until the records are handled, or released, and returns the first error.
func (q *queue) await(entries []*entry) (err error) {
	for _, e := range slices.Backward(entries) { // the last is done last: this goroutine is woken up once
		if failed := <-e.done; failed != nil {
			err = failed
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range entries {
		q.reuse(e)
	}
	return err
}

// entry returns an entry for a record. The caller holds q.mu.
func (q *queue) entry(handler slog.Handler, record *Record) *entry {
	var e *entry
	if last := len(q.spare) - 1; last >= 0 {
		e, q.spare = q.spare[last], q.spare[:last]
	} else {
		e = &entry{done: make(chan error, 1)}
	}
	e.ctx, e.handler, e.shared, e.record, e.since = record.Context, handler, record.Shared, record.Clone(), q.ticks
	return e
}

// reuse keeps the entry of a record that is handled for another one. The caller holds q.mu.
func (q *queue) reuse(e *entry) {
	if !e.released && len(q.spare) < maxSpare {
		*e = entry{done: e.done}
		q.spare = append(q.spare, e)
	}
}

// start starts the goroutine if there are records and it is not running. The caller holds q.mu.
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

// take records that the handler is about to get e. The caller holds q.mu.
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

// keep queues a record that no caller waits for, and reports whether there was room. What the record refers to, such
// as the context of the logging call, is not kept with it. The caller holds q.mu.
func (q *queue) keep(e *entry) bool {
	record, size, ok := fixed(e.record)
	size += e.shared.size()
	e.released = true
	if !ok || q.size+size > maxBacklog {
		q.dropped++
		return false
	}
	q.size += size
	e.ctx, e.record, e.size = context.Background(), record, size
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

// finish passes e to its handler and completes it.
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

// next removes a record from the queue; nil if there is none, and then the goroutine ends.
func (q *queue) next() *entry {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case len(q.waiting) > 0:
		q.take(q.waiting[0])
		q.waiting = slices.Delete(q.waiting, 0, 1)
		q.size -= q.inHand.size
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

// tick is called at intervals of patience while records arrive.
func (q *queue) tick() {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.began == q.lastSeen:
		if q.inHand != nil {
			q.release()
		}
		q.ticking = false
		return
	case len(q.waiting) > 0 && !q.waiting[0].released && q.waiting[0].since < q.ticks: // the handler is slow, and many callers log
		q.release()
	}
	q.ticks++
	q.lastSeen = q.began
	q.timer.Reset(patience)
}

// release lets all waiting callers continue, because the handler blocks. Of the records that the handler has not
// received, those whose values may change from now on are dropped. The caller holds q.mu.
func (q *queue) release() {
	q.behind = true
	if e := q.inHand; !e.released {
		e.released = true
		e.done <- nil
	}
	kept := q.waiting[:0]
	for _, e := range q.waiting {
		switch {
		case e.released:
			kept = append(kept, e)
		case q.keep(e):
			kept = append(kept, e)
			e.done <- nil
		default:
			e.done <- errDropped
		}
	}
	clear(q.waiting[len(kept):])
	q.waiting = kept
}

// wait waits until no record is left, at most as long as given.
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

// fixed returns a record with the same text that refers to nothing that can change or that holds more memory than the
// text, and its size in bytes. It reports false if there is no such record.
func fixed(r slog.Record) (_ slog.Record, size int, ok bool) {
	size, ok = recordSize+len(r.Message), true
	made := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		a, n, isFixed := fixedAttr(a)
		size, ok = size+n, isFixed
		made.AddAttrs(a)
		return ok
	})
	return made, size, ok
}

func fixedAttr(a slog.Attr) (_ slog.Attr, size int, ok bool) {
	size = attrSize + len(a.Key)
	switch a.Value.Kind() {
	case slog.KindString:
		return a, size + len(a.Value.String()), true
	case slog.KindGroup:
		var members []slog.Attr
		for _, member := range a.Value.Group() {
			m, n, ok := fixedAttr(member)
			if !ok {
				return a, 0, false
			}
			members, size = append(members, m), size+n
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(members...)}, size, true
	case slog.KindAny:
		err, isError := a.Value.Any().(error)
		if !isError {
			return a, size, a.Value.Any() == nil
		}
		text, ok := errorText(err)
		return slog.String(a.Key, text), size + len(text), ok
	case slog.KindLogValuer:
		return a, 0, false
	default: // numbers and times
		return a, size, true
	}
}

// errorText returns the text of an error, unless its method panics.
func errorText(err error) (text string, ok bool) {
	defer func() {
		if recover() != nil {
			text, ok = "", false
		}
	}()
	return err.Error(), true
}
