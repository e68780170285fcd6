package runtime

import (
	"github.com/mcptool-go/mcptool/internal/uritemplate"
	"github.com/mcptool-go/mcptool/mcptool"
)

// maxSubscribedURI is the maximum length of a URI that clients may subscribe to, in bytes. Typical URIs are shorter
// than a line, and browsers and proxies refuse longer ones.
const maxSubscribedURI = 2 << 10

// resourceSubscription is the subscription of a client to one resource: with resources/subscribe in a legacy session, or
// as a part of a subscriptions/listen.
type resourceSubscription struct {
	session  *Session
	listen   *listen // nil in a legacy session
	uri      string  // as sent by the client
	key      string  // its normal form
	position int     // in the index, which guards it

	// Guarded by session.mu.
	reader *resourceReader
	gone   bool
	own    resourceUpdate             // for the URI itself
	below  map[string]*resourceUpdate // for sub-resources, by the normal form of their URIs; nil if none
}

const (
	// subscriptionCost is the approximate memory of a subscription to a resource, without the text of its URI, in
	// bytes.
	subscriptionCost = 768
	// scopeCost is the approximate memory of a scope, without its text, in bytes.
	scopeCost = 16
)

// cost returns the number of bytes of [Limits.MaxMemoryBytes] that the subscription counts for. In a legacy session
// each subscription has its own reader.
func (sub *resourceSubscription) cost() int {
	cost := subscriptionCost + len(sub.uri)
	if sub.listen == nil {
		cost += sub.reader.cost()
	}
	return cost
}

// resourceReader is a caller, as described by its request, for whom the existence of resources is checked.
type resourceReader struct {
	access *Access
	info   *mcptool.CallInfo
}

// cost returns the approximate number of bytes of the request that the reader keeps.
func (r *resourceReader) cost() int {
	cost := len(r.info.Meta)
	if r.access != nil {
		for _, scope := range r.access.Scopes {
			cost += len(scope) + scopeCost
		}
	}
	return cost
}

// finds reports whether a resource with the URI exists for the caller. It may call a condition of the author
// ([mcptool.VisibleIf]).
func (r *resourceReader) finds(c *core, uri string) bool {
	resource, ok := c.lookUpResource(uri)
	return ok && r.sees(resource, uri)
}

// sees reports whether a resource exists for the caller, if requested by this URI.
func (r *resourceReader) sees(resource *mcptool.Resource, uri string) bool {
	if r.access != nil && !r.access.holds(resource.Scopes()) {
		return false
	}
	info := *r.info
	info.Resource = uri
	return resource.VisibleTo(info)
}

// foundResource is the result of a lookup of a resource, nil if there is none. It is valid until the resources change.
type foundResource struct {
	generation uint64
	uri        string
	resource   *mcptool.Resource
}

// lookUpResource returns the resource with the URI, and reports whether there is one. It caches the last result,
// because many clients may be notified of the same resource one after the other.
func (c *core) lookUpResource(uri string) (*mcptool.Resource, bool) {
	generation := c.tools.ResourcesGeneration() // first, so that a change meanwhile makes the result outdated
	if last := c.lastResource.Load(); last != nil && last.generation == generation && last.uri == uri {
		return last.resource, last.resource != nil
	}
	resource, ok := c.tools.LookupResource(uri)
	c.lastResource.Store(&foundResource{generation, uri, resource})
	return resource, ok
}

// reader returns the caller of the request.
func (r *request) reader() *resourceReader {
	return &resourceReader{access: r.access, info: r.callInfo()}
}

// newSubscription returns a subscription of the reader to the URI; nil if such a resource does not exist for the
// caller.
func (s *Session) newSubscription(reader *resourceReader, uri string) *resourceSubscription {
	key, ok := uritemplate.Normalize(uri)
	if !ok || !reader.finds(s.core, uri) {
		return nil
	}
	sub := &resourceSubscription{session: s, uri: uri, key: key, reader: reader}
	sub.own = resourceUpdate{subscription: sub, key: key, uri: uri}
	return sub
}

// end ends the subscription. The caller holds session.mu.
func (sub *resourceSubscription) end() {
	if sub.gone {
		return
	}
	sub.gone = true
	sub.session.subscribers.resources.remove(sub)
	sub.session.changes.updates.drop(sub)
}
