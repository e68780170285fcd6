package runtime

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/mcptool"
)

// contextFunc is [Server.CallContext]; nil if there is none.
type contextFunc func(context.Context) (context.Context, error)

// call is Call of mcptool.Internal in the context that f returns.
func (f contextFunc) call(ctx context.Context, tool *mcptool.Tool, args, dst []byte) ([]byte, *mcptool.Result, error) {
	ctx, err := f.derive(ctx)
	if err != nil {
		return dst, nil, err
	}
	return internals.Call(ctx, tool, args, dst)
}

// derive returns the context in which a func of the program runs. A panic of f is an error.
func (f contextFunc) derive(ctx context.Context) (_ context.Context, err error) {
	if f == nil {
		return ctx, nil
	}
	if err := ctx.Err(); err != nil {
		return ctx, err
	}
	const owner = "Server.CallContext"
	defer func() {
		if v := recover(); v != nil {
			err = &mcptool.PanicError{Tool: owner, Value: v, Stack: debug.Stack()}
		}
	}()
	made, err := f(ctx)
	if err == nil && made == nil {
		err = &mcptool.OutputError{Tool: owner, Err: errors.New("the context is nil")}
	}
	return made, err
}

// withCaller returns a context in which [mcptool.Caller] returns the result of info, and [mcptool.Logger] writes to logger.
// The URI is the normal form of the URI of a resource; "" for none.
func withCaller(ctx context.Context, logger *slog.Logger, info func() mcptool.CallInfo, uri string) context.Context {
	return &callctx.Context{Context: ctx, Call: callctx.Call{Host: &callerHost{info, logger.Handler()}, URI: uri}}
}

// callerHost is the host of package mcptool for code of the program that runs for a caller, but not in a call. It has no
// client.
type callerHost struct {
	info func() mcptool.CallInfo
	log  slog.Handler
}

// CallInfo implements host of package mcptool, like the methods below.
func (h *callerHost) CallInfo() mcptool.CallInfo { return h.info() }

func (h *callerHost) Progress(float64, float64, string) {}

func (h *callerHost) LogHandler() slog.Handler { return h.log }
