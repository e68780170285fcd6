package jwtauth

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// Limits of one generation of a cache.
const (
	maxCached      = 8192
	maxCachedBytes = 32 << 20 // of claims
)

// hash identifies a token without containing it.
type hash [sha256.Size]byte

// hashOf returns the hash of a token. Most tokens fit into its buffer, so that it does not
// allocate.
func hashOf(token string) hash {
	var buffer [2 << 10]byte
	return sha256.Sum256(append(buffer[:0], token...))
}

// result is the result of verifying a token.
type result struct {
	token streamhttp.Token
	err   error // that the token is invalid; nil if it is valid
	until time.Time
}

// cache keeps results in two generations: when the younger one is full, it replaces the older one.
// Results that are used move to the younger one.
type cache struct {
	mu           sync.Mutex
	young, older map[hash]*result
	bytes        int // of the claims in young
}

// get returns the result for a token; nil if there is none that may still be used.
func (c *cache) get(h *hash, now time.Time) *result {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.young[*h]
	if r == nil {
		if r = c.older[*h]; r != nil {
			c.add(h, r)
		}
	}
	if r == nil || !now.Before(r.until) {
		return nil
	}
	return r
}

// remove removes the result for a token.
func (c *cache) remove(h *hash) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.young, *h)
	delete(c.older, *h)
}

// put adds a result.
func (c *cache) put(h *hash, r *result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(h, r)
}

func (c *cache) add(h *hash, r *result) {
	if len(c.young) >= maxCached || c.bytes >= maxCachedBytes {
		c.young, c.older, c.bytes = nil, c.young, 0
	}
	if c.young == nil {
		c.young = map[hash]*result{}
	}
	c.young[*h] = r
	c.bytes += len(r.token.Claims)
}
