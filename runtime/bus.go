package runtime

import "context"

// Bus carries notices between the instances of a server, for example several processes behind a load balancer: if a
// resource is updated at one instance, the clients of all instances are notified. [LocalBus] connects servers in one process;
// between processes, a Bus is a few lines around a publish-subscribe service. The methods are called concurrently. A server
// subscribes once, and publishes one notice at a time.
//
// A notice may be lost, arrive twice, or arrive after a later one: it reports only that something has changed, and its
// receiver looks up the current state. A client that is not notified because a notice was lost keeps what it has until it
// lists or reads again, for example after it has reconnected. A Bus that knows that it may have lost notices to this
// instance, because its connection was broken, delivers one of the kind [NoticesMissed]: then clients are notified of all that
// may have changed.
//
// A server tolerates a Bus that blocks, panics, returns errors, or delivers notices that no server has published: that
// costs nothing but notices. Protect it nevertheless like the store of tasks: notices contain URIs, and ids of tasks,
// which whoever knows them can use if callers are not authenticated. [Server.Bus] is nil by default; then clients are
// notified only of changes at their own instance.
type Bus interface {
	// Publish passes a notice to the subscribers of all instances; whether those of this Bus value get it is left to the
	// Bus. It returns when the notice is on its way, and must return when ctx ends, which is after at most 5 s. An error means
	// that the notice may be lost; the server logs the first of several errors, and tries again after a pause.
	Publish(ctx context.Context, n Notice) error
	// Subscribe calls fn for each notice that arrives, one at a time, until stop is called. After stop has returned, fn is
	// not called any more. fn returns quickly and does not call the Bus. An error means that there is no subscription; the
	// server tries again after 500 ms, and then after pauses of up to 30 s. If a connection breaks later, the Bus restores it,
	// and then calls fn with a notice of the kind [NoticesMissed].
	Subscribe(fn func(Notice)) (stop func(), err error)
}

// Notice reports that something has changed. It can be encoded as JSON; a subject has at most 4096 bytes.
type Notice struct {
	// From identifies the instance that has published the notice: a random text, new for each [Server]. An instance ignores
	// its own notices. Programs that publish notices themselves leave it empty.
	From string `json:"from"`
	// Kind is what kind of thing has changed. Kinds that are unknown are ignored: a newer instance may have sent them.
	Kind NoticeKind `json:"kind"`
	// Subject is what has changed: the URI of a resource, or the id of a task; "" for a list.
	Subject string `json:"subject,omitempty"`
}

// NoticeKind is what a [Notice] is about.
type NoticeKind string

// The kinds of notices.
const (
	ToolsChanged     NoticeKind = "tools"     // the list of tools
	PromptsChanged   NoticeKind = "prompts"   // the list of prompts
	ResourcesChanged NoticeKind = "resources" // the lists of resources and templates
	ResourceUpdated  NoticeKind = "resource"  // the contents of the resource with the URI Subject
	TaskChanged      NoticeKind = "task"      // the record of the task with the id Subject: it was cancelled, or answered
	NoticesMissed    NoticeKind = "missed"    // anything of the above, at other instances; no server publishes it, only a Bus delivers it
)
