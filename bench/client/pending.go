package client

import (
	"context"
	"fmt"
	"sync"
)

// pending are the requests without an answer of a connection whose answers all come in one stream.
type pending struct {
	mu      sync.Mutex
	waiting map[int64]chan<- []byte
	lost    *UnreachableError // why nothing will come any more
}

// exchange sends a request with send, and waits for its answer. If none can come any more, the error is that of lostError.
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

// forget says that nobody waits for an answer any more.
func (p *pending) forget(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, id)
}

// deliver hands an answer to whoever waits for it, and reports whether somebody does. The caller holds p.mu.
func (p *pending) deliver(id int64, answer []byte) bool {
	to := p.waiting[id]
	if to == nil {
		return false
	}
	delete(p.waiting, id)
	to <- answer // it has room
	return true
}

// failAll tells everybody who waits that there will be no answer. The caller holds p.mu.
func (p *pending) failAll(lost *UnreachableError) {
	if p.lost == nil {
		p.lost = lost
	}
	for id, to := range p.waiting {
		delete(p.waiting, id)
		close(to)
	}
}
