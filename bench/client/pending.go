package client

import (
	"context"
	"fmt"
	"sync"
)

// pending holds the unanswered requests of a connection that receives all responses in one stream.
type pending struct {
	mu      sync.Mutex
	waiting map[int64]chan<- []byte
	lost    *UnreachableError // why the connection was lost; nil if it is usable
}

// exchange sends a request with send and waits for the response. If the connection is lost, it returns the error of
// lostError.
func (p *pending) exchange(ctx context.Context, r *request, send func() error, lostError func(method string) error) ([]byte, error) {
	answer := make(chan []byte, 1)
	p.mu.Lock()
	if p.lost != nil {
		defer p.mu.Unlock()
		return nil, p.lost
	}
	if p.waiting[r.id] != nil {
		defer p.mu.Unlock()
		return nil, fmt.Errorf("a request with id %d is under way already", r.id)
	}
	if p.waiting == nil {
		p.waiting = map[int64]chan<- []byte{}
	}
	p.waiting[r.id] = answer
	p.mu.Unlock()
	if err := send(); err != nil {
		p.forget(r.id)
		return nil, err
	}
	select {
	case line, ok := <-answer:
		if !ok {
			return nil, lostError(r.method)
		}
		return line, nil
	case <-ctx.Done():
		p.forget(r.id)
		return nil, context.Cause(ctx)
	}
}

// forget removes a request that no longer waits for a response.
func (p *pending) forget(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, id)
}

// deliver passes a response to its request and reports whether one is waiting. The caller holds p.mu.
func (p *pending) deliver(id int64, answer []byte) bool {
	to := p.waiting[id]
	if to == nil {
		return false
	}
	delete(p.waiting, id)
	to <- answer // buffered; does not block
	return true
}

// failAll fails all waiting requests. The caller holds p.mu.
func (p *pending) failAll(lost *UnreachableError) {
	if p.lost == nil {
		p.lost = lost
	}
	for id, to := range p.waiting {
		delete(p.waiting, id)
		close(to)
	}
}
