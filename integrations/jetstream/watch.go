package jetstream

import (
	"context"
	"sync"

	"github.com/nats-io/nats.go"
)

// watchers are the calls of Wait, by the hash of the id. An instance publishes a change after it has stored the record,
// so that a woken call reads the new one.
type watchers struct {
	mu      sync.Mutex
	waiting map[string]map[chan struct{}]struct{}
}

// add returns a channel that receives a value when the record may have changed, and a func to stop that.
func (w *watchers) add(id string) (<-chan struct{}, func()) {
	changed := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting == nil {
		w.waiting = map[string]map[chan struct{}]struct{}{}
	}
	if w.waiting[id] == nil {
		w.waiting[id] = map[chan struct{}]struct{}{}
	}
	w.waiting[id][changed] = struct{}{}
	return changed, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if delete(w.waiting[id], changed); len(w.waiting[id]) == 0 {
			delete(w.waiting, id)
		}
	}
}

// wake wakes the calls that wait for the record of an id.
func (w *watchers) wake(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for changed := range w.waiting[id] {
		wake(changed)
	}
}

// wakeAll wakes all calls.
func (w *watchers) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, waiting := range w.waiting {
		for changed := range waiting {
			wake(changed)
		}
	}
}

func wake(changed chan struct{}) {
	select {
	case changed <- struct{}{}:
	default: // it already has one
	}
}

// changed notifies all instances of a changed record. If the message is lost, they see the change in the next poll.
func (s *store) changed(id string) {
	_ = s.link.nc.PublishMsg(&nats.Msg{Subject: s.names.changed(id)})
}

// watch starts to wake the calls of Wait.
func (s *store) watch(ctx context.Context) error {
	subscription, err := s.link.nc.Subscribe(s.names.changes(), func(m *nats.Msg) { s.watchers.wake(s.names.changeOf(m.Subject)) })
	if err != nil {
		return s.link.explain(err)
	}
	if err = s.link.flush(ctx); err != nil {
		_ = subscription.Unsubscribe() // retried, or the connection is closed
	}
	return err
}
