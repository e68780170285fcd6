package notify

import "context"

// Notice reports that something has changed. It is runtime.Notice for this package.
type Notice struct {
	From    string // identifies the instance that has published the notice; empty before
	Kind    Kind
	Subject string // the URI of a resource, or the id of a task; "" for a list
	Audience
}

// isLong reports whether the notice is longer than those that servers publish.
func (n *Notice) isLong() bool { return len(n.Subject) > maxSubject || len(n.Tenant) > maxSubject }

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
	resourceUpdated Kind = "resource"
	taskChanged     Kind = "task"
	noticesMissed   Kind = "missed"
)

// Bus carries notices between the instances of a server. It is runtime.Bus for this package, and documented there.
type Bus interface {
	Publish(ctx context.Context, n Notice) error
	Subscribe(fn func(Notice)) (stop func(), err error)
}
