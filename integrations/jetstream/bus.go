package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/mcptool-go/mcptool/runtime/bus"
)

// maxNoticeBytes is the maximum size of a notice.
const maxNoticeBytes = 64 << 10

// natsBus is the [bus.Bus] of a [Conn]. Its notices are not stored. The NATS client resubscribes after an interruption.
type natsBus struct {
	link    *link
	subject string
	log     *slog.Logger

	mu        sync.Mutex
	receivers map[*receiver]struct{}
}

// receiver is a subscribed func.
type receiver struct {
	mu      sync.Mutex // held during a call of fn
	fn      func(bus.Notice)
	stopped bool
}

func (r *receiver) receive(n bus.Notice) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.fn(n)
	}
}

func (r *receiver) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
}

// Publish implements [bus.Bus]. It returns when the server has received the notice, after at most 5 s.
func (b *natsBus) Publish(ctx context.Context, n bus.Notice) error {
	data, err := encode(n)
	if err != nil {
		return err
	}
	if len(data) > maxNoticeBytes {
		return fmt.Errorf("jetstream: a notice of %d bytes exceeds the limit of %d", len(data), maxNoticeBytes)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := b.link.broken(); err != nil {
		return err
	}
	if err := b.link.nc.Publish(b.subject, data); err != nil {
		return b.link.explain(err)
	}
	return b.link.flush(ctx)
}

// Subscribe implements [bus.Bus]. fn also receives notices published by this Conn.
func (b *natsBus) Subscribe(fn func(bus.Notice)) (stop func(), err error) {
	r := &receiver{fn: fn}
	subscription, err := b.link.nc.Subscribe(b.subject, func(m *nats.Msg) {
		n, err := decodeNotice(m.Data)
		if err != nil {
			b.log.Warn("a message is not a notice", slog.Any("error", err))
			return
		}
		r.receive(n)
	})
	if err != nil {
		return nil, b.link.explain(err)
	}
	if err := b.link.flush(context.Background()); err != nil {
		return nil, errors.Join(err, subscription.Unsubscribe())
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.receivers == nil {
		b.receivers = map[*receiver]struct{}{}
	}
	b.receivers[r] = struct{}{}
	return sync.OnceFunc(func() {
		r.stop()
		_ = subscription.Unsubscribe() // fails if the connection is closed, which also ends it
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.receivers, r)
	}), nil
}

// try returns an error if notices cannot be received.
func (b *natsBus) try(ctx context.Context) error {
	subscription, err := b.link.nc.Subscribe(b.subject, func(*nats.Msg) {})
	if err != nil {
		return b.link.explain(err)
	}
	err = b.link.flush(ctx)
	_ = subscription.Unsubscribe() // fails if the connection is closed, which also ends it
	return err
}

// missed notifies subscribers that notices may have been lost. It does not block. It notifies them only once the server
// is known to deliver new notices; a subscriber that refreshes earlier could miss the next change. If the connection
// breaks before that, missed is called again for the next one.
func (b *natsBus) missed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.receivers) == 0 {
		return
	}
	all := slices.Collect(maps.Keys(b.receivers))
	connection := b.link.connection()
	go func() {
		for b.link.flush(context.Background()) != nil {
			if b.link.broken() != nil || b.link.connection() != connection {
				return
			}
		}
		for _, r := range all {
			r.receive(bus.Notice{Kind: bus.KindMissed})
		}
	}()
}

// missedByAll is missed for all reachable instances.
func (b *natsBus) missedByAll(ctx context.Context) {
	if b.Publish(ctx, bus.Notice{Kind: bus.KindMissed}) != nil {
		b.missed() //nolint:contextcheck // independent of ctx, until subscribers are notified
	}
}

// decodeNotice decodes a notice. Unknown members and kinds come from a newer instance, and are not errors.
func decodeNotice(data []byte) (bus.Notice, error) {
	var n bus.Notice
	if len(data) > maxNoticeBytes {
		return n, fmt.Errorf("it has %d bytes", len(data))
	}
	if err := json.Unmarshal(data, &n); err != nil {
		return n, err
	}
	if n.Kind == "" {
		return n, fmt.Errorf("it has no kind: %.100q", data)
	}
	return n, nil
}
