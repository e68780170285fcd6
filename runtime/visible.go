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

// IsVisible reports whether a tool, prompt or resource exists for the caller of the running request: whether the caller
// has its scopes, and its condition holds ([mcptool.VisibleIf]). The condition gets the item, as in lists, and not the
// subject of the request. Use IsVisible in a [Method] that returns data about an item, which it must not return to
// other callers. Without a server only the condition is checked.
func IsVisible(ctx context.Context, item Item) bool {
	if c := callOf(ctx); c != nil && c.access != nil && !c.access.holds(item.Scopes()) {
		return false
	}
	info := mcptool.Caller(ctx)
	info.Resource = "" // of the request, not of this item
	return item.VisibleTo(info)
}
