package runtime

import (
	"context"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Item is a tool, prompt or resource.
type Item interface {
	Scopes() []string
	VisibleTo(info mcptool.CallInfo) bool
}

// IsVisible reports whether a tool, prompt or resource exists for the caller of the running request: whether the caller has
// its scopes, and its condition holds ([mcptool.VisibleIf]). The condition gets the item, as in lists, and not what the
// request names. IsVisible is for a [Method] that returns something about such an item, and must not do so for other
// callers. Without a server only the condition counts.
func IsVisible(ctx context.Context, item Item) bool {
	if c := callOf(ctx); c != nil && c.access != nil && !c.access.holds(item.Scopes()) {
		return false
	}
	info := mcptool.Caller(ctx)
	info.Resource = "" // which the request is about, and not this item
	return item.VisibleTo(info)
}
