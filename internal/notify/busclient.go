package notify

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
)

// busClient connects a [Hub] to its [Bus]. It publishes notices, and receives the notices of other instances, each in its own
// goroutine: a slow Bus neither blocks the callers nor increases the memory of the server.
//
//	registry, tasks ─publish─▶ queue ─▶ Bus
//	clients, tasks  ◀─receive─────────◀ Bus
type busClient struct {
	bus     Bus
	from    string       // identifies this instance in its notices
	receive func(Notice) // handles a notice from the Bus
	unwatch func()       // stops watching the registry

	stopping context.Context // ends with Shutdown; afterwards without pauses and new notices
	stop     context.CancelFunc
	hopeless context.Context // ends when Shutdown no longer waits for the Bus
	giveUp   context.CancelFunc

	publishing, subscribing busCalls

	mu           sync.Mutex
	queue        map[Notice]time.Time // to be published, with the times when they were first added
	isPublishing bool                 // a goroutine publishes the queue
	hasBegun     bool                 // to subscribe
	running      sync.WaitGroup       // the goroutines
}

func newBusClient(h *Hub, bus Bus, log *slog.Logger) *busClient {
	b := &busClient{bus: bus, from: rand.Text(), receive: h.receive}
	b.stopping, b.stop = context.WithCancel(context.Background())
	b.hopeless, b.giveUp = context.WithCancel(context.Background())
	b.publishing = busCalls{log: log, what: "other instances are not notified of changes"}
	b.subscribing = busCalls{log: log, what: "clients are not notified of changes at other instances"}
	b.unwatch = watchRegistry(h.registry, b.publish)
	return b
}

// Close ends the subscription to the Bus, and tries to publish the queued notices, both for at most grace.
func (h *Hub) Close(grace time.Duration) {
	b := h.bus
	if b == nil {
		return
	}
	b.unwatch()
	b.mu.Lock()
	b.stop() // with the lock, so that no goroutine is started afterwards
	b.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.running.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(grace):
	}
	b.giveUp()
}

// pause waits for this duration, or until the server is shut down.
func (b *busClient) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-b.stopping.Done():
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
