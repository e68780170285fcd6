package jwtauth

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestCacheBounded: it forgets what was not used for longest, and never grows beyond two
// generations.
func TestCacheBounded(t *testing.T) {
	t.Parallel()
	var c cache
	now := time.Now()
	used := hashOf("used")
	c.put(&used, &result{token: streamhttp.Token{Principal: "u1"}, until: now.Add(time.Hour)})
	for i := range 5 * maxCached {
		h := hashOf(fmt.Sprint(i))
		c.put(&h, &result{until: now.Add(time.Hour)})
		if i%(maxCached/2) == 0 {
			if r := c.get(&used, now); r == nil || r.token.Principal != "u1" {
				t.Fatalf("after %d others, the result that is used is %v", i, r)
			}
		}
	}
	if n := len(c.young) + len(c.older); n > 2*maxCached {
		t.Errorf("%d results", n)
	}
	if first := hashOf("0"); c.get(&first, now) != nil {
		t.Error("the first result is still there")
	}
	if r := c.get(&used, now.Add(time.Hour)); r != nil {
		t.Errorf("after its time: %v", r)
	}
}

// TestCacheBytes: long claims do not fill the memory.
func TestCacheBytes(t *testing.T) {
	t.Parallel()
	var c cache
	now := time.Now()
	claims := make([]byte, 256<<10)
	for i := range 1000 {
		h := hashOf(fmt.Sprint(i))
		c.put(&h, &result{token: streamhttp.Token{Claims: claims}, until: now.Add(time.Hour)})
		if r := c.get(&h, now); r == nil {
			t.Fatalf("the latest of %d results is gone", i)
		}
	}
	if n := len(c.young) + len(c.older); n < 128 || n > 2*129 {
		t.Errorf("%d results of 256 KiB", n)
	}
}

// TestHash: tokens of all lengths have different hashes, also those that do not fit into the
// buffer.
func TestHash(t *testing.T) {
	t.Parallel()
	seen := map[hash]bool{}
	for n := range 5000 {
		seen[hashOf(strings.Repeat("x", n))] = true
	}
	if len(seen) != 5000 {
		t.Errorf("%d hashes of 5000 tokens", len(seen))
	}
}
