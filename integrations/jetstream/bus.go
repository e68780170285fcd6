package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/mcptool-go/mcptool/runtime"
)

// maxNoticeBytes is the largest notice that is accepted.
const maxNoticeBytes = 64 << 10

// bus is the [runtime.Bus] of a [Conn]. Its notices are not stored. The client subscribes again after an interruption.
type bus struct {
	link    *link
	subject string
	log     *slog.Logger
}

// Publish implements [runtime.Bus]. It returns when the server has the notice, at most after 5 s.
func (b *bus) Publish(ctx context.Context, n runtime.Notice) error {
	data, err := encode(n)
	if err != nil {
		return err
	}
	if len(data) > maxNoticeBytes {
		return fmt.Errorf("jetstream: a notice of %d bytes, at most %d are passed on", len(data), maxNoticeBytes)
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

// Subscribe implements [runtime.Bus]. fn also gets what this Conn publishes.
func (b *bus) Subscribe(fn func(runtime.Notice)) (stop func(), err error) {
	var mu sync.Mutex // held while fn is called
	stopped := false
	subscription, err := b.link.nc.Subscribe(b.subject, func(m *nats.Msg) {
		n, err := decodeNotice(m.Data)
		if err != nil {
			b.log.Warn("a message is not a notice", slog.Any("error", err))
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			fn(n)
		}
	})
	if err != nil {
		return nil, b.link.explain(err)
	}
	if err := b.link.flush(context.Background()); err != nil {
		return nil, errors.Join(err, subscription.Unsubscribe())
	}
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			stopped = true
			_ = subscription.Unsubscribe() // it fails if the connection is closed, which ends it too
		}
	}, nil
}

// decodeNotice decodes a notice. Members and kinds that are unknown are of a newer instance, and no errors.
func decodeNotice(data []byte) (runtime.Notice, error) {
	var n runtime.Notice
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
