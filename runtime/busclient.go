package runtime

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// busClient connects a server to its [Bus]. It is nil for a server without one; subscribe, taskChanged and close then
// do nothing.
//
//	registry, tasks ─publish─▶ busPublisher ─▶ Bus
//	sessions, tasks ◀─receive─ busSubscription ◀─ Bus
type busClient struct {
	core         *core
	from         string // identifies this server in its notices
	publisher    busPublisher
	subscription busSubscription
	stop         context.CancelFunc // ends publisher and subscription
	unwatch      func()             // stops watching the registry
}

// newBusClient returns the client of a Bus, which may be nil. From then on the changes of the registry are published,
// even if no local client is notified of them: clients of other instances may be.
func newBusClient(c *core, bus Bus) *busClient {
	if bus == nil {
		return nil
	}
	b := &busClient{core: c, from: rand.Text()}
	stopping, stop := context.WithCancel(context.Background())
	hopeless, giveUp := context.WithCancel(context.Background())
	b.stop = stop
	b.publisher = busPublisher{
		bus: bus, from: b.from, stopping: stopping, hopeless: hopeless, giveUp: giveUp,
		calls: busCalls{log: c.log, what: "other instances are not notified of changes"},
	}
	b.subscription = busSubscription{
		bus: bus, receive: b.receive, stopping: stopping, done: make(chan struct{}),
		calls: busCalls{log: c.log, what: "clients are not notified of changes at other instances"},
	}
	b.unwatch = watchRegistry(c.tools, b.publish)
	return b
}

// publish publishes a notice of a change at this instance. It does not wait.
func (b *busClient) publish(n Notice) {
	if n.Kind == ResourceUpdated && !isURI(n.Subject) {
		return // it cannot have subscribers
	}
	b.publisher.add(n)
}

// isURI reports whether a resource can have this URI.
func isURI(text string) bool {
	_, ok := uritemplate.Normalize(text)
	return ok && text != ""
}

// subscribe starts receiving the notices of other instances. It does not wait.
func (b *busClient) subscribe() {
	if b != nil {
		b.subscription.begin()
	}
}

// receive handles a notice of the Bus, whose content is not trusted. It is not published again, so it cannot circulate.
func (b *busClient) receive(n Notice) {
	if n.From == b.from || len(n.Subject) > maxSubject {
		return
	}
	c := b.core
	switch n.Kind {
	case ToolsChanged:
		b.listChanged(listOfTools, n)
	case PromptsChanged:
		b.listChanged(listOfPrompts, n)
	case ResourcesChanged:
		b.listChanged(listOfResources, n)
	case ResourceUpdated:
		if isURI(n.Subject) {
			_, exists := c.lookUpResource(n.Subject)
			c.subscribers.deliver(n, exists) // who may see a resource that does not exist here is unknown
		}
	case TaskChanged:
		c.tasks.store.wakeUp(n.Subject)
	case NoticesMissed:
		for list := range listKinds {
			c.remoteChanges[list].Add(1)
		}
		c.subscribers.deliver(n, true)
		c.subscribers.resources.allUpdated()
		c.tasks.store.wakeAll()
	}
}

// listChanged makes a list count as changed even if the local registry is not.
func (b *busClient) listChanged(list listKind, n Notice) {
	b.core.remoteChanges[list].Add(1)
	b.core.subscribers.deliver(n, true)
}

// taskChanged makes waiting requests look up the record of the task, here and at other instances.
func (b *busClient) taskChanged(id string) {
	if b != nil {
		b.core.tasks.store.wakeUp(id)
		b.publish(Notice{Kind: TaskChanged, Subject: id})
	}
}

// close ends the subscription, and tries to publish the queued notices, both for at most grace.
func (b *busClient) close(grace time.Duration) {
	if b == nil {
		return
	}
	b.unwatch()
	b.stop()
	until := time.Now().Add(grace)
	b.publisher.close(grace)
	b.subscription.close(time.Until(until))
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
