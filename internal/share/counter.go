// Package share counts the use of a limit that many callers share, so that no caller uses up all of it.
package share

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	// ErrTotal means that all callers together have reached the limit.
	ErrTotal = errors.New("the limit of all callers is reached")
	// ErrShare means that one caller has reached its share.
	ErrShare = errors.New("the limit of this caller is reached")
)

// Counter counts how much of one limit callers, identified by keys, have taken. It is safe for concurrent use.
type Counter[K comparable] struct {
	total, each int64
	taken       atomic.Int64

	mu    sync.Mutex
	tally Tally[K]
}

// New returns a counter with a limit of total for all callers together and of each for one caller.
func New[K comparable](total, each int) *Counter[K] {
	return &Counter[K]{total: int64(total), each: int64(each)}
}

// Take takes n for a caller. The error is [ErrTotal] or [ErrShare] if that would exceed a limit; then nothing is
// taken.
func (c *Counter[K]) Take(key K, n int) error {
	return c.take(key, int64(n), c.total, c.each)
}

// TakeSpare is Take for optional uses: it takes at most the first half of the limit and of the share.
func (c *Counter[K]) TakeSpare(key K, n int) error {
	return c.take(key, int64(n), c.total/2, c.each/2)
}

func (c *Counter[K]) take(key K, n, total, each int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.tally.AddWithin(key, n, each) {
		return ErrShare
	}
	if !c.add(n, total) {
		c.tally.Add(key, -n)
		return ErrTotal
	}
	return nil
}

// add adds n to the total, unless it would exceed the limit.
func (c *Counter[K]) add(n, total int64) bool {
	for {
		taken := c.taken.Load()
		if taken+n > total {
			return false
		}
		if c.taken.CompareAndSwap(taken, taken+n) {
			return true
		}
	}
}

// Force takes n for a caller even beyond the limits. The caller can take nothing more until enough is given back. What
// exceeds its share does not count against the limit of all callers.
func (c *Counter[K]) Force(key K, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.change(key, int64(n))
}

// Overdraw is Force, unless the limit of all callers or the share of this one is used up already: then the error is
// [ErrTotal] or [ErrShare], and nothing is taken.
func (c *Counter[K]) Overdraw(key K, n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.tally.Of(key) >= c.each:
		return ErrShare
	case c.taken.Load() >= c.total:
		return ErrTotal
	}
	c.change(key, int64(n))
	return nil
}

// Give gives back n that a caller has taken.
func (c *Counter[K]) Give(key K, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.change(key, -int64(n))
}

// change adds n, which may be negative, to what a caller has taken, and to what all have what of that is within its share.
// The caller holds c.mu.
func (c *Counter[K]) change(key K, n int64) {
	before, after := c.tally.Add(key, n)
	c.taken.Add(min(after, c.each) - min(before, c.each))
}

// TakeUnshared takes n for a caller that has no share, only the total limit. It takes no lock.
func (c *Counter[K]) TakeUnshared(n int) error {
	if !c.add(int64(n), c.total) {
		return ErrTotal
	}
	return nil
}

// ForceUnshared is Force for a caller that has no share; a negative n gives back.
func (c *Counter[K]) ForceUnshared(n int) { c.taken.Add(int64(n)) }

// Taken returns how much all callers together have taken within their shares.
func (c *Counter[K]) Taken() int { return int(c.taken.Load()) }

// Limits returns the limit for all callers together and the share of each.
func (c *Counter[K]) Limits() (total, each int) { return int(c.total), int(c.each) }
