package bus

import (
	"context"
	"slices"
	"sync"
)

// Local is a [Bus] for several servers in one process, for example two endpoints with different tools, or for tests. Its
// zero value is ready to use. It is safe for concurrent use, and must not be copied after first use.
//
// A single server, and several servers with the same registry, need no Local: each of them is notified of changes by
// the registry, and with a Local their clients would be notified twice.
type Local struct {
	mu          sync.Mutex // held while subscribers are called
	subscribers []*func(Notice)
}

// Publish implements [Bus]. It calls the subscribers one after the other, including the subscriber of the publishing
// server, and returns when they have returned. If ctx has ended before, it returns the error of ctx, and publishes
// nothing.
func (b *Local) Publish(ctx context.Context, n Notice) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, fn := range b.subscribers {
		(*fn)(n)
	}
	return nil
}

// Subscribe implements [Bus]. The error is always nil. Stop waits for a running call of fn, so fn must not call it.
func (b *Local) Subscribe(fn func(Notice)) (stop func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subscribers = append(b.subscribers, &fn)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.subscribers = slices.DeleteFunc(b.subscribers, func(other *func(Notice)) bool { return other == &fn })
	}, nil
}
