package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"slices"
)

// Handler runs a call of a tool; [Middleware] wraps it. The arguments are a JSON object as sent by the client; they are
// not checked yet. They may be kept, but must not be modified. The result and the errors are the same as for
// [Tool.Call]; test errors with [errors.As].
type Handler func(ctx context.Context, args json.RawMessage) (*Result, error)

// Middleware wraps a tool with added behaviour, such as a cache, retries, metrics or an access rule. It is called once
// for each tool that it wraps, so it can keep state for that tool; the Handler that it returns is called for each call
// of the tool, concurrently. [Caller] returns the name of the tool.
//
//	func Logged(next mcptool.Handler) mcptool.Handler {
//		return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
//			res, err := next(ctx, args)
//			slog.Info("called", "tool", mcptool.Caller(ctx).Tool, "error", err)
//			return res, err
//		}
//	}
//
// The Handler may call next once, several times or not at all, with a context derived from its own and with other
// arguments, which next checks. Its result is checked like the result of a func: if Structured is missing or does not fit
// the output schema, the result is not sent, and the call fails with an [*OutputError]. A Result of next may be shared
// with other calls, so modify only a copy, which keeps the members that it does not change. The model reads the text of an error; return errors of next unchanged or wrap them with
// %w. A panic in next is returned as a [*PanicError]; a panic of the middleware ends the call but not the process.
//
// If a func asks the user and runs again from the top (see [Elicit]), its middleware also runs again, with the answers
// so far. Until all answers have arrived, next returns [ErrAnswerPending]; return that error, and do not cache the result
// or call next again. [Progress], client requests and [Once] work in middleware as in the func.
//
// The [Scopes], [RateLimit], [Concurrent] and [Timeout] of a tool are applied before all middleware. The check of the
// arguments and [AskFirst] come after it; Concurrent of a tool with AskFirst is applied after the question.
type Middleware func(next Handler) Handler

// Origins of middleware, for errors.
const (
	ofTool   = "of the option Use"
	ofServer = "of the server"
)

// wrap returns the tool wrapped in middleware of this origin.
func (t *Tool) wrap(origin string, middleware []Middleware) (wrapped *Tool, err error) {
	if len(middleware) == 0 || t.invoke == nil {
		return t, nil
	}
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Tool: t.settings.Name, Value: value, Stack: debug.Stack()}
		}
	}()
	handler := Handler(t.handle)
	for _, mw := range slices.Backward(middleware) {
		if handler = mw(handler); handler == nil {
			return nil, &PanicError{Tool: t.settings.Name, Value: errors.New("the middleware returned no Handler"), Stack: debug.Stack()}
		}
	}
	return t.withHandler(origin, handler), nil
}

// withHandler returns a copy of the tool that runs handler, middleware of this origin.
func (t *Tool) withHandler(origin string, handler Handler) *Tool {
	made := *t
	made.invoke = func(ctx context.Context, args, dst []byte) ([]byte, *Result, error) {
		res, err := handler(ctx, bytes.Clone(args)) // the buffer of args is reused
		if err != nil {
			return dst, nil, authorError(err)
		}
		out, rest, err := finishResult(ctx, dst, t.settings.Name, res, t.output)
		if bad, ok := errors.AsType[*OutputError](err); ok {
			bad.middleware = origin
		}
		return out, rest, err
	}
	return &made
}
