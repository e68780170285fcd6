package runtime

import (
	"bytes"
	"errors"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// runMethod runs a custom method and sends the response.
func (c *call) runMethod(begun timestamp) {
	if err := c.Err(); err != nil {
		c.fail(err)
		return
	}
	value, err := c.method.Handle(c, bytes.Clone(c.args)) // the buffer of args may be reused
	c.timed(begun)
	switch {
	case c.asks(err):
		return
	case err != nil:
		c.fail(err)
		return
	}
	leave, err := callctx.Enter(c, len(c.args), 1) // results are often as long as the params
	defer leave()
	if err != nil {
		c.fail(err)
		return
	}
	result, err := c.methodResult(value)
	if err != nil {
		c.fail(err)
		return
	}
	buf := wire.GetBuffer()
	defer wire.PutBuffer(buf)
	*buf = wire.EndResponse(c.from.appendMethodResult(wire.BeginResult(*buf, c.id), result, c.method.Cache, c.version))
	leave()
	c.answer(*buf, Served, outcomeOK)
}

// methodResult returns the parts of the result of the method.
func (c *call) methodResult(value any) (wire.Result, error) {
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
	size, limit := len(result.Members)+len(result.Meta), c.from.limits.MaxResultBytes
	_, isLong := errors.AsType[*private.TooLongError](err)
	switch {
	case isLong:
		return result, c.tooLarge(c.endless())
	case err != nil:
		return result, &mcptool.OutputError{Tool: c.method.Name, Err: err}
	case size > limit:
		return result, c.tooLarge(&largeError{size: size, limit: limit})
	default:
		return result, nil
	}
}

// appendMethodResult appends the result as clients of revision v get it. Only complete results have a caching hint.
func (c *core) appendMethodResult(dst []byte, r wire.Result, hint *CacheHint, v wire.Version) []byte {
	dst = append(append(dst, '{'), r.Members...)
	switch {
	case r.Kind != nil && string(r.Kind) != `"complete"`:
		return c.appendTail(dst, r.Kind, v, r.Meta)
	case r.Hints != nil && v.Has(wire.PerRequest):
		dst = append(rawjson.AppendComma(dst), r.Hints...)
	case hint != nil:
		dst = hint.append(dst, v)
	}
	return c.appendResultTail(dst, v, r.Meta)
}
