package bus

import (
	"context"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/runtime/internal/busclient"
)

// Connector connects one or more servers to a [Bus], for their field Bus. It is safe for concurrent use.
type Connector struct{ bus Bus }

// New returns a Connector to the Bus. With nil, servers are connected to nothing, as if their field Bus were nil.
func New(b Bus) *Connector { return &Connector{b} }

// Connect is for package runtime; programs cannot call it.
func (c *Connector) Connect(_ private.Key, receive func(notify.Notice), log *slog.Logger) notify.Bus {
	if c.bus == nil {
		return nil
	}
	return busclient.New(adapter{c.bus}, receive, log)
}

// adapter is a [Bus] for package busclient, which cannot import this package.
type adapter struct{ bus Bus }

// Publish implements [busclient.Bus].
func (a adapter) Publish(ctx context.Context, n notify.Notice) error {
	return a.bus.Publish(ctx, Notice{From: n.From, Kind: string(n.Kind), Subject: n.Subject, Limited: n.IsLimited, Tenant: n.Tenant})
}

// Subscribe implements [busclient.Bus].
func (a adapter) Subscribe(fn func(notify.Notice)) (stop func(), err error) {
	return a.bus.Subscribe(func(n Notice) {
		fn(notify.Notice{
			From: n.From, Kind: notify.Kind(n.Kind), Subject: n.Subject,
			Audience: notify.Audience{Tenant: n.Tenant, IsLimited: n.Limited},
		})
	})
}
