package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
)

// Handler answers a call: a tool as [Middleware] sees it. The arguments are a JSON object, as
// the client has sent it: they have not been checked, and nothing may be kept of them or
// written into them. The Result is as [Tool.Call] returns it, and so are the errors: look at
// them with [errors.As].
type Handler func(ctx context.Context, args json.RawMessage) (*Result, error)

// Middleware puts something around tools: a cache, retries, a measurement, a rule about who may
// call. It is called once for each tool that it stands around, and may keep what is for that tool alone; the
// Handler it returns is called for each call, at once by many goroutines. [Caller] tells it
// the tool.
//
//	func Logged(next mcptool.Handler) mcptool.Handler {
//		return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
//			res, err := next(ctx, args)
//			slog.Info("called", "tool", mcptool.Caller(ctx).Tool, "error", err)
//			return res, err
//		}
//	}
//
// It may call next with other arguments, which are then checked, with a context derived from its own, several
// times, or not at all. What it returns is checked as what a func returns is: a Structured that breaks the
// output schema is an [*OutputError], and not sent. A Result of next may be returned to many callers, so change a copy.
// An error becomes what the model reads; wrap those of next with %w, or return them as they are.
// A panic below arrives as a [*PanicError], one of its own ends the call and not the process.
//
// Where a func that asks its user runs again from the top (see [Elicit]), so does the middleware around it, each time
// with the answers there are by then; what next returns then is [ErrUnanswered], which is to be handed on, and
// neither kept nor tried again. Progress, questions and [Once] work in middleware as in the func.
//
// Of what a tool may say of its limits, [Scopes], [RateLimit], [Concurrent] and [Timeout] stand outside of all middleware,
// and the checks of arguments and [AskFirst] inside.
type Middleware func(next Handler) Handler

// Use puts middleware around the tool: the first is outermost. Of several Use the earlier ones stand outside the later.
// What a server has for all of its tools stands outside of these. [Tool.Call] runs them too.
// A tool without any has no cost.
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
		return finishResult(dst, t.name, res, t.output)
	}
	return &made
}
