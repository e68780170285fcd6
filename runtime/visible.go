package runtime

import (
	"bytes"
	"context"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
)

// IsVisible reports whether a tool, prompt or resource exists for the caller of the running request: whether the caller
// has its scopes, and its condition holds ([mcptool.VisibleIf]). The condition gets the item, as in lists, and not the
// subject of the request. Use IsVisible in a [Method] that returns data about an item, which it must not return to
// other callers. Without a server only the condition is checked.
func IsVisible[Item *mcptool.Tool | *mcptool.Prompt | *mcptool.Resource](ctx context.Context, item Item) bool {
	runner := internals.Runner(item)
	info := mcptool.Caller(ctx)
	info.Resource = "" // of the request, not of this item
	c := callOf(ctx)
	if c == nil {
		visible, _ := internals.VisibleTo(ctx, runner, info)
		return visible
	}
	return c.access.allows(runner) && c.from.conditions.hold(ctx, runner, info)
}

// exists reports whether an item meets its condition for the request, see [mcptool.VisibleIf].
func (r *request) exists(runner *mcptool.Tool) bool {
	info := *r.callInfo()
	if r.uri != nil {
		info.Resource = r.uri.normal
	}
	return r.from.conditions.hold(conditionContext(r.from.ctx, r.values, &info, r.from.log), runner, info)
}

// callInfo describes the request for conditions. It does not refer to the text of the message.
func (r *request) callInfo() *mcptool.CallInfo {
	var meta []byte
	if r.params.Meta.Kind == rawjson.Object {
		meta = bytes.Clone(r.params.Meta.Raw)
	}
	info := r.from.callInfo(r.version, r.access, meta)
	return &info
}
