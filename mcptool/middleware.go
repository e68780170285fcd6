package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
)

// Handler answers a call: it is a tool as [Middleware] sees it. The arguments are a JSON object as sent by the
// client: they are not checked yet, and must not be modified or retained. The Result and the errors are those of
// [Tool.Call]: test errors with [errors.As].
type Handler func(ctx context.Context, args json.RawMessage) (*Result, error)

// Middleware wraps tools: with a cache, retries, measurements, a rule about who may call. It is called once for each
// tool that it wraps, and may keep state for that tool; the Handler that it returns is called for each call,
// concurrently. [Caller] returns the name of the tool.
//
//	func Logged(next mcptool.Handler) mcptool.Handler {
//		return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
//			res, err := next(ctx, args)
//			slog.Info("called", "tool", mcptool.Caller(ctx).Tool, "error", err)
//			return res, err
//		}
//	}
//
// It may call next with other arguments, which are then checked, with a context derived from its own, several times,
// or not at all. What it returns is checked like the result of a func: a Structured that breaks the output schema is
// an [*OutputError], and is not sent. A Result of next may be returned to many callers, so change only a copy. The
// model reads the text of an error; wrap those of next with %w, or return them unchanged. A panic in next is returned
// as a [*PanicError]; a panic of the middleware ends the call and not the process.
//
// If a func asks its user and runs again from the top (see [Elicit]), the middleware around it runs again too, each
// time with the answers so far; next then returns [ErrUnanswered], which must be returned, and neither cached nor
// retried. Progress, client requests and [Once] work in middleware as in the func.
//
// [Scopes], [RateLimit], [Concurrent] and [Timeout] of a tool apply outside of all middleware; arguments are checked,
// and [AskFirst] asks, inside.
type Middleware func(next Handler) Handler

// Use wraps the tool in middleware; the first is outermost. If Use is given several times, the earlier ones are
// outside of the later. The middleware of a server is outside of these. [Tool.Call] runs them too. A tool without
// middleware has no cost.
func Use(middleware ...Middleware) Option {
	return option(func(d *definition) {
		for i, mw := range middleware {
			if mw == nil {
				d.mistake(fmt.Sprintf("middleware %d of the option Use is nil", i+1), "leave it out")
			}
		}
		d.middleware = append(d.middleware, middleware...)
	})
}

// wrapped is [private.Calls].Wrap.
func (t *Tool) wrapped(middleware ...Middleware) *Tool {
	wrapped, err := t.wrap(middleware)
	if err != nil {
		wrapped = t.withHandler(func(context.Context, json.RawMessage) (*Result, error) { return nil, err })
	}
	return wrapped
}

// wrap returns the tool with middleware around it, or why that fails.
func (t *Tool) wrap(middleware []Middleware) (wrapped *Tool, err error) {
	if len(middleware) == 0 || t.invoke == nil {
		return t, nil
	}
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Tool: t.name, Value: value, Stack: debug.Stack()}
		}
	}()
	handler := Handler(t.handle)
	for _, mw := range slices.Backward(middleware) {
		if handler = mw(handler); handler == nil {
			return nil, &PanicError{Tool: t.name, Value: errNoHandler, Stack: debug.Stack()}
		}
	}
	return t.withHandler(handler), nil
}

var errNoHandler = errors.New("the middleware returned no Handler")

// handle is the tool as a [Handler].
func (t *Tool) handle(ctx context.Context, args json.RawMessage) (*Result, error) {
	return newResult(t.appendCall(ctx, args, nil))
}

// newResult puts together what appendCall returns.
func newResult(structured []byte, res *Result, err error) (*Result, error) {
	if err != nil {
		return nil, err
	}
	if res == nil {
		res = &Result{}
	}
	if len(structured) > 0 {
		res.Structured = json.RawMessage(structured)
	}
	return res, nil
}

// withHandler returns the tool with a handler behind it.
func (t *Tool) withHandler(handler Handler) *Tool {
	made := *t
	made.invoke = func(ctx context.Context, args, dst []byte) ([]byte, *Result, error) {
		res, err := handler(ctx, args)
		if err != nil {
			return dst, nil, authorError(err)
		}
		return finishResult(ctx, dst, t.name, res, t.output)
	}
	return &made
}
