package runtime

import (
	"context"
	"slices"
	"sync"
)

// LocalBus is a [Bus] for several servers in one process, for example two endpoints with different tools, or for tests. Its
// zero value is ready to use. It is safe for concurrent use, and must not be copied after first use.
//
// A single Server, and several servers with the same registry, need no LocalBus: each of them is notified of changes by
// the registry, and with a LocalBus their clients would be notified twice.
type LocalBus struct {
	mu          sync.Mutex
	subscribers []*localSubscriber
}

// localSubscriber is one subscription to a LocalBus.
type localSubscriber struct {
	mu sync.Mutex // held while fn runs
	fn func(Notice)
}

// Publish implements [Bus]. It calls the subscribers one after the other, including the subscriber of the publishing
// server, and returns when they have returned. If ctx has ended before, it returns the error of ctx, and publishes
// nothing.
func (b *LocalBus) Publish(ctx context.Context, n Notice) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.mu.Lock()
	list := b.subscribers
	b.mu.Unlock()
	for _, s := range list {
		s.call(n)
	}
	return nil
}

// Subscribe implements [Bus]. The error is always nil. Stop waits for a running call of fn, so fn must not call it.
func (b *LocalBus) Subscribe(fn func(Notice)) (stop func(), err error) {
	s := &localSubscriber{fn: fn}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subscribers = append(slices.Clip(b.subscribers), s) // a new slice, because Publish reads the old one
	return func() { b.unsubscribe(s) }, nil
}

// unsubscribe ends a subscription.
func (b *LocalBus) unsubscribe(s *localSubscriber) {
	b.mu.Lock()
	b.subscribers = slices.DeleteFunc(slices.Clone(b.subscribers), func(other *localSubscriber) bool { return other == s })
	b.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fn = nil
}

// call passes a notice to the subscriber, unless it has stopped.
func (s *localSubscriber) call(n Notice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fn != nil {
		s.fn(n)
	}
}
