package observe

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
)

// Counters counts operations by kind, for a status page or streamhttp.ReadyDetails. It is an
// [Observer] and an expvar.Var. The zero value is ready to use. It is safe for concurrent use.
type Counters struct {
	mu     sync.Mutex
	counts map[Kind]Count
}

// Count has the counts of one kind of operation.
type Count struct {
	Active   int     `json:"active"`   // operations that have not ended
	Ended    int     `json:"ended"`    // operations that have ended; the other fields are their totals
	Failed   int     `json:"failed"`   // failed operations: see [Result.Failed]
	Seconds  float64 `json:"seconds"`  // total duration
	BytesIn  int     `json:"bytesIn"`  // total of [Operation.Bytes]
	BytesOut int     `json:"bytesOut"` // total of [Result.Bytes]
}

// Begin implements [Observer].
func (c *Counters) Begin(ctx context.Context, op *Operation) context.Context {
	c.change(op, func(n *Count) { n.Active++ })
	return ctx
}

// End implements [Observer].
func (c *Counters) End(_ context.Context, op *Operation, result Result) {
	c.change(op, func(n *Count) {
		n.Active--
		n.Ended++
		if result.Failed {
			n.Failed++
		}
		n.Seconds += result.Duration.Seconds()
		n.BytesIn += op.Bytes
		n.BytesOut += result.Bytes
	})
}

// change changes the counts of the kinds that an operation is counted as.
func (c *Counters) change(op *Operation, change func(*Count)) {
	kinds := []Kind{op.Kind}
	if op.Kind == KindRequest && op.Method == "tools/call" {
		kinds = append(kinds, KindCall)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[Kind]Count{}
	}
	for _, kind := range kinds {
		n := c.counts[kind]
		change(&n)
		c.counts[kind] = n
	}
}

// Counts returns the counts of the kinds that have occurred, such as
// Counts()[KindSession].Active.
func (c *Counters) Counts() map[Kind]Count {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.counts)
}

// String returns Counts as a JSON object.
func (c *Counters) String() string {
	text, _ := json.Marshal(c.Counts()) // cannot fail
	return string(text)
}
