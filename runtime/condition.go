package runtime

import (
	"context"
	"errors"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/mcptool"
)

// conditions evaluates the conditions of items, see [mcptool.VisibleIf].
type conditions struct {
	log    *slog.Logger
	panics admission.Repeated
}

// hold reports whether an item meets its condition, see VisibleTo of mcptool.Internal. If that panics, it is logged, as an
// error at most once a minute, because clients can send any number of requests.
func (c *conditions) hold(ctx context.Context, runner *mcptool.Tool, info mcptool.CallInfo) bool {
	visible, err := internals.VisibleTo(ctx, runner, info)
	if failed, ok := errors.AsType[*mcptool.PanicError](err); ok {
		level, suppressed := c.panics.Level()
		c.log.LogAttrs(ctx, level, "condition of VisibleIf panicked, so the item does not exist", slog.String("item", failed.Tool),
			slog.Any("panic", failed.Value), slog.String("stack", string(failed.Stack)), slog.Int("suppressed", suppressed))
	}
	return visible
}

// conditionContext returns the context for conditions ([mcptool.VisibleIf]) about a request with these values, which may
// be nil. It ends with ctx.
func conditionContext(ctx, values context.Context, info *mcptool.CallInfo, logger *slog.Logger) context.Context {
	return withCaller(withValues(ctx, values), logger, func() mcptool.CallInfo { return *info }, "")
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
