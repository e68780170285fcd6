package mcptool

import (
	"context"
	"slices"
)

// Scopes sets the scopes that a caller needs to use the tool, such as "notes:write" or "admin". The caller's access
// token must grant all of them. A server whose transport verifies callers hides the tool from other callers and refuses
// their calls. A server that trusts its peer, as over stdio, allows every call, as does [Tool.Call] without a server.
// In the tag, scopes are separated by spaces. By default every caller of the server can use the tool.
//
// Unlike other settings, the scopes of the tag and of all Scopes options add up, so an option that several tools share can
// require a scope in addition to the scopes of each tool.
//
// A scope is a name that an authorization server defines, without spaces, quotes, backslashes and non-ASCII characters
// (RFC 6749, section 3.3).
func Scopes(scopes ...string) Option {
	sorted := slices.Sorted(slices.Values(scopes))
	return option(func(d *definition) { d.addScopes("the option Scopes", sorted) })
}

// VisibleIf sets a condition for a tool, prompt or resource to exist for a caller. If fn returns false, lists do not
// contain it, and requests for it are answered as if it did not exist. Fn gets the caller's principal and claims, the
// client's description of itself, the protocol revision and the _meta of the request; RequestID is empty while a list is
// made. It is called for each request, so it must be quick, and safe for concurrent use. If it panics, the item does not
// exist for the request.
//
// Over HTTP, ctx has the values of the request, such as those of middleware in front of the server; for an update of a
// resource, those of the request that subscribed to it. It ends when the client disconnects, or in a session when that
// ends, and for an update of a resource after 10 s. Otherwise it has no deadline: a condition that asks another service
// should set one.
//
// From revision 2026-07-28 on a list must not vary per connection, only with the authorization of the caller: base the
// condition on [CallInfo.Principal] or [CallInfo.Claims], or on something that is the same for all requests, such as the
// time or a feature flag. Clients are not notified when the result of the condition changes. Lists with such an item are
// sent with private cache scope. A condition on [CallInfo.Supports] hides a tool from clients that lack a capability it
// needs; clients of that revision declare their capabilities with each request.
//
// By default an item exists for every caller that has its [Scopes]. With both options, both conditions must hold.
// Without a server, in [Tool.Call], the condition is not checked.
func VisibleIf(fn func(ctx context.Context, caller CallInfo) bool) Option {
	return option(func(d *definition) {
		switch {
		case fn == nil:
			d.mistake("the func of the option VisibleIf is nil", "leave the option out")
		case d.VisibleIf != nil:
			d.mistake("the option VisibleIf is given twice", "combine the conditions in one func")
		default:
			d.VisibleIf = fn
		}
	})
}
