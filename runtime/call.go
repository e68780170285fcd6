package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/mcptool"
)

// call is one tools/call on its way. It is the tool's [mcptool.Host].
type call struct {
	exchange
	version version
	tool    *mcptool.Tool
	key     string // of id, see envelope.Key

	// Parts of one copy of what was received, or nil.
	id, args, meta, token, client []byte

	ctx      context.Context // the call's own
	cancel   context.CancelCauseFunc
	logLevel logLevel // least level the client wants, of a modern request
	progress progress // guarded by exchange.mu
}

// callTool begins a tools/call.
func (r *request) callTool() *wireError {
	p := r.params
	if jsonscan.KindOf(p.Name) != jsonscan.String {
		return invalidParams("params.name must be a string")
	}
	switch jsonscan.KindOf(p.Arguments) {
	case jsonscan.Invalid, jsonscan.Null, jsonscan.Object:
	default:
		return invalidParams("params.arguments must be an object")
	}
	name := string(jsonscan.Unquote(p.Name))
	tool, ok := r.session.tools.Lookup(name)
	if !ok {
		return r.session.unknownTool(name)
	}
	if x := r.stateless(); x != nil {
		if err := x.CheckCall(tool, p.Arguments); err != nil {
			return &wireError{code: codeHeaderMismatch, message: err.Error(), refusal: Misaddressed}
		}
	}
	c := newCall(r, tool)
	if err := r.session.admit(c); err != nil {
		c.cancel(nil)
		return err
	}
	return nil
}

// newCall returns the call that r asks for. It keeps nothing of what was received, only copies.
func newCall(r *request, tool *mcptool.Tool) *call {
	s, p := r.session, r.params
	c := &call{
		exchange: exchange{session: s, to: r.to},
		version:  r.version, tool: tool, key: envelope.Key(r.id),
	}
	own := make([]byte, 0, len(r.id)+len(p.Arguments)+len(p.Meta.Raw)+len(p.Meta.ProgressToken)+len(p.Meta.ClientInfo))
	for _, part := range []struct {
		dst *[]byte
		src []byte
	}{
		{&c.id, r.id},
		{&c.args, p.Arguments},
		{&c.meta, p.Meta.Raw},
		{&c.token, p.Meta.ProgressToken},
		{&c.client, p.Meta.ClientInfo},
	} {
		if part.src != nil {
			start := len(own)
			own = append(own, part.src...)
			*part.dst = own[start:len(own):len(own)]
		}
	}
	if p.Meta.Kind != jsonscan.Object {
		c.meta = nil
	}
	if r.version.has(perRequest) {
		c.logLevel = parseLogLevel(p.Meta.LogLevel)
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	c.ctx, c.cancel = mcptool.WithHost(ctx, c), cancel
	return c
}

// size is what the call holds while it waits, in bytes.
func (c *call) size() int {
	return len(c.id) + len(c.args) + len(c.meta) + len(c.token) + len(c.client)
}

// errGoexit is what happened to a call whose goroutine was ended under it.
var errGoexit = errors.New("the tool ended its goroutine with runtime.Goexit")

// run runs the tool and sends the response.
func (c *call) run() {
	defer func() {
		// Call contains panics of the tool; this one would be ours.
		if v := recover(); v != nil {
			c.fail(&mcptool.PanicError{Tool: c.tool.Name(), Value: v, Stack: debug.Stack()})
		}
	}()
	if c.ctx.Err() != nil {
		c.fail(c.ctx.Err())
		return
	}
	result, err := c.tool.Call(c.ctx, c.args)
	if err != nil {
		c.fail(err)
		return
	}
	c.answer(func(dst []byte) []byte {
		return endResponse(c.session.appendCallResult(beginResult(dst, c.id), c.tool, result, c.version))
	})
}

// fail answers the call with what went wrong.
func (c *call) fail(err error) {
	f := c.session.explain(c, err)
	c.answer(func(dst []byte) []byte {
		if f.protocol != nil {
			return appendError(dst, c.id, f.protocol)
		}
		return endResponse(c.session.appendFailure(beginResult(dst, c.id), f.text, c.version))
	})
}

// answer sends the response that build appends and ends the call.
func (c *call) answer(build func(dst []byte) []byte) {
	defer c.cancel(nil)
	compose(func(msg []byte) {
		c.flushProgress()
		c.session.discharge(c.key, c)
		c.finish(msg)
		c.stopProgress()
	}, build)
}

// abandoned implements [pending]: the session ends, and the tool has not.
func (c *call) abandoned() { c.fail(ErrShutdown) }

// cancelled implements [pending]: the client wants no answer any more.
func (c *call) cancelled(reason string) {
	cause := ErrCancelled
	if reason != "" {
		cause = fmt.Errorf("%w: %s", ErrCancelled, reason)
	}
	c.unwanted.Store(true) // before cancel: a tool that heeds it answers at once
	c.cancel(cause)        // before silence, which may have to wait for a message being sent
	s := c.session
	s.mu.Lock()
	s.calls.remove(c)
	s.mu.Unlock()
	c.silence()
	c.stopProgress()
	s.log.LogAttrs(s.ctx, slog.LevelInfo, "call cancelled by the client", slog.String("tool", c.tool.Name()),
		slog.String("request_id", string(c.id)), slog.String("reason", reason))
}

// CallInfo implements [mcptool.Host].
func (c *call) CallInfo() mcptool.CallInfo {
	info := mcptool.CallInfo{
		Tool:            c.tool.Name(),
		RequestID:       string(c.id),
		ProtocolVersion: c.version.String(),
		Meta:            c.meta,
	}
	if c.version.has(perRequest) {
		info.Client, _ = readClientInfo(c.client)
		return info
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	info.Client = c.session.hello.client
	return info
}
