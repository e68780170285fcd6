package load

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Range of the histograms in nanoseconds, and number of significant digits. Longer latencies count as longest.
const (
	shortest = int64(100)
	longest  = int64(10 * time.Minute)
	digits   = 3
)

// A Tally is the result of a load.
type Tally struct {
	// Latency has the latencies of successful calls, in nanoseconds.
	Latency *hdrhistogram.Histogram
	// Late has the delays of calls in an open loop after the time they were due, in nanoseconds: because the generator
	// was woken late, or too many calls were in flight. It is part of their latency. It is empty for a closed loop.
	Late *hdrhistogram.Histogram
	// Failures counts failed calls by kind.
	Failures map[Kind]int64
	// First has the text of the first failure of each kind.
	First map[Kind]string
	// Span is the time from the first call to the last response.
	Span time.Duration
	// GaveUp is set if the load ended early after consecutive transport errors.
	GaveUp bool
}

// NewTally returns an empty tally.
func NewTally() *Tally {
	return &Tally{
		Latency:  hdrhistogram.New(shortest, longest, digits),
		Late:     hdrhistogram.New(shortest, longest, digits),
		Failures: map[Kind]int64{}, First: map[Kind]string{},
	}
}

// OK returns the number of successful calls.
func (t *Tally) OK() int64 { return t.Latency.TotalCount() }

// Failed returns the number of failed calls.
func (t *Tally) Failed() int64 {
	var n int64
	for _, count := range t.Failures {
		n += count
	}
	return n
}

// PerSecond returns the number of successful calls per second.
func (t *Tally) PerSecond() float64 {
	if t.Span <= 0 {
		return 0
	}
	return float64(t.OK()) / t.Span.Seconds()
}

// Merge adds another tally. The spans add up.
func (t *Tally) Merge(other *Tally) {
	t.Latency.Merge(other.Latency)
	t.Late.Merge(other.Late)
	for kind, n := range other.Failures {
		t.Failures[kind] += n
	}
	first := maps.Clone(other.First)
	maps.Copy(first, t.First)
	t.First = first
	t.Span += other.Span
	t.GaveUp = t.GaveUp || other.GaveUp
}

// record records a call: its latency, or its failure.
func (t *Tally) record(took time.Duration, err error) {
	if err == nil {
		recordTo(t.Latency, took)
		return
	}
	f := asCallError(err)
	if t.Failures[f.Kind]++; t.Failures[f.Kind] == 1 {
		t.First[f.Kind] = f.Text
	}
}

func recordTo(h *hdrhistogram.Histogram, took time.Duration) {
	// The value is in range, so this cannot fail.
	_ = h.RecordValue(min(max(int64(took), 0), longest))
}

// patience is the number of consecutive transport errors that end a load, unless there are more callers.
const patience = 20

// A counter is a tally with concurrent writers and their shared call limit.
type counter struct {
	mu      sync.Mutex
	tally   *Tally
	begun   int64
	limit   int64 // maximum number of calls; 0 for none
	until   time.Time
	inARow  int // consecutive transport errors
	callers int
	first   time.Time // time of the first call
	last    time.Time // time of the last response
	closed  bool

	inFlight sync.WaitGroup
}

func newCounter(l Load, begin time.Time) *counter {
	c := &counter{tally: NewTally(), limit: l.Calls, callers: l.Concurrency, first: begin, last: begin}
	if l.Duration > 0 {
		c.until = begin.Add(l.Duration)
	}
	return c
}

// begin reports whether another call may start at a time, and adds it to inFlight.
func (c *counter) begin(ctx context.Context, at time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil || c.tally.GaveUp || (c.limit > 0 && c.begun >= c.limit) || (!c.until.IsZero() && !at.Before(c.until)) {
		return false
	}
	c.begun++
	c.inFlight.Add(1)
	return true
}

// end records a call. Failures caused by an interrupt do not count, nor do calls that end after close.
func (c *counter) end(ctx context.Context, from, to time.Time, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || err != nil && ctx.Err() != nil {
		return
	}
	c.tally.record(to.Sub(from), err)
	if to.After(c.last) {
		c.last = to
	}
	if err == nil || asCallError(err).Kind != TransportError {
		c.inARow = 0
	} else if c.inARow++; c.inARow >= max(patience, c.callers) {
		c.tally.GaveUp = true
	}
}

// giveUp ends the load if err, the result of a [Call], is not nil.
func (c *counter) giveUp(err error) {
	if err == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tally.GaveUp = true; c.tally.First[TransportError] == "" {
		c.tally.First[TransportError] = err.Error()
	}
	c.inFlight.Done()
}

// late records the delay of a call.
func (c *counter) late(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	recordTo(c.tally.Late, by)
}

// close waits for the calls in flight, or until ctx ends, and returns the tally.
func (c *counter) close(ctx context.Context) *Tally {
	ended := make(chan struct{})
	go func() {
		c.inFlight.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.tally.Span = c.last.Sub(c.first)
	return c.tally
}
