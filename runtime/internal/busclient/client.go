// Package busclient publishes the notices of a server on a Bus, and receives notices of other instances. Package
// runtime/bus makes a [Client] for each server that has a Bus; other servers do not link it.
package busclient

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/notify"
)

// Bus carries notices between the instances of a server. It is the Bus of package runtime/bus for this package, and
// documented there.
type Bus interface {
	Publish(ctx context.Context, n notify.Notice) error
	Subscribe(fn func(notify.Notice)) (stop func(), err error)
}

// Client connects a [notify.Hub] to a [Bus]. It publishes notices, and receives the notices of other instances, each in its
// own goroutine: a slow Bus neither blocks the callers nor increases the memory of the server. It implements
// [notify.Bus].
//
//	registry, tasks ─publish─▶ queue ─▶ Bus
//	clients, tasks  ◀─receive─────────◀ Bus
type Client struct {
	bus     Bus
	from    string              // identifies this instance in its notices
	receive func(notify.Notice) // handles a notice of another instance

	stopping context.Context // ends with Shutdown; afterwards without pauses and new notices
	stop     context.CancelFunc
	hopeless context.Context // ends when Shutdown no longer waits for the Bus
	giveUp   context.CancelFunc

	publishing, subscribing busCalls

	mu           sync.Mutex
	queue        map[notify.Notice]time.Time // to be published, with the times when they were first added
	isPublishing bool                        // a goroutine publishes the queue
	hasBegun     bool                        // to subscribe
	running      sync.WaitGroup              // the goroutines
}

// New returns a client of the Bus. It calls receive for each notice of another instance, one at a time.
func New(bus Bus, receive func(notify.Notice), log *slog.Logger) *Client {
	c := &Client{bus: bus, from: rand.Text(), receive: receive}
	c.stopping, c.stop = context.WithCancel(context.Background())
	c.hopeless, c.giveUp = context.WithCancel(context.Background())
	c.publishing = busCalls{log: log, what: "other instances are not notified of changes"}
	c.subscribing = busCalls{log: log, what: "clients are not notified of changes at other instances"}
	return c
}

// Close ends the subscription to the Bus, and tries to publish the queued notices, both for at most grace.
func (c *Client) Close(grace time.Duration) {
	c.mu.Lock()
	c.stop() // with the lock, so that no goroutine is started afterwards
	c.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.running.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(grace):
	}
	c.giveUp()
}

// pause waits for this duration, or until the server is shut down.
func (c *Client) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.stopping.Done():
	}
}

// outageInterval is the minimum time between two logged outages, in case the Bus fails every other time.
const outageInterval = time.Minute

// busCalls calls methods of the Bus, one at a time. It logs when they begin to fail and when they succeed again, but
// not each failure.
type busCalls struct {
	log    *slog.Logger
	what   string    // the consequence of a failure, for the log
	failed time.Time // when the last logged outage began
	down   bool      // that outage is not over
}

// call calls a method of the Bus. A panic is an error.
func (c *busCalls) call(ctx context.Context, method func() error) (err error) {
	defer func() {
		switch {
		case err == nil && c.down:
			c.down = false
			c.log.LogAttrs(ctx, slog.LevelInfo, "the bus works again")
		case err != nil && !c.down && (c.failed.IsZero() || time.Since(c.failed) >= outageInterval):
			c.down, c.failed = true, time.Now()
			c.log.LogAttrs(ctx, slog.LevelError, "the bus fails: "+c.what, slog.Any("error", err))
		}
	}()
	defer contain.Error(&err)
	return method()
}
