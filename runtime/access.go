package runtime

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/limit"
)

// Access is who sent a message and what they were granted, as the transport has verified it. The
// transport sets it in the [Message]; it must not change afterwards. A message without one comes
// from a peer that the transport trusts with everything, as stdio does. The zero value is
// somebody of whom nothing is known, who may use the tools that need no scopes.
//
// A tool exists for callers that hold all of its scopes ([mcptool.Scopes]). Lists for other callers do not show it, and
// requests that name it are answered as if it did not exist, unless the transport can tell the client which scopes to
// ask for: see [Exchange].
type Access struct {
	// Principal identifies who sent the message; "" if nobody was verified. Tools find it in
	// [mcptool.CallInfo].
	Principal string
	// Address is where the message came from, the zero value if that is unknown. It tells callers without a Principal
	// apart where limits are shared out ([CallerLimits]), and grants nothing. A transport sets the
	// address of its peer, which behind a proxy is that of the proxy.
	Address netip.Addr
	// Scopes are all that was granted, in any order. Nothing is implied by anything else: if one
	// scope includes another, both are here.
	Scopes []string
}

// Allows reports whether a caller with this access may see and use the tool. Nil may use every tool.
func (a *Access) Allows(t *mcptool.Tool) bool { return a == nil || a.holds(t.Scopes()) }

// holds reports whether all of these scopes are held.
func (a *Access) holds(scopes []string) bool {
	for _, scope := range scopes {
		if !slices.Contains(a.Scopes, scope) {
			return false
		}
	}
	return true
}

// principal returns who it is, "" if that is not known.
func (a *Access) principal() string {
	if a == nil {
		return ""
	}
	return a.Principal
}

// Caller returns whose share of the limits a message with this access counts against: that of its principal, or of its
// address if there is no principal. IPv6 addresses of one /64 network are one caller, since a host commonly has all of
// them. Nil is a peer that the transport trusts, which is not limited to a share.
func (a *Access) Caller() Caller {
	switch {
	case a == nil:
		return limit.TrustedCaller()
	case a.Principal != "":
		return limit.PrincipalCaller(a.Principal)
	default:
		return limit.AddressCaller(a.Address)
	}
}

// guards is which scopes the tools of a catalog need. Most tools share what they need with
// others, so each set of scopes is there once.
type guards struct {
	sets   [][]string // the different sets; the first is the empty one
	byTool []int      // for each tool of the catalog, the index of what it needs
}

func newGuards(tools []*mcptool.Tool) guards {
	g := guards{sets: [][]string{nil}, byTool: make([]int, len(tools))}
	known := map[string]int{"": 0}
	for i, t := range tools {
		scopes := t.Scopes()
		key := strings.Join(scopes, " ")
		index, ok := known[key]
		if !ok {
			index = len(g.sets)
			known[key] = index
			g.sets = append(g.sets, scopes)
		}
		g.byTool[i] = index
	}
	return g
}

// any reports whether a tool needs scopes.
func (g *guards) any() bool { return len(g.sets) > 1 }

// view says which tools of a catalog somebody may see. The zero value is all of them.
type view struct {
	byTool []int
	open   []bool // by index of guards.sets; nil: all are
}

// view returns what a sees.
func (g *guards) view(a *Access) view {
	if a == nil || !g.any() {
		return view{}
	}
	v := view{byTool: g.byTool, open: make([]bool, len(g.sets))}
	all := true
	for i, scopes := range g.sets {
		v.open[i] = a.holds(scopes)
		all = all && v.open[i]
	}
	if all {
		return view{}
	}
	return v
}

// isAll reports whether no tool is hidden.
func (v *view) isAll() bool { return v.open == nil }

// shows reports whether the tool with this index is to be seen.
func (v *view) shows(i int) bool { return v.open == nil || v.open[v.byTool[i]] }
