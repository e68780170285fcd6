package runtime

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/mcptool"
)

// callFunc is Call of mcptool.Internal in the context of [Server.CallContext].
func (c *core) callFunc(ctx context.Context, tool *mcptool.Tool, args, dst []byte) ([]byte, *mcptool.Result, error) {
	ctx, err := c.callContext(ctx)
	if err != nil {
		return dst, nil, err
	}
	return internals.Call(ctx, tool, args, dst)
}

// callContext returns the context in which a func of the program runs, see [Server.CallContext].
func (c *core) callContext(ctx context.Context) (_ context.Context, err error) {
	if c.contextOf == nil {
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
	made, err := c.contextOf(ctx)
	if err == nil && made == nil {
		err = &mcptool.OutputError{Tool: owner, Err: errors.New("the context is nil")}
	}
	return made, err
}

// withCaller returns a context in which [mcptool.Caller] returns the result of info. The URI is the normal form of the URI
// of a resource; "" for none.
func (c *core) withCaller(ctx context.Context, info func() mcptool.CallInfo, uri string) context.Context {
	return &callctx.Context{Context: ctx, Call: callctx.Call{Host: &callerHost{info, c.log.Handler()}, URI: uri}}
}
