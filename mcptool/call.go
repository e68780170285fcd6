package mcptool

import (
	"bytes"
	"context"
	"errors"
)

// Call runs the tool without a server: for tests, and for adapters to other
// protocols. The arguments are a JSON object; none, or null, is an empty one.
//
// The error is an [*ArgumentError] when the arguments do not fit, and the func then
// has not run; an [*OutputError] when the func's result cannot be sent; a
// [*PanicError] when it panicked; the context's own error when it had ended before
// the func began; otherwise what the func returned, and then there is no result.
// A func is expected to heed its context: Call returns when it does.
//
// Of a typed tool, Structured of the result is its JSON and Content is empty: a
// server adds the text block. Call is safe for concurrent use if the func is. A func
// that calls [runtime.Goexit] ends the goroutine that made the call.
func (t *Tool) Call(ctx context.Context, args []byte) (res *Result, err error) {
	if t == nil || t.invoke == nil {
		return nil, errNoTool
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer contain(t.name, &res, &err)
	return t.invoke(withTool(ctx, t), orEmptyObject(args))
}

var errNoTool = errors.New("mcptool: the tool is empty; make one with New or NewRaw")

// orEmptyObject reads absent arguments as none: clients leave the member out, or
// send null for it.
func orEmptyObject(args []byte) []byte {
	if trimmed := bytes.Trim(args, " \t\r\n"); len(trimmed) == 0 || string(trimmed) == "null" {
		return []byte("{}")
	}
	return args
}

// authorError hands on an error of the author's func once it is sure that its text
// can be read: a nil pointer that became an error panics here, where that is
// contained, and not in the server.
func authorError(err error) error {
	_ = err.Error()
	return err
}
