package notify

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Hub passes the notices of one server on: to its clients, to the requests that wait for tasks, and to the Bus. It is
// safe for concurrent use. It listens to the registry for its clients only while there are any.
//
//	registry, bus ─┬▶ listChanged ─▶ clients    that are notified of changes
//	               └▶ updated ─────▶ resources  the clients that have subscribed to the resource
type Hub struct {
	registry  *mcptool.Registry
	wakeUp    func(task string)    // makes requests that wait for the task look up its record
	wakeAll   func()               // wakeUp for every task
	bus       Bus                  // nil without one
	unwatch   func()               // stops publishing the changes of the registry
	remote    [Lists]atomic.Uint64 // numbers of changes of the lists that other instances have announced
	resources index

	tenantMu  sync.Mutex        // locked last
	ofTenants map[string]uint64 // ofAny after the last change of the list of resources of each tenant; nil if none
	ofAny     uint64            // number of changes of the list of resources of one tenant

	mu      sync.Mutex
	clients map[*Client]struct{}
	stop    func() // stops watching the registry
}

// NewHub returns a hub for the changes of the registry. WakeUp is called when a task may have changed, and wakeAll when
// any may have.
func NewHub(registry *mcptool.Registry, wakeUp func(task string), wakeAll func()) *Hub {
	return &Hub{registry: registry, wakeUp: wakeUp, wakeAll: wakeAll}
}

// Connect connects the hub to other instances, before its first use; nil connects it to none. The changes of the registry
// are published from now on, even if no client of this instance is notified of them: clients of other instances may be.
func (h *Hub) Connect(bus Bus) {
	if bus != nil {
		h.bus, h.unwatch = bus, watchRegistry(h.registry, bus.Publish)
	}
}

// Close ends the connection to other instances, and tries to publish the notices that are left, for at most grace.
func (h *Hub) Close(grace time.Duration) {
	if h.bus != nil {
		h.unwatch()
		h.bus.Close(grace)
	}
}

// Subscribe starts receiving the notices of other instances, when it is first called. It does not wait.
func (h *Hub) Subscribe() {
	if h.bus != nil {
		h.bus.Subscribe()
	}
}

// TaskChanged makes waiting requests look up the record of the task, here and at other instances. Without a Bus it does
// nothing: then the store of the tasks notices the change.
func (h *Hub) TaskChanged(id string) {
	if h.bus != nil {
		h.wakeUp(id)
		h.bus.Publish(Notice{Kind: TaskChanged, Subject: id})
	}
}

// Receive handles a notice of another instance, whose content is not trusted. It is not published again, so it cannot
// circulate.
func (h *Hub) Receive(n Notice) {
	switch n.Kind {
	case ResourceUpdated:
		_, exists := h.registry.LookupResource(n.Subject)
		h.resources.updated(n, exists) // who may see a resource that does not exist here is unknown
	case TaskChanged:
		h.wakeUp(n.Subject)
	case NoticesMissed:
		for l := range h.remote {
			h.remote[l].Add(1)
		}
		h.listChanged(Audience{})
		h.resources.allUpdated()
		h.wakeAll()
	default:
		list, ok := listOf(n.Kind)
		switch {
		case !ok:
		case !n.IsLimited:
			h.remote[list].Add(1) // the list counts as changed even if the local registry is not
			h.listChanged(n.Audience)
		case list == Resources: // only resources may differ between tenants
			h.listChanged(n.Audience)
		}
	}
}

// deliver handles a notice of the registry. It runs in the goroutine that has made the change.
func (h *Hub) deliver(n Notice) {
	if n.Kind == ResourceUpdated {
		h.resources.updated(n, true)
		return
	}
	h.listChanged(n.Audience)
}

// listChanged starts notifying the clients, after a list has changed for an audience. Each client finds out which of its lists
// have changed. It runs in the goroutine that has made the change, or in a goroutine of the Bus, which must not wait for
// clients.
func (h *Hub) listChanged(of Audience) {
	if of.IsLimited {
		h.changedOf(of.Tenant)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.clients {
		c.listChanged()
	}
}

// watchRegistry calls fn for each change of the registry that clients see until stop is called.
func watchRegistry(registry *mcptool.Registry, fn func(Notice)) (stop func()) {
	return internals.Watch(registry,
		func(list int, isListed bool) {
			if isListed {
				fn(List(list).Changed())
			}
		},
		func(uri string) { fn(Notice{Kind: ResourceUpdated, Subject: uri}) },
		func(tenant, uri string) {
			n := Resources.Changed()
			if uri != "" {
				n = Notice{Kind: ResourceUpdated, Subject: uri}
			}
			n.Audience = Audience{tenant, true}
			fn(n)
		})
}

// maxTenants is the maximum number of tenants in Hub.ofTenants, since any number of them may have changes.
const maxTenants = 10_000

// changedOf records that the list of resources of one tenant has changed. If there are too many tenants, it forgets the
// changes of the others: then their clients are notified of them once more.
func (h *Hub) changedOf(tenant string) {
	h.tenantMu.Lock()
	defer h.tenantMu.Unlock()
	if h.ofTenants == nil || len(h.ofTenants) == maxTenants {
		h.ofTenants = map[string]uint64{}
	}
	h.ofAny++
	h.ofTenants[tenant] = h.ofAny // and not a count, which could reach the same number again
}

// Size returns the number of clients that are notified of changes, and the number of URIs with subscriptions. Tests use
// it to find what has not ended.
func (h *Hub) Size() (clients, uris int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.resources.mu.RLock()
	defer h.resources.mu.RUnlock()
	return len(h.clients), len(h.resources.byKey)
}
