package main

import (
	"context"
	"io"
	"sync"
	"time"
)

// book is all that is known of the orders, from the requests of the customers and the logs of the instances. Its methods are
// safe for concurrent use.
type book struct {
	log io.Writer

	mu       sync.Mutex
	changed  chan struct{} // closed at the next change
	orders   map[string]*order
	numbers  map[string]string // the reference by the number
	repeated int               // requests that had no answer, or an error, and were sent again
	closed   bool              // customers begin no more orders
}

// order is what is known of one order.
type order struct {
	begun    bool // the customer knows its task
	ended    bool // the customer knows how
	err      error
	lost     bool // err says that the task is not known any more
	runs     []orderRun
	number   string // that the order had first
	changed  bool   // it had another one later, or the same as another order
	labels   int    // how often its label was printed
	reopened int    // how often a question was open again after its answer had been accepted
}

// orderRun is one run of an order.
type orderRun struct {
	instance int
	began    time.Time
}

func newBook(log io.Writer) *book {
	return &book{log: log, changed: make(chan struct{}), orders: map[string]*order{}, numbers: map[string]string{}}
}

// update changes what is known of an order.
func (b *book) update(reference string, change func(*order)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.orders[reference]
	if o == nil {
		o = &order{}
		b.orders[reference] = o
	}
	change(o)
	close(b.changed)
	b.changed = make(chan struct{})
}

// runs notes that a run of an order has begun at an instance.
func (b *book) runs(reference, number string, instance int) {
	b.update(reference, func(o *order) {
		o.runs = append(o.runs, orderRun{instance, time.Now()})
		b.numbered(reference, o, number)
	})
}

// printed notes that the label of an order was printed.
func (b *book) printed(reference string) { b.update(reference, func(o *order) { o.labels++ }) }

// begun notes that a customer knows the task of an order.
func (b *book) begun(reference string) { b.update(reference, func(o *order) { o.begun = true }) }

// told notes the number that a customer was told.
func (b *book) told(reference, number string) {
	b.update(reference, func(o *order) { b.numbered(reference, o, number) })
}

// reopened notes that a question was open although its answer had been accepted.
func (b *book) reopened(reference string) { b.update(reference, func(o *order) { o.reopened++ }) }

// ended notes how an order has ended: err is nil if it has the right result.
func (b *book) ended(reference string, err error, lost bool) {
	b.update(reference, func(o *order) { o.ended, o.err, o.lost = true, err, lost })
}

// numbered checks a number that an order has. The caller holds b.mu.
func (b *book) numbered(reference string, o *order, number string) {
	if o.number == "" {
		o.number = number
	}
	other, known := b.numbers[number]
	o.changed = o.changed || number != o.number || known && other != reference
	b.numbers[number] = reference
}

// repeat notes that a request had no answer, or an error, and is sent again.
func (b *book) repeat() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.repeated++
}

// close makes customers begin no more orders.
func (b *book) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

func (b *book) isClosed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// at returns the orders whose last run is at an instance and that have not ended, as far as is known.
func (b *book) at(instance int) []*order {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.find(func(o *order) bool { return o.runsAt(instance) })
}

// unlabelled returns how many of the orders at an instance have no label yet, so that they do not end within the next second.
func (b *book) unlabelled(instance int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.find(func(o *order) bool { return o.runsAt(instance) && o.labels == 0 }))
}

// endedOrders returns how many orders have ended.
func (b *book) endedOrders() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.find(func(o *order) bool { return o.ended }))
}

// find returns the orders for which a condition holds. The caller holds b.mu.
func (b *book) find(holds func(*order) bool) []*order {
	var all []*order
	for _, o := range b.orders {
		if holds(o) {
			all = append(all, o)
		}
	}
	return all
}

// runsAt reports whether the last run of an order is at an instance, and the order has not ended.
func (o *order) runsAt(instance int) bool {
	n := len(o.runs)
	return o.begun && !o.ended && n > 0 && o.runs[n-1].instance == instance
}

// read calls fn, which may read orders but not keep them.
func (b *book) read(fn func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fn()
}

// await waits until a condition holds, which is called after each change.
func (b *book) await(ctx context.Context, holds func() bool) error {
	for {
		b.mu.Lock()
		changed := b.changed
		b.mu.Unlock()
		if holds() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
