package runtime

import (
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/mcptool"
)

// runMethod runs a method of the author's own and sends the response.
func (c *call) runMethod() {
	if err := c.Err(); err != nil {
		c.fail(err)
		return
	}
	value, err := c.method.Handle(c, c.args)
	switch {
	case c.asks(err):
		return
	case err != nil:
		c.fail(err)
		return
	}
	turn, err := processor.CallerIn(c).Begin(len(c.args)) // what it returns is often as long
	if err != nil {
		c.fail(err)
		return
	}
	defer turn.End()
	result, err := c.methodResult(value)
	if err != nil {
		c.fail(err)
		return
	}
	buf := getBuffer()
	defer putBuffer(buf)
	*buf = endResponse(c.session.appendMethodResult(beginResult(*buf, c.id), result, c.method.Cache, c.version))
	turn.End()
	c.answer(*buf, Served, outcomeOK)
}

// methodResult takes apart what the method returned.
func (c *call) methodResult(value any) (methodResult, error) {
	var (
		result methodResult
		raw    []byte
		err    error
	)
	if value != nil {
		raw, err = schemas.AppendValue(c, nil, value)
	}
	if err == nil && len(raw) > 0 && string(raw) != "null" { // which is a nil pointer or map
		result, err = readMethodResult(raw, c.version)
	}
	size, limit := len(result.members)+len(result.meta), c.session.limits.MaxResultBytes
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

// methodResult is the result of a method of the author's own, taken apart.
type methodResult struct {
	members []byte // as in an object, without braces: all that are sent as they are
	meta    []byte // those of _meta, likewise
	kind    []byte // resultType, raw, nil if there is none
	hints   []byte // ttlMs and cacheScope, likewise
}

// readMethodResult takes apart the JSON of a result, which is compact, for revision v.
func readMethodResult(raw []byte, v version) (methodResult, error) {
	var r methodResult
	err := eachMember(raw, func(name string, value, text []byte) error {
		switch name {
		case "resultType":
			return r.setKind(value, v)
		case "_meta":
			return r.setMeta(value)
		case "ttlMs", "cacheScope":
			r.hints = append(jsonwrite.Comma(r.hints), text...)
		default:
			r.members = append(jsonwrite.Comma(r.members), text...)
		}
		return nil
	})
	return r, err
}

// setKind takes the member resultType.
func (r *methodResult) setKind(value []byte, v version) error {
	switch {
	case jsonscan.KindOf(value) != jsonscan.String:
		return errors.New("resultType is no string")
	case string(value) != `"complete"` && !v.has(perRequest):
		return fmt.Errorf("revision %s has no resultType %s", v, value)
	case string(value) == `"task"`:
		return errors.New("resultType is task, which tools alone have")
	}
	r.kind = value
	return nil
}

// setMeta takes the member _meta.
func (r *methodResult) setMeta(value []byte) error {
	return eachMember(value, func(name string, _, text []byte) error {
		if name == metaServerInfo {
			return errors.New("_meta has " + metaServerInfo + ", which is the engine's to say")
		}
		r.meta = append(jsonwrite.Comma(r.meta), text...)
		return nil
	})
}

// eachMember calls fn with each member of raw, compact JSON: its name, its value and its text. It
// ends with the first error, and with one if raw is no object.
func eachMember(raw []byte, fn func(name string, value, text []byte) error) error {
	if jsonscan.KindOf(raw) != jsonscan.Object {
		return fmt.Errorf("%s is no object", quote(string(raw)))
	}
	s := jsonscan.New(raw, 0)
	s.OpenObject()
	start := s.Offset()
	for found, ok := s.Member(); ok; found, ok = s.Member() {
		name := string(found)
		value := s.Value()
		if value == nil {
			break
		}
		end := s.Offset() // at the comma
		if err := fn(name, value, raw[start:end]); err != nil {
			return err
		}
		start = end + 1
	}
	return s.Err()
}

// appendMethodResult appends the result as clients of revision v get it. Only what is
// complete may be kept.
func (c *core) appendMethodResult(dst []byte, r methodResult, hint *CacheHint, v version) []byte {
	dst = append(append(dst, '{'), r.members...)
	switch {
	case r.kind != nil && string(r.kind) != `"complete"`:
		return c.appendTail(dst, r.kind, v, r.meta)
	case r.hints != nil && v.has(perRequest):
		dst = append(jsonwrite.Comma(dst), r.hints...)
	case hint != nil:
		dst = hint.append(dst, v)
	}
	return c.appendResultTail(dst, v, r.meta)
}
