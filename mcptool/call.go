package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"slices"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/replay"
)

// Call runs the tool without a server. It is for tests and for adapters to other protocols. The arguments are a JSON
// object; nil, blank and null mean an empty object.
//
// The error is an [*ArgumentError] if the arguments do not fit, in which case the func has not run; an [*OutputError]
// if the result of the func cannot be sent; a [*PanicError] if the func panicked; the error of ctx if it had ended
// before the func began; one that is [context.DeadlineExceeded] if the tool has a [Timeout] and ended because of it; and otherwise the error
// of the func. With an error the result is nil. Call returns only when the func does, so a func should end when its
// context does. Of the tool's limits, only Timeout applies without a server.
//
// If the func returns a Go value, Structured of the result is its JSON. Content has the text of a string (see [New]), and
// is empty for other values; a server adds their JSON as a text block. Call is safe for concurrent use if the func is. A
// func that calls [runtime.Goexit] ends the goroutine that called Call.
func (t *Tool) Call(ctx context.Context, args []byte) (*Result, error) {
	ctx, cancel := t.withTimeout(ctx)
	defer cancel()
	res, err := t.handle(ctx, args)
	if err != nil {
		return nil, t.late(ctx, err)
	}
	if t.settings.IsString {
		addString(res)
	}
	return res, nil
}

// handle implements [Handler]: it joins the parts of a result that Call of [internals] returns.
func (t *Tool) handle(ctx context.Context, args json.RawMessage) (*Result, error) {
	structured, res, err := internals{}.Call(ctx, t, args, nil)
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

// Call is [Tool.Call] for servers that write the whole response to one buffer: it appends the JSON that Tool.Call returns
// as Structured to dst, or nothing if there is none or an error. The rest is the other fields of the result, nil if there
// are none. Call does not enforce the tool's timeout: the server does, and can answer before the func returns.
func (internals) Call(ctx context.Context, t *Tool, args, dst []byte) (out []byte, rest *Result, err error) {
	if t == nil || t.invoke == nil {
		return dst, nil, errNoTool
	}
	if err := ctx.Err(); err != nil {
		return dst, nil, err
	}
	// This also recovers http.ErrAbortHandler: over stdio no handler catches it, and one tool must not end the process for
	// all. It cannot stop runtime.Goexit, which ends the goroutine of the caller.
	defer func() {
		if value := recover(); value != nil {
			out, rest, err = dst, nil, &PanicError{Tool: t.settings.Name, Value: value, Stack: debug.Stack()}
		}
	}()
	if len(args) == 0 || args[0] != '{' {
		args = orEmptyObject(args)
	}
	if t.known != nil {
		if args, err = t.removeUnknown(ctx, args); err != nil {
			return dst, nil, err
		}
	}
	args, _ = internals{}.WithoutInjected(t, args)
	return t.invoke(withTool(ctx, t), args, dst)
}

// withTool sets the tool that [Caller] returns. The CallInfo of the host is not enough: there may be no host, or the
// tool of the host's call may have called t.
func withTool(ctx context.Context, t *Tool) context.Context {
	call := callctx.Of(ctx)
	if named, _ := call.Tool.(*Tool); named != nil && named.settings.Name == t.settings.Name && named.kind == t.kind {
		return ctx
	}
	call.Tool = t
	if _, keeps := call.Host.(asker); !keeps && call.Kept == nil {
		call.Kept = replay.NewRun(replay.Log{}, nil)
	}
	return &callctx.Context{Context: ctx, Call: call}
}

// withTimeout returns the context for a call without a server.
func (t *Tool) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if t == nil || t.settings.Timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, t.settings.Timeout, &private.TimeoutError{Tool: t.settings.Name, Limit: t.settings.Timeout})
}

// late returns the [*private.TimeoutError] if err was caused by the tool's timeout, and otherwise err.
func (t *Tool) late(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		if limit, ok := errors.AsType[*private.TimeoutError](context.Cause(ctx)); ok && limit.Tool == t.settings.Name {
			return limit
		}
	}
	return err
}

// addString adds the structured part, a JSON string, as a text block, unless Content already contains it. A server does
// the same without decoding the string.
func addString(r *Result) {
	var text string
	if raw, ok := r.Structured.(json.RawMessage); !ok || json.Unmarshal(raw, &text) != nil {
		return // an error, or the result of middleware
	}
	if !slices.ContainsFunc(r.Content, func(c Content) bool { t, ok := c.(Text); return ok && t.Text == text }) {
		r.Content = append(r.Content, Text{Text: text})
	}
}

var errNoTool = errors.New("mcptool: the tool is empty; make one with New or NewRaw")

// orEmptyObject returns {} for absent arguments: clients omit the member, or send null.
func orEmptyObject(args []byte) []byte {
	if trimmed := bytes.Trim(args, " \t\r\n"); len(trimmed) == 0 || string(trimmed) == "null" {
		return []byte("{}")
	}
	return args
}

// injected are arguments that clients add to each schema, have their models set, and forward. They are removed before
// the arguments are checked, unless the schema mentions them. Add a row only for a client that sends the argument to
// servers.
var injected = []struct {
	client, name string
	types        jsondoc.Types // of the values
	source, date string        // where and when this was observed
}{
	{"Gemini CLI", "wait_for_previous", jsondoc.TypeBool, "calls of version 0.61.0", "2026-11-26"},
}

// WithoutInjected returns the arguments without those that clients inject, and the names of the ones that were removed. It
// does not modify args.
func (internals) WithoutInjected(t *Tool, args []byte) (kept []byte, names []string) {
	kept = args
	for _, in := range injected {
		if !bytes.Contains(args, []byte(in.name)) || t.kind != kindTool || bytes.Contains(t.input.JSON(), []byte(in.name)) || rawjson.Valid(kept, 0) != nil {
			continue
		}
		doc := jsondoc.Parse(kept)
		isInjected := func(m jsondoc.Member) bool { return m.Name == in.name && m.Value.Type()&in.types != 0 }
		if i := slices.IndexFunc(doc.Members, isInjected); i >= 0 {
			doc.Members = slices.Delete(doc.Members, i, i+1)
			kept, names = doc.AppendTo(nil), append(names, in.name)
		}
	}
	return kept, names
}

// Accepted returns the arguments of a call before it runs, in the form in which the tool accepts them: without those that
// are ignored, and converted if the tool, or otherwise the server, coerces. Arguments that the tool does not accept stay as
// they are. It does not modify args.
func (internals) Accepted(ctx context.Context, t *Tool, args []byte, coerces bool) []byte {
	kept, _ := internals{}.WithoutUnknown(t, args)
	kept, _ = internals{}.WithoutInjected(t, kept)
	if t.settings.Coerce != nil {
		coerces = *t.settings.Coerce
	}
	if !coerces {
		return kept
	}
	if fit, _, err := schemas.CheckArguments(ctx, t.input, kept, &coerces); err == nil {
		return fit
	}
	return kept
}

// removeUnknown is WithoutUnknown of [internals] in a call.
func (t *Tool) removeUnknown(ctx context.Context, args []byte) ([]byte, error) {
	leave, err := callctx.Enter(ctx, len(args), 1)
	defer leave()
	if err == nil && len(args) > freeArguments {
		err = reserve(ctx, len(args)) // for the copy
	}
	if err != nil {
		return nil, err
	}
	kept, _ := internals{}.WithoutUnknown(t, args)
	return kept, nil
}
