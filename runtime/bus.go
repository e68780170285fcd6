package runtime

import "context"

// Bus carries notices between the instances of a server, for example several processes behind a load balancer. What one
// instance notices, such as an updated resource, the clients of all instances are then notified of. The methods are called
// concurrently, and while the server runs.
//
// A notice may be lost, arrive twice, or arrive after a later one: it says only that something has changed, and who gets it
// looks at what there is now. A client that was not notified because a notice was lost learns nothing wrong; it has what it
// had, until it asks again.
//
// [Server.Bus] is nil by default: then notices stay in the process.
type Bus interface {
	// Publish passes a notice to the subscribers of all instances; whether those of this Bus value get it is left to the
	// Bus. It returns when the notice is on its way, and ends with ctx. An error means that it may be lost.
	Publish(ctx context.Context, n Notice) error
	// Subscribe calls fn for each notice that arrives, one at a time, until stop is called. After stop has returned, fn is
	// not called any more. fn returns quickly and does not call the Bus. The error means that there is no subscription;
	// connections that break later are the business of the Bus, which subscribes again.
	Subscribe(fn func(Notice)) (stop func(), err error)
}

// Notice says that something has changed. It can be encoded as JSON.
type Notice struct {
	// From identifies the instance that has published the notice, which does not need it itself.
	From string `json:"from"`
	// Kind says what has changed. Ignore kinds that are unknown: a newer instance may have sent them.
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
)
