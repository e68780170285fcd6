package main

import (
	"context"
	"io"
	"sync"
	"time"
)

// book records the orders, from the requests of the customers and the logs of the instances. Its methods are safe for
// concurrent use.
type book struct {
	log io.Writer

	mu       sync.Mutex
	changed  chan struct{} // closed at the next change
	orders   map[string]*order
	numbers  map[string]string // references by number
	repeated int               // requests without a response, or with an error, that were repeated
	closed   bool              // customers place no more orders
}

// order is the recorded state of an order.
type order struct {
	begun    bool // the customer has its task id
	ended    bool // the customer knows the result
	err      error
	lost     bool // err means that the task is unknown
	runs     []orderRun
	number   string // first number of the order
	changed  bool   // it had another one later, or shares it with another order
	labels   int    // number of times its label was printed
	reopened int    // number of times a question was open again after its answer was accepted
}

// orderRun is one run of an order.
type orderRun struct {
	instance int
	began    time.Time
}

func newBook(log io.Writer) *book {
	return &book{log: log, changed: make(chan struct{}), orders: map[string]*order{}, numbers: map[string]string{}}
}

// update changes the state of an order.
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

// runs records the start of a run of an order at an instance.
func (b *book) runs(reference, number string, instance int) {
	b.update(reference, func(o *order) {
		o.runs = append(o.runs, orderRun{instance, time.Now()})
		b.numbered(reference, o, number)
	})
}

// printed records a printed label.
func (b *book) printed(reference string) { b.update(reference, func(o *order) { o.labels++ }) }

// begun records that a customer has the task id of an order.
func (b *book) begun(reference string) { b.update(reference, func(o *order) { o.begun = true }) }

// told records the number of an order as seen by the customer.
func (b *book) told(reference, number string) {
	b.update(reference, func(o *order) { b.numbered(reference, o, number) })
}

// reopened records that a question was open after its answer was accepted.
func (b *book) reopened(reference string) { b.update(reference, func(o *order) { o.reopened++ }) }

// ended records the end of an order: err is nil if the result is correct.
func (b *book) ended(reference string, err error, lost bool) {
	b.update(reference, func(o *order) { o.ended, o.err, o.lost = true, err, lost })
}

// numbered checks a number of an order. The caller holds b.mu.
func (b *book) numbered(reference string, o *order, number string) {
	if o.number == "" {
		o.number = number
	}
	other, known := b.numbers[number]
	o.changed = o.changed || number != o.number || known && other != reference
	b.numbers[number] = reference
}

// repeat records that a request without a response, or with an error, is repeated.
func (b *book) repeat() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.repeated++
}

// close makes customers stop placing orders.
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

// unlabelled returns the number of orders at an instance without a label, which cannot end within the next second.
func (b *book) unlabelled(instance int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.find(func(o *order) bool { return o.runsAt(instance) && o.labels == 0 }))
}

// endedOrders returns the number of ended orders.
func (b *book) endedOrders() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.find(func(o *order) bool { return o.ended }))
}

// find returns the orders that satisfy a condition. The caller holds b.mu.
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

// read calls fn, which may read orders but must not keep them.
func (b *book) read(fn func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fn()
}

// await waits until a condition holds, and evaluates it after each change.
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
