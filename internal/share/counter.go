// Package share counts what is taken of a limit that many callers share, so that none of them takes all of it.
package share

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	// ErrTotal says that the callers together have taken all there is.
	ErrTotal = errors.New("the limit of all callers is reached")
	// ErrShare says that one caller has taken all it may.
	ErrShare = errors.New("the limit of this caller is reached")
)

// Counter counts what callers, told apart by keys, have taken of one limit. It is safe for concurrent use.
type Counter[K comparable] struct {
	total, each int64
	taken       atomic.Int64

	mu    sync.Mutex
	tally Tally[K]
}

// New returns a counter that lets all callers together take total, and each of them no more than each.
func New[K comparable](total, each int) *Counter[K] {
	return &Counter[K]{total: int64(total), each: int64(each)}
}

// Take takes n for a caller. The error is [ErrTotal] or [ErrShare] if that would be too much; nothing is taken then.
func (c *Counter[K]) Take(key K, n int) error {
	return c.take(key, int64(n), c.total, c.each)
}

// TakeSpare is Take for what can be done without: it takes no more than the first half of the limit and of the share.
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

// add adds n to what is taken, unless that is then more than total.
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

// Force takes n for a caller even if that is too much. Until enough is given back nothing more can be taken.
func (c *Counter[K]) Force(key K, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken.Add(int64(n))
	c.tally.Add(key, int64(n))
}

// Give gives back n of what a caller has taken.
func (c *Counter[K]) Give(key K, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken.Add(-int64(n))
	c.tally.Add(key, -int64(n))
}

// TakeUnshared takes n for a caller that is not limited to a share. It takes no lock.
func (c *Counter[K]) TakeUnshared(n int) error {
	if !c.add(int64(n), c.total) {
		return ErrTotal
	}
	return nil
}

// ForceUnshared is Force for a caller that is not limited to a share; a negative n gives back.
func (c *Counter[K]) ForceUnshared(n int) { c.taken.Add(int64(n)) }

// Taken returns what all callers together have taken.
func (c *Counter[K]) Taken() int { return int(c.taken.Load()) }

// Limits returns what all callers together, and each of them, may take.
func (c *Counter[K]) Limits() (total, each int) { return int(c.total), int(c.each) }
