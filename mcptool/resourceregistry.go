package mcptool

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// resourceIndex finds resources by their URIs. It is immutable.
type resourceIndex struct {
	of        *snapshot[*Resource]
	byURI     map[string]*Resource // resources without variables, by the normal form of the URI
	templates []*Resource          // at most one matches a URI
}

// index returns the index of the newest resources.
func (r *Registry) index() *resourceIndex {
	s := r.resources.load(&r.mu)
	if known := r.byURI.Load(); known != nil && known.of == s {
		return known
	}
	made := &resourceIndex{of: s, byURI: make(map[string]*Resource, len(s.items))}
	for _, res := range s.items {
		if !res.uri.IsLiteral() {
			made.templates = append(made.templates, res)
		} else if normal, err := res.uri.Expand(nil); err == nil {
			made.byURI[normal] = res
		}
	}
	r.byURI.Store(made)
	return made
}

// findResource is [Registry.LookupResource] for a read: it also returns the URI in normal form and the arguments of the
// runner, appended to dst.
func (r *Registry) findResource(uri string, dst []byte) (found *Resource, normal string, args []byte, ok bool) {
	normal, ok = uritemplate.Normalize(uri)
	if !ok {
		return nil, "", dst, false
	}
	index := r.index()
	if res, ok := index.byURI[normal]; ok {
		return res, normal, append(dst, "{}"...), true
	}
	for _, res := range index.templates {
		if args, ok := res.variables(dst, normal); ok {
			return res, normal, args, true
		}
	}
	return nil, normal, dst, false
}

// ResourceListChanged notifies clients that the list of resources has changed although the registry has not: the func
// of a [ListWith] returns other resources. Changes of the registry are announced automatically.
func (r *Registry) ResourceListChanged() {
	r.change(r.resources.changed)
}

// ResourceListChangedFor is [Registry.ResourceListChanged] for one tenant: the func of a [ListWith] returns other
// resources to its callers. Callers with another [CallInfo.Tenant] are not notified; "" means callers without a tenant.
// Trusted peers, as over stdio, are always notified.
func (r *Registry) ResourceListChangedFor(tenant string) { r.notifyTenant(tenant, "") }

// notifyTenant notifies the watchers of a change for one tenant: of a resource, or for "" of the list.
func (r *Registry) notifyTenant(tenant, uri string) {
	r.mu.Lock()
	watchers := r.watchers
	r.mu.Unlock()
	for _, w := range watchers {
		if w.limited != nil {
			w.limited(tenant, uri)
		}
	}
}

// checkResources returns the mistakes that prevent adding the resources, if these URIs are taken.
func checkResources(taken map[string]*Resource, resources []*Resource, replace bool) []Mistake {
	mistakes := check(taken, resources, replace)
	present := slices.SortedFunc(maps.Values(taken), func(a, b *Resource) int { return cmp.Compare(a.key(), b.key()) })
	for i, res := range resources {
		if res == nil {
			continue
		}
		mistakes = append(mistakes, res.mistakes...)
		if len(res.mistakes) > 0 || res.isEmpty() || res.uri.IsLiteral() {
			continue
		}
		for _, other := range slices.Concat(present, resources[:i]) {
			if other.isEmpty() || len(other.mistakes) > 0 || other.uri.IsLiteral() || other.key() == res.key() {
				continue
			}
			if example, overlap := res.uri.Overlaps(other.uri); overlap {
				mistakes = append(mistakes, Mistake{
					Tool:   res.key(),
					Reason: fmt.Sprintf("the template defined at %s and %s, defined at %s, both match %s", res.definedAt(), other.key(), other.definedAt(), example),
					Fix:    "change one of them so that each URI has one resource",
				})
			}
		}
	}
	return mistakes
}

// ResourceUpdated notifies the clients that have subscribed to the resource with this URI that its contents have
// changed, so that they read it again. It returns before they are notified. Several updates of one URI in quick
// succession are sent as one. If the URI is below one that a client has subscribed to, as docs://guide/intro is below
// docs://guide, the client is also notified. A client is notified only if the resource that it has subscribed to still
// exists; a resource below it need not be in the registry. Who may read it can be decided with [Scopes], [VisibleIf] and
// [MayRead]; without MayRead, a client that has subscribed to the URI of a template is notified even if the func
// of the resource would not let it read that URI.
func (r *Registry) ResourceUpdated(uri string) {
	r.mu.Lock()
	watchers := r.watchers
	r.mu.Unlock()
	for _, w := range watchers {
		w.updated(uri)
	}
}

// ResourceUpdatedFor is [Registry.ResourceUpdated] for one tenant: clients whose callers have another [CallInfo.Tenant] are
// not notified. Use it if the contents of one URI differ between tenants, or if only one tenant may know the URI. The
// tenant "" means callers without a tenant. Trusted peers, as over stdio, are always notified.
func (r *Registry) ResourceUpdatedFor(tenant, uri string) {
	if uri != "" {
		r.notifyTenant(tenant, uri)
	}
}
