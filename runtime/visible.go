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
	if c := callOf(ctx); c != nil && !c.access.allows(runner) {
		return false
	}
	info := mcptool.Caller(ctx)
	info.Resource = "" // of the request, not of this item
	return internals.VisibleTo(ctx, runner, info)
}

// exists reports whether an item meets its condition for the request, see [mcptool.VisibleIf].
func (r *request) exists(runner *mcptool.Tool) bool {
	info := *r.callInfo()
	if r.uri != nil {
		info.Resource = r.uri.normal
	}
	return internals.VisibleTo(r.from.conditionContext(r.from.ctx, r.values, &info), runner, info)
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

// conditionContext returns the context for conditions ([mcptool.VisibleIf]) about a request with these values, which may
// be nil. It ends with ctx.
func (c *core) conditionContext(ctx, values context.Context, info *mcptool.CallInfo) context.Context {
	if values != nil {
		ctx = valuesContext{ctx, context.WithoutCancel(values)}
	}
	return c.withCaller(ctx, func() mcptool.CallInfo { return *info }, "")
}

// valuesContext is a context that has the values of another one as well.
type valuesContext struct {
	context.Context //nolint:containedctx // the type is a context

	values context.Context //nolint:containedctx // with values only
}

// Value implements [context.Context].
func (c valuesContext) Value(key any) any {
	if value := c.values.Value(key); value != nil {
		return value
	}
	return c.Context.Value(key)
}
