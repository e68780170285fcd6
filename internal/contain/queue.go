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
	// patience is the time after which a handler counts as blocked. Because it is checked at intervals of the same
	// length, a caller waits for at most twice as long. Formatting a record takes less, a write to a full pipe longer.
	patience = 100 * time.Millisecond
	// maxBacklog bounds the size of the records that are queued while the handler blocks, in bytes.
	maxBacklog = 1 << 20
	// recordSize and attrSize are added to the size of the strings of a record and of an attribute, in bytes.
	recordSize = 256
	attrSize   = 64
	// maxSpare is how many entries are kept for reuse. It is at least the usual number of records of one [HandleAll].
	maxSpare = 32
)

// errDropped is the error for a record that was dropped.
var errDropped = errors.New("the log handler blocks, and the record was dropped")

// queue passes records to a handler that may block, one at a time and in order.
//
// A caller waits until its record is handled, so that the record is written before the caller continues. The handler
// counts as blocked from the time when a caller has waited for longer than patience until the queue is empty. During
// this time no caller waits: records are kept up to maxBacklog, further ones are dropped, and a record reports how
// many.
//
// One goroutine handles the records and ends when the queue is empty. It may be the goroutine of a caller, see
// handleHere. A single timer, which runs as long as records arrive, detects a blocked handler, so that no timer per
// record is needed.
type queue struct {
	root slog.Handler // handles the record about dropped records

	mu       sync.Mutex
	spare    []*entry // for the next records, at most maxSpare
	waiting  []*entry
	inHand   *entry // the record that is being handled, nil if none
	size     int    // size in bytes of the queued records without a waiting caller
	dropped  int    // records dropped since the last report of that number
	running  bool   // the goroutine exists
	behind   bool   // the handler counts as blocked
	began    int    // number of records passed to the handler
	lastSeen int    // value of began when the timer last fired
	ticks    int    // number of times the timer has fired while records were passed on
	timer    *time.Timer
	ticking  bool          // the timer is set
	empty    chan struct{} // closed when the queue is empty; nil unless Flush waits
}

// entry is a queued record.
type entry struct {
	ctx      context.Context
	handler  slog.Handler
	shared   *Shared // see Record
	record   slog.Record
	since    int        // value of queue.ticks when the record was added
	size     int        // in bytes; set when the record is released
	released bool       // no caller waits for the record
	done     chan error // receives the result for the waiting caller; buffered
}

// handle queues the records and waits until they are handled, unless the handler counts as blocked. It returns the
// first error. The caller holds q.mu, which handle unlocks.
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

// handleHere passes the records that take returns to the handler in this goroutine, which runs the queue until it is
// empty. It does nothing and reports false if the queue is not idle.
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

// add queues the records and returns their entries. While the handler counts as blocked, records may be dropped; then
// the error is errDropped. The caller holds q.mu.
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

// await waits until the records are handled or released, and returns the first error.
func (q *queue) await(entries []*entry) (err error) {
	for _, e := range slices.Backward(entries) { // the last record is handled last, so this goroutine is woken up only once
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

// reuse keeps the entry of a handled record for another record. The caller holds q.mu.
func (q *queue) reuse(e *entry) {
	if !e.released && len(q.spare) < maxSpare {
		*e = entry{done: e.done}
		q.spare = append(q.spare, e)
	}
}

// start starts the goroutine if records are queued and it is not running. If the queue is empty, the handler does not
// count as blocked any longer, and Flush returns. The caller holds q.mu.
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

// take marks e as the record that is passed to the handler, and sets the timer. The caller holds q.mu.
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

// keep prepares a record to be queued without a waiting caller: its context and mutable values are replaced, because
// the caller may reuse them. It reports false if the record must be dropped. The caller holds q.mu.
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

// run passes the queued records to the handler until the queue is empty.
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

// finish passes e to its handler, and the result to the waiting caller.
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

// next removes a record from the queue. If the queue is empty and records were dropped, it returns a record that
// reports their number, otherwise nil; then the goroutine ends.
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

// tick is called by the timer, at intervals of patience while records arrive. It releases the callers if the handler
// has been busy with one record since the last call, or if the first caller in the queue has waited for more than an
// interval.
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

// release marks the handler as blocked and lets all waiting callers continue. Queued records with values that the
// callers may modify from now on are dropped. The caller holds q.mu.
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

// wait waits until the queue is empty, for at most the duration most.
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

// fixed returns a copy of r with the same text that does not refer to mutable values, or to values that keep more
// memory alive than their text, and its size in bytes. It reports false if there is no such copy.
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
	default: // numbers, booleans and times
		return a, size, true
	}
}

// errorText returns the text of an error. It reports false if the Error method panics.
func errorText(err error) (text string, ok bool) {
	defer func() {
		if recover() != nil {
			text, ok = "", false
		}
	}()
	return err.Error(), true
}
