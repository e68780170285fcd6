package runtime

import (
	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// resourceSubscription is the subscription of a client to one resource: with resources/subscribe in a legacy session, or
// as a part of a subscriptions/listen.
type resourceSubscription struct {
	notify.Subscription

	session *Session
	listen  *listen         // nil in a legacy session
	reader  *resourceReader // guarded by session.mu
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
	cost := subscriptionCost + len(sub.URI)
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
func (r *resourceReader) finds(notices *notify.Hub, uri string) bool {
	resource, ok := notices.LookUpResource(uri)
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

// reader returns the caller of the request.
func (r *request) reader() *resourceReader {
	return &resourceReader{access: r.access, info: r.callInfo()}
}

// newSubscription returns a subscription of the reader to the URI, as a part of l or if that is nil of the legacy
// session; nil if such a resource does not exist for the caller.
func newSubscription(s *Session, l *listen, reader *resourceReader, uri string) *resourceSubscription {
	sub := &resourceSubscription{session: s, listen: l, reader: reader}
	changes := s.legacy
	if l != nil {
		changes = l.changes
	}
	if !sub.Init(changes, uri, sub) || !reader.finds(s.notices, uri) {
		return nil
	}
	return sub
}

// NotifyUpdated implements [notify.Subscriber]: it notifies the client, unless the resource that it has subscribed to no
// longer exists for the caller, whose scopes or condition may have changed since. The URI of a resource below that is
// hidden from the caller is also not sent.
func (sub *resourceSubscription) NotifyUpdated(uri string) {
	s := sub.session
	s.mu.Lock()
	reader := sub.reader
	s.mu.Unlock()
	if !reader.finds(s.notices, sub.URI) {
		return
	}
	if uri != sub.URI {
		if resource, ok := s.notices.LookUpResource(uri); ok && !reader.sees(resource, uri) {
			return
		}
	}
	if sub.HasEnded() { // while the author's code was running
		return
	}
	deliver := s.send
	if sub.listen != nil {
		deliver = sub.listen.note
	}
	wire.Compose(deliver, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{`...)
		dst = wire.AppendText(dst, "uri", uri)
		if sub.listen != nil {
			dst = sub.listen.appendID(dst)
		}
		return append(dst, `}}`...)
	})
}
