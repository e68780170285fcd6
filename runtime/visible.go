package runtime

import (
	"context"

	"github.com/mcptool-go/mcptool/mcptool"
)

// IsVisible reports whether a tool, prompt or resource exists for the caller of the running request: whether the caller
// has its scopes, it is selected ([Selection]), and its condition holds ([mcptool.VisibleIf]). The condition gets the
// item, as in lists, and not the subject of the request. Use IsVisible in a [Method] that returns data about an item,
// which it must not return to other callers. Without a server only the condition is checked.
func IsVisible[Item *mcptool.Tool | *mcptool.Prompt | *mcptool.Resource](ctx context.Context, item Item) bool {
	runner := internals.Runner(item)
	info := mcptool.Caller(ctx)
	info.Resource = "" // of the request, not of this item
	c := callOf(ctx)
	if c == nil {
		visible, _ := internals.VisibleTo(ctx, runner, info)
		return visible
	}
	return c.access.allows(runner) && c.from.selects(runner) && c.from.conditions.hold(ctx, runner, info)
}
