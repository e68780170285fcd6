package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// resourceSubscription is the subscription of a client to one resource: with resources/subscribe in a legacy session, or
// as a part of a subscriptions/listen.
type resourceSubscription struct {
	notify.Subscription

	session *session
	stream  subscriptionStream // nil in a legacy session
	reader  *resourceReader    // guarded by session.mu
}

// subscriptionStream is where the updates of a subscription are sent, if not to the session: see [listen].
type subscriptionStream interface {
	note(msg []byte)
	appendID(dst []byte) []byte
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
	if sub.stream == nil {
		cost += sub.reader.cost()
	}
	return cost
}

// resourceReader is a caller, as described by its request, whose access to resources is checked.
type resourceReader struct {
	core   *core
	client *Selection // nil selects all
	access *Access
	info   *mcptool.CallInfo
	values context.Context // of its request; nil if there are none
}

// authorizeTime is how long the funcs of [mcptool.MayRead] may take for one request, or for one notification.
const authorizeTime = 10 * time.Second

// cost returns the approximate number of bytes of the request that the reader keeps.
func (r *resourceReader) cost() int {
	cost := len(r.info.Meta) + len(r.info.Claims)
	if r.access != nil {
		for _, scope := range r.access.Scopes {
			cost += len(scope) + scopeCost
		}
	}
	return cost
}

// finds reports whether a resource with the URI exists for the caller, who may read it. If there is none with the URI, it
// returns unknown. It may call a condition and a func of the author ([mcptool.VisibleIf], [mcptool.MayRead]).
func (r *resourceReader) finds(ctx context.Context, uri string, unknown bool) bool {
	resource, normal, variables, ok := internals.FindResource(r.core.tools, uri, nil)
	if !ok {
		return unknown
	}
	ctx = conditionContext(ctx, r.values, r.info, r.core.log)
	return r.sees(ctx, resource, uri) && r.mayRead(ctx, internals.Runner(resource), normal, variables)
}

// mayRead reports whether the func of [mcptool.MayRead], if the resource has one, lets the caller read it.
func (r *resourceReader) mayRead(ctx context.Context, runner *mcptool.Tool, uri string, variables []byte) bool {
	authorizer := internals.Settings(runner).Authorizer
	if authorizer == nil {
		return true
	}
	ctx = withCaller(ctx, r.core.log, func() mcptool.CallInfo { return *r.info }, uri)
	_, _, err := r.core.contextOf.call(ctx, authorizer, variables, nil)
	if err != nil && !errors.Is(err, mcptool.ErrResourceNotFound) {
		level, suppressed := r.core.unreadable.Level() // clients can send any number of requests
		r.core.log.LogAttrs(ctx, min(level, slog.LevelWarn), "subscription to a resource refused, or update not announced", slog.String("resource", runner.Info().Name),
			taskengine.OwnerAttr(r.access.owner()), slog.Any("error", err), slog.Int("suppressed", suppressed))
	}
	return err == nil
}

// sees reports whether a resource exists for the caller, if requested by this URI.
func (r *resourceReader) sees(ctx context.Context, resource *mcptool.Resource, uri string) bool {
	runner := internals.Runner(resource)
	if !r.access.allows(runner) || !r.core.selecting.selects(r.client, runner) {
		return false
	}
	info := *r.info
	info.Resource = uri
	return r.core.conditions.hold(ctx, runner, info)
}

// newResourceReader returns the caller of the request.
func newResourceReader(r *request) *resourceReader {
	return &resourceReader{core: r.from.core, client: r.from.selected.Load(), access: r.access, info: r.callInfo(), values: r.values}
}

