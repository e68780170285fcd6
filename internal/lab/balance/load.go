package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
)

// tally is the outcome of many calls.
type tally struct {
	mu     sync.Mutex
	served map[string]int // correct responses by the address of the instance
	wrong  int            // everything else
	err    error          // first error
}

func (t *tally) calls() int {
	n := t.wrong
	for _, served := range t.served {
		n += served
	}
	return n
}

// load makes calls over several connections, and checks every response. After a third
// of them it runs meanwhile, and makes more calls until that returns.
func (c *connection) load(ctx context.Context, connections, calls int, meanwhile func()) *tally {
	t := &tally{served: map[string]int{}}
	var made atomic.Int64
	var all sync.WaitGroup
	done := make(chan struct{})
	tools := []string{"digest", "send"} // an operation that may be repeated, and one that must not
	for range connections {
		all.Go(func() {
			for {
				n := int(made.Add(1))
				if n > calls && isClosed(done) {
					return
				}
				if n == max(1, calls/3) {
					all.Go(func() {
						defer close(done)
						meanwhile()
					})
				}
				t.note(c.digest(ctx, tools[n%len(tools)], "text "+strconv.Itoa(n)))
			}
		})
	}
	all.Wait()
	return t
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// digest calls a tool with a result that can be verified.
func (c *connection) digest(ctx context.Context, tool, text string) (instance string, err error) {
	var got struct{ SHA256 string }
	if instance, err = c.call(ctx, tool, map[string]any{"text": text}, &got); err != nil {
		return instance, err
	}
	sum := sha256.Sum256([]byte(text))
	if want := hex.EncodeToString(sum[:]); got.SHA256 != want {
		return instance, fmt.Errorf("digest of %q from %s: got %s, want %s", text, instance, got.SHA256, want)
	}
	return instance, nil
}

func (t *tally) note(instance string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		t.served[instance]++
		return
	}
	t.wrong++
	if t.err == nil {
		t.err = err
	}
}
