package notify

import "time"

// Notice reports that something has changed. It is the Notice of package runtime/bus for this package.
type Notice struct {
	From    string // identifies the instance that has published the notice; empty before
	Kind    Kind
	Subject string // the URI of a resource, or the id of a task; "" for a list
	Audience
}

// Audience limits a notice of a resource, or of the list of resources, to the clients of one tenant, and a client to the
// notices of its tenant. The zero value limits nothing.
type Audience struct {
	Tenant    string // "" is the callers without a tenant
	IsLimited bool   // to Tenant
}

// overlaps reports whether a client of one audience gets the notices for the other.
func (a Audience) overlaps(b Audience) bool {
	return !a.IsLimited || !b.IsLimited || a.Tenant == b.Tenant
}

// Kind is the kind of a [Notice]. The kind of a changed list is the name of the list.
type Kind string

// The other kinds.
const (
	ResourceUpdated Kind = "resource"
	TaskChanged     Kind = "task"
	NoticesMissed   Kind = "missed"
)

// Bus publishes the notices of a [Hub] at the other instances of the server, and passes their notices to [Hub.Receive].
// runtime/internal/busclient implements it; only servers with a Bus link it. Its methods are called concurrently.
type Bus interface {
	// Publish publishes a notice. It does not wait.
	Publish(n Notice)
	// Subscribe starts receiving notices, when it is first called. It does not wait.
	Subscribe()
	// Close ends the subscription, and tries to publish what is left, both for at most grace.
	Close(grace time.Duration)
}
