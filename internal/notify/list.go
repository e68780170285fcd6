package notify

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
)

// internals has the functions of package mcptool that are not in its API.
var internals = mcptool.Internal(private.Key{})

// List is a list of the registry with notifications of changes.
type List int

// The lists, in the order of Generations and Changes of mcptool.Internal.
const (
	Tools List = iota
	Prompts
	Resources        // and their templates
	Lists     = iota // number of lists
)

var listNames = [Lists]string{Tools: "tools", Prompts: "prompts", Resources: "resources"}

// String returns the name of the list in the names of methods and members.
func (l List) String() string { return listNames[l] }

// ChangedMember returns the member of a subscription's filter for the list.
func (l List) ChangedMember() string { return listNames[l] + "ListChanged" }

// AppendChanged appends the notification that the list has changed, up to its params.
func (l List) AppendChanged(dst []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/`...)
	return append(append(dst, listNames[l]...), `/list_changed"`...)
}

// Changed returns the notice that the list has changed.
func (l List) Changed() Notice { return Notice{Kind: Kind(listNames[l])} }

// listOf returns the list whose changes are notices of this kind. It reports false for the other kinds.
func listOf(kind Kind) (_ List, isList bool) {
	i := slices.Index(listNames[:], string(kind))
	return List(i), i >= 0
}

// Set is a set of lists.
type Set [Lists]bool

// And returns the lists that are in both sets.
func (a Set) And(b Set) (both Set) {
	for l := range a {
		both[l] = a[l] && b[l]
	}
	return both
}

// Append appends the members of a subscription's filter.
func (a Set) Append(dst []byte) []byte {
	for l, in := range a {
		if in {
			dst = append(rawjson.AppendName(dst, List(l).ChangedMember()), "true"...)
		}
	}
	return dst
}

// generations counts the changes of the lists: the changes of the registry, and the changes that other instances have
// announced.
type generations [Lists]uint64

// generations returns the current generations of the lists.
func (h *Hub) generations(of Audience) generations {
	g := generations(internals.Changes(h.registry))
	for l := range g {
		g[l] += h.remote[l].Load()
	}
	h.tenantMu.Lock()
	defer h.tenantMu.Unlock()
	if of.IsLimited {
		g[Resources] += h.ofTenants[of.Tenant]
	} else {
		g[Resources] += h.ofAny
	}
	return g
}

// Offered returns the lists that the server declares: the list of tools always, and the other lists once the registry
// had any items for them.
func (h *Hub) Offered() Set {
	g := internals.Generations(h.registry)
	return Set{Tools: true, Prompts: g[Prompts] != 0, Resources: g[Resources] != 0}
}
