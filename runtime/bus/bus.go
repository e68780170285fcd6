// Package bus connects the instances of a server, so that the clients of each are notified of changes at all of them. A
// server uses a [Bus] if its field Bus is set:
//
//	srv := &runtime.Server{Name: "docs", Version: "1.0.0", Bus: bus.New(broker)}
//
// Here broker is the Bus: a few lines around a publish-subscribe service, the Bus of integrations/jetstream, or a [Local]
// for servers in one process. Without a Bus clients are notified only of changes at their own instance. Only programs that
// import this package link the code that publishes and receives notices.
package bus

import "context"

// Bus carries notices between the instances of a server, for example several processes behind a load balancer: if a
// resource is updated at one instance, the clients of all instances are notified. A Bus carries only notices that something
// has changed, not the tools, prompts or resources themselves: a tool that is added at one instance must be added at the
// others too. [Local] connects servers in one process; between processes, a Bus is a few lines around a publish-subscribe
// service. The methods are called concurrently. A server subscribes once, and publishes one notice at a time.
//
// A notice may be lost, arrive twice, or arrive out of order: it only reports a change, and its receiver looks up the
// current state. If a client is not notified because a notice was lost, its cache stays stale until it lists or reads
// again, for example after it has reconnected. If a Bus may have lost notices to this instance, because its connection
// was broken, it delivers a notice of the kind [KindMissed]: then clients are notified of everything that may have
// changed.
//
// A server tolerates a Bus that panics, returns errors, or delivers notices that no server has published: at worst,
// notices are lost. Protect the Bus nevertheless like the store of tasks: notices contain URIs and ids of tasks,
// and if callers are not authenticated, everyone who knows the id of a task can use it.
type Bus interface {
	// Publish passes a notice to the subscribers of all instances; whether subscribers of this Bus value also get it is
	// left to the Bus. It returns when the notice is on its way, and must return when ctx ends, which is after at most
	// 5 s. An error means that the notice may be lost; the server logs the first of several errors, and tries again
	// after a pause.
	Publish(ctx context.Context, n Notice) error
	// Subscribe calls fn for each notice that arrives, one at a time, until stop is called. After stop has returned, fn
	// is not called any more. Fn returns quickly and does not call the Bus. An error means that subscribing has failed;
	// the server tries again after 500 ms, and then after pauses of up to 30 s. If a connection breaks later, the Bus
	// restores it, and then calls fn with a notice of the kind [KindMissed].
	Subscribe(fn func(Notice)) (stop func(), err error)
}

// Notice reports that something has changed. It can be encoded as JSON; subjects and tenants have at most 4096 bytes.
type Notice struct {
	// From identifies the instance that has published the notice: a random text, new for each server. An instance ignores
	// its own notices. Programs that publish notices themselves leave it empty.
	From string `json:"from"`
	// Kind is the kind of the change: one of the constants of this package; or, between servers only, "tools" or "prompts"
	// for the list of these, or "task" for the record of a task, which was cancelled or answered. Unknown kinds are ignored:
	// a newer instance may have sent them.
	Kind string `json:"kind"`
	// Subject identifies what has changed: the URI of a resource, or the id of a task; "" for a list.
	Subject string `json:"subject,omitempty"`
	// Limited means that the notice is only for the clients of Tenant, which is "" for callers without a tenant: see
	// [github.com/mcptool-go/mcptool/mcptool.Registry.ResourceUpdatedFor]. Only notices of a resource and of the lists of
	// resources are limited.
	Limited bool   `json:"limited,omitempty"`
	Tenant  string `json:"tenant,omitempty"`
}

// The kinds of notices that a program or a [Bus] publishes.
const (
	KindResources = "resources" // the lists of resources and templates
	KindResource  = "resource"  // the contents of the resource with the URI Subject
	KindMissed    = "missed"    // any change, at other instances; created by a Bus only
)
