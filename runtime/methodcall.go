package runtime

import (
	"bytes"
	"errors"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// appendMethodReply runs the custom method of the call and appends its result.
func appendMethodReply(c *call, dst []byte) ([]byte, error) {
	if err := c.Err(); err != nil {
		return dst, err
	}
	value, err := handle(c)
	if err != nil {
		return dst, err
	}
	leave, err := callctx.Enter(c, len(c.args), 1) // results are often as long as the params
	defer leave()
	if err != nil {
		return dst, err
	}
	result, err := methodResult(c, value)
	if err != nil {
		return dst, err
	}
	return c.from.appendMethodResult(dst, result, c.target.method.Cache, c.version), nil
}

// handle runs the func of the custom method.
func handle(c *call) (any, error) {
	c.from.running.add(c)
	defer c.from.running.remove(c)
	ctx, err := c.from.contextOf.derive(c)
	if err != nil {
		return nil, err
	}
	return c.target.method.Handle(ctx, bytes.Clone(c.args)) // the buffer of args may be reused
}

// methodResult returns the parts of the result of a custom method.
func methodResult(c *call, value any) (wire.Result, error) {
	var (
		result wire.Result
		raw    []byte
		err    error
	)
	if value != nil {
		raw, err = schemas.AppendValue(c, nil, value, false)
	}
	if err == nil && len(raw) > 0 && string(raw) != "null" { // null is a nil pointer or map
		result, err = wire.ReadResult(raw, c.version)
	}
	size := len(result.Members) + len(result.Meta)
	_, isLong := errors.AsType[*private.TooLongError](err)
	switch {
	case isLong:
		return result, tooLarge(c, largeError{size: c.from.maxJSON, more: true})
	case err != nil:
		return result, &mcptool.OutputError{Tool: c.target.method.Name, Err: err}
	case size > c.from.limits.MaxResultBytes:
		return result, tooLarge(c, largeError{size: size})
	default:
		return result, nil
	}
}
