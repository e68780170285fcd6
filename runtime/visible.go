package runtime

import (
	"bytes"
	"context"
	"errors"
	"log/slog"

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
	return c.access.allows(runner) && c.from.visible(ctx, runner, info)
}

// exists reports whether an item meets its condition for the request, see [mcptool.VisibleIf].
func (r *request) exists(runner *mcptool.Tool) bool {
	info := *r.callInfo()
	if r.uri != nil {
		info.Resource = r.uri.normal
	}
	return r.from.visible(r.from.conditionContext(r.from.ctx, r.values, &info), runner, info)
}

// visible reports whether an item meets its condition, see VisibleTo of mcptool.Internal. If that panics, it is logged, as an
// error at most once a minute, because clients can send any number of requests.
func (c *core) visible(ctx context.Context, runner *mcptool.Tool, info mcptool.CallInfo) bool {
	visible, err := internals.VisibleTo(ctx, runner, info)
	if failed, ok := errors.AsType[*mcptool.PanicError](err); ok {
		level, suppressed := c.conditions.Level()
		c.log.LogAttrs(ctx, level, "condition of VisibleIf panicked, so the item does not exist", slog.String("item", failed.Tool),
			slog.Any("panic", failed.Value), slog.String("stack", string(failed.Stack)), slog.Int("suppressed", suppressed))
	}
	return visible
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
	return c.withCaller(withValues(ctx, values), func() mcptool.CallInfo { return *info }, "")
}

// withValues returns a context that also has these values, which may be nil.
func withValues(ctx, values context.Context) context.Context {
	if values == nil {
		return ctx
	}
	return valuesContext{ctx, context.WithoutCancel(values)}
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
