package runtime

import (
	"encoding/json"
	"net/netip"
	"slices"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/task"
)

// Access describes the sender of a message and its permissions, as verified by the transport or by middleware in front
// of it (streamhttp.WithAccess); it must not be modified afterwards. A nil Access is a trusted peer, as over stdio: it
// may also use everything that needs scopes. The zero value is an unauthenticated caller, who may use everything that
// needs no scopes.
//
// A tool, prompt or resource with scopes ([mcptool.Scopes]) exists only for callers that have all of them, and one with
// a condition ([mcptool.VisibleIf]) only if that holds. It is not in the lists that other callers get, and their
// requests for it are answered as if it did not exist, unless the transport can send the client the scopes to request, as
// streamhttp.Protect does.
type Access struct {
	// Tenant is the organization that the caller acts for; "" if there is none. Everything that belongs to a caller
	// belongs to Tenant and Principal together: tasks, sessions, the state of open requests to the user with the values
	// of [mcptool.Once], and the limits per caller of authenticated callers. So a principal in two tenants is two
	// callers. Tools get it in [mcptool.CallInfo]. It grants nothing.
	Tenant string
	// Principal identifies the authenticated caller; "" if the caller is unauthenticated. Tools get it in
	// [mcptool.CallInfo].
	Principal string
	// Address is the address that the message came from; the zero value means that it is unknown. It identifies a
	// caller without a Principal in the limits per caller ([CallerLimits]), and grants nothing. It is the address of
	// the transport's peer, which may be a proxy.
	Address netip.Addr
	// Scopes are all granted scopes, in any order. If a scope includes others, these must also be listed.
	Scopes []string
	// Claims is a JSON object with more data about the caller, such as the claims of its access token; nil if there is
	// none. Tools and conditions ([mcptool.VisibleIf]) get it in [mcptool.CallInfo]. It is neither logged nor stored, so
	// a task that runs again after its process has ended has none, and the JSON of an Access does not contain it.
	Claims json.RawMessage `json:"-"`
}

// allows reports whether a caller with this access has all scopes of the tool. A nil Access allows every tool. It does not
// evaluate [mcptool.VisibleIf].
func (a *Access) allows(t *mcptool.Tool) bool {
	return a == nil || a.holds(internals.Settings(t).Scopes)
}

// holds reports whether the caller has all of these scopes.
func (a *Access) holds(scopes []string) bool {
	for _, scope := range scopes {
		if !slices.Contains(a.Scopes, scope) {
			return false
		}
	}
	return true
}

// owner returns the caller that tasks, sessions and sealed state belong to; the zero value for a trusted peer.
func (a *Access) owner() task.Owner {
	if a == nil {
		return task.Owner{}
	}
	return task.Owner{Tenant: a.Tenant, Principal: a.Principal}
}

// audience returns the tenant whose notices of resources the caller gets. A trusted peer gets all notices.
func (a *Access) audience() notify.Audience {
	return notify.Audience{Tenant: a.owner().Tenant, IsLimited: a != nil}
}

// claims returns the claims; nil if there are none.
func (a *Access) claims() json.RawMessage {
	if a == nil {
		return nil
	}
	return a.Claims
}

// caller returns the caller whose share of the limits a message with this access counts against: its principal and tenant,
// or without a principal its address. All IPv6 addresses of one /64 network are one caller, since one host commonly has all of
// them; all loopback addresses are one caller as well. A nil Access is a trusted peer, which is not limited to a share.
func (a *Access) caller() admission.Caller {
	switch {
	case a == nil:
		return admission.Trusted
	case a.Principal != "":
		return admission.PrincipalCaller(a.Tenant, a.Principal)
	default:
		return admission.AddressCaller(a.Address)
	}
}
