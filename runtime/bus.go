package runtime

import (
	"context"
	"slices"
	"sync"

	"github.com/mcptool-go/mcptool/internal/notify"
)

// Bus carries notices between the instances of a server, for example several processes behind a load balancer: if a
// resource is updated at one instance, the clients of all instances are notified. [LocalBus] connects servers in one process;
// between processes, a Bus is a few lines around a publish-subscribe service. The methods are called concurrently. A server
// subscribes once, and publishes one notice at a time.
//
// A notice may be lost, arrive twice, or arrive out of order: it only reports a change, and its receiver looks up the
// current state. If a client is not notified because a notice was lost, its cache stays stale until it lists or reads
// again, for example after it has reconnected. If a Bus may have lost notices to this instance, because its connection
// was broken, it delivers a notice of the kind [NoticeKindMissed]: then clients are notified of everything that may have
// changed.
//
// A server tolerates a Bus that panics, returns errors, or delivers notices that no server has published: at worst,
// notices are lost. Protect the Bus nevertheless like the store of tasks: notices contain URIs and ids of tasks,
// and if callers are not authenticated, everyone who knows the id of a task can use it. [Server.Bus] is nil by default;
// then clients are notified only of changes at their own instance.
type Bus interface {
	// Publish passes a notice to the subscribers of all instances; whether subscribers of this Bus value also get it is
	// left to the Bus. It returns when the notice is on its way, and must return when ctx ends, which is after at most
	// 5 s. An error means that the notice may be lost; the server logs the first of several errors, and tries again
	// after a pause.
	Publish(ctx context.Context, n Notice) error
	// Subscribe calls fn for each notice that arrives, one at a time, until stop is called. After stop has returned, fn
	// is not called any more. Fn returns quickly and does not call the Bus. An error means that subscribing has failed;
	// the server tries again after 500 ms, and then after pauses of up to 30 s. If a connection breaks later, the Bus
	// restores it, and then calls fn with a notice of the kind [NoticeKindMissed].
	Subscribe(fn func(Notice)) (stop func(), err error)
}

// Notice reports that something has changed. It can be encoded as JSON; subjects and tenants have at most 4096 bytes.
type Notice struct {
	// From identifies the instance that has published the notice: a random text, new for each [Server]. An instance ignores
	// its own notices. Programs that publish notices themselves leave it empty.
	From string `json:"from"`
	// Kind is the kind of the change: one of the constants of this package; or, between servers only, "tools" or "prompts"
	// for the list of these, or "task" for the record of a task, which was cancelled or answered. Unknown kinds are ignored:
	// a newer instance may have sent them.
	Kind string `json:"kind"`
	// Subject identifies what has changed: the URI of a resource, or the id of a task; "" for a list.
	Subject string `json:"subject,omitempty"`
	// Limited means that the notice is only for the clients of Tenant, which is "" for callers without a tenant: see
	// [mcptool.Registry.ResourceUpdatedFor]. Only notices of a resource and of the lists of resources are limited.
	Limited bool   `json:"limited,omitempty"`
	Tenant  string `json:"tenant,omitempty"`
}

// The kinds of notices that a program or a [Bus] publishes.
const (
	NoticeKindResources = "resources" // the lists of resources and templates
	NoticeKindResource  = "resource"  // the contents of the resource with the URI Subject
	NoticeKindMissed    = "missed"    // any change, at other instances; created by a Bus only
)

// busAdapter is a [Bus] for package notify, which cannot import this package.
type busAdapter struct{ bus Bus }

// Publish implements [notify.Bus].
func (b busAdapter) Publish(ctx context.Context, n notify.Notice) error {
	return b.bus.Publish(ctx, Notice{From: n.From, Kind: string(n.Kind), Subject: n.Subject, Limited: n.IsLimited, Tenant: n.Tenant})
}

// Subscribe implements [notify.Bus].
func (b busAdapter) Subscribe(fn func(notify.Notice)) (stop func(), err error) {
	return b.bus.Subscribe(func(n Notice) {
		fn(notify.Notice{
			From: n.From, Kind: notify.Kind(n.Kind), Subject: n.Subject,
			Audience: notify.Audience{Tenant: n.Tenant, IsLimited: n.Limited},
		})
	})
}

// LocalBus is a [Bus] for several servers in one process, for example two endpoints with different tools, or for tests. Its
// zero value is ready to use. It is safe for concurrent use, and must not be copied after first use.
//
// A single Server, and several servers with the same registry, need no LocalBus: each of them is notified of changes by
// the registry, and with a LocalBus their clients would be notified twice.
type LocalBus struct {
	mu          sync.Mutex // held while subscribers are called
	subscribers []*func(Notice)
}

// Publish implements [Bus]. It calls the subscribers one after the other, including the subscriber of the publishing
// server, and returns when they have returned. If ctx has ended before, it returns the error of ctx, and publishes
// nothing.
func (b *LocalBus) Publish(ctx context.Context, n Notice) error {
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
func (b *LocalBus) Subscribe(fn func(Notice)) (stop func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subscribers = append(b.subscribers, &fn)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.subscribers = slices.DeleteFunc(b.subscribers, func(other *func(Notice)) bool { return other == &fn })
	}, nil
}
