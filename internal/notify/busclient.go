package notify

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
)

// busClient connects a [Hub] to its [Bus].
//
//	registry, tasks ─publish─▶ publisher ─▶ Bus
//	clients, tasks  ◀─receive─ receiver  ◀─ Bus
type busClient struct {
	from      string // identifies this instance in its notices
	publisher publisher
	receiver  receiver
	stop      context.CancelFunc // ends publisher and receiver
	unwatch   func()             // stops watching the registry
}

func newBusClient(h *Hub, bus Bus, log *slog.Logger) *busClient {
	b := &busClient{from: rand.Text()}
	stopping, stop := context.WithCancel(context.Background())
	hopeless, giveUp := context.WithCancel(context.Background())
	b.stop = stop
	b.publisher = publisher{
		bus: bus, from: b.from, stopping: stopping, hopeless: hopeless, giveUp: giveUp,
		calls: busCalls{log: log, what: "other instances are not notified of changes"},
	}
	b.receiver = receiver{
		bus: bus, receive: h.receive, stopping: stopping, done: make(chan struct{}),
		calls: busCalls{log: log, what: "clients are not notified of changes at other instances"},
	}
	b.unwatch = watchRegistry(h.registry, b.publish)
	return b
}

// publish publishes a notice of a change at this instance. It does not wait.
func (b *busClient) publish(n Notice) {
	if n.Kind == resourceUpdated && !isURI(n.Subject) {
		return // it cannot have subscribers
	}
	b.publisher.add(n)
}

// Close ends the subscription to the Bus, and tries to publish the queued notices, both for at most grace.
func (h *Hub) Close(grace time.Duration) {
	b := h.bus
	if b == nil {
		return
	}
	b.unwatch()
	b.stop()
	expired := make(chan struct{})
	defer time.AfterFunc(grace, func() { close(expired) }).Stop()
	b.publisher.close(expired)
	b.receiver.close(expired)
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
func (b *busCalls) call(ctx context.Context, method func() error) (err error) {
	defer func() {
		switch {
		case err == nil && b.down:
			b.down = false
			b.log.LogAttrs(ctx, slog.LevelInfo, "the bus works again")
		case err != nil && !b.down && (b.failed.IsZero() || time.Since(b.failed) >= outageInterval):
			b.down, b.failed = true, time.Now()
			b.log.LogAttrs(ctx, slog.LevelError, "the bus fails: "+b.what, slog.Any("error", err))
		}
	}()
	defer contain.Error(&err)
	return method()
}