// newSubscription returns a subscription of the reader to the URI, whose updates are noticed by changes and sent to the
// stream, or if that is nil to the session; nil if it is not a URI.
func newSubscription(s *session, changes *notify.Stream, stream subscriptionStream, reader *resourceReader, uri string) *resourceSubscription {
	sub := &resourceSubscription{session: s, stream: stream, reader: reader}
	if !sub.Init(changes, uri, sub) {
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
	ctx, cancel := context.WithTimeout(s.ctx, authorizeTime)
	defer cancel()
	if !reader.finds(ctx, sub.URI, false) || uri != sub.URI && !reader.finds(ctx, uri, true) {
		return
	}
	if sub.HasEnded() { // while the author's code was running
		return
	}
	deliver := s.note
	if sub.stream != nil {
		deliver = sub.stream.note
	}
	wire.Compose(deliver, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{`...)
		dst = wire.AppendText(dst, "uri", uri)
		if sub.stream != nil {
			dst = sub.stream.appendID(dst)
		}
		return append(dst, `}}`...)
	})
}

// subscribeResource answers resources/subscribe of legacy revisions. A second subscription to a resource replaces the
// first.
func subscribeResource(r *request, dst []byte) ([]byte, *wireError) {
	uri := wire.TextOf(r.uri.raw)
	if len(uri) > notify.MaxURI {
		return dst, invalidParams(fmt.Sprintf("params.uri is longer than %d bytes", notify.MaxURI))
	}
	s := sessionOf(r.from)
	reader := newResourceReader(r)
	ctx, cancel := context.WithTimeout(s.ctx, authorizeTime)
	defer cancel()
	sub := newSubscription(s, s.legacy, nil, reader, uri)
	if sub == nil || !reader.finds(ctx, uri, false) {
		return dst, resourceNotFound(r.uri.raw, r.version)
	}
	if err := s.resources.add(sub); err != nil {
		return dst, err
	}
	s.changes.Join()
	return s.serverInfo.AppendTail(append(dst, '{'), wire.Complete, r.version, nil), nil
}

// unsubscribeResource answers resources/unsubscribe of legacy revisions. It does nothing if the subscription does not
// exist.
func unsubscribeResource(r *request, dst []byte) ([]byte, *wireError) {
	raw := rawjson.Lookup(r.params.Raw, "uri")
	if rawjson.KindOf(raw) != rawjson.String {
		return dst, invalidParams("params.uri must be a string")
	}
	if key, ok := uritemplate.Normalize(wire.TextOf(raw)); ok {
		sessionOf(r.from).resources.remove(key)
	}
	return r.from.serverInfo.AppendTail(append(dst, '{'), wire.Complete, r.version, nil), nil
}

// subscriptions are the subscriptions of a legacy client to resources.
type subscriptions struct {
	session *session
	byKey   map[string]*resourceSubscription // by the normal form of their URIs; nil if none. session.mu guards it.
}

// add adds a subscription.
func (b *subscriptions) add(sub *resourceSubscription) *wireError {
	s := b.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn.IsClosing() {
		return internalError(stopReason(s.ctx))
	}
	old := b.byKey[sub.Key]
	if old == nil && len(b.byKey) >= s.limits.MaxSubscriptions {
		return internalError(fmt.Sprintf("the session has subscribed to %d resources, which is the limit: unsubscribe from some first", len(b.byKey)))
	}
	if old != nil {
		sub.URI = old.URI
	}
	if err := s.memory.Take(sub.reader.access.caller(), sub.cost(), admission.Within); err != nil {
		return noRoomToSubscribe()
	}
	if old != nil { // its interval continues
		s.memory.Give(old.reader.access.caller(), old.cost())
		old.reader = sub.reader
		return nil
	}
	if b.byKey == nil {
		b.byKey = map[string]*resourceSubscription{}
	}
	b.byKey[sub.Key] = sub
	sub.Begin()
	return nil
}

// noRoomToSubscribe refuses a subscription beyond the memory limit.
func noRoomToSubscribe() *wireError {
	return internalError("not enough memory for another subscription: end some, or try again later")
}

// remove ends the subscription to the URI with this normal form, if it exists.
func (b *subscriptions) remove(key string) {
	b.session.mu.Lock()
	defer b.session.mu.Unlock()
	if sub := b.byKey[key]; sub != nil {
		b.end(sub)
	}
}

// end ends a subscription. The caller holds session.mu.
func (b *subscriptions) end(sub *resourceSubscription) {
	delete(b.byKey, sub.Key)
	sub.End()
	b.session.memory.Give(sub.reader.access.caller(), sub.cost())
}

// endAll ends all subscriptions, when the session has ended. The caller holds session.mu.
func (b *subscriptions) endAll() {
	for _, sub := range b.byKey {
		b.end(sub)
	}
}
