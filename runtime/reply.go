package runtime

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// appendError appends the response with an error.
func (c *core) appendError(dst, id []byte, e *wireError, v wire.Version) []byte {
	if e.forModel {
		return wire.EndResponse(c.appendFailure(wire.BeginResult(dst, id), e.Message, v))
	}
	return e.AppendResponse(dst, id)
}

// appendResultTail ends a result object. From revision 2026-07-28 on every result contains its type and the server's
// name and version. Meta contains the members of _meta from the tool, without braces.
func (c *core) appendResultTail(dst []byte, v wire.Version, meta []byte) []byte {
	return wire.AppendTail(dst, complete, v, c.serverInfo[v], meta)
}

// appendTail is appendResultTail for a result of any type, given as JSON.
func (c *core) appendTail(dst, kind []byte, v wire.Version, meta []byte) []byte {
	return wire.AppendTail(dst, kind, v, c.serverInfo[v], meta)
}

// appendFailure appends an isError result with this text.
func (c *core) appendFailure(dst []byte, text string, v wire.Version) []byte {
	dst = c.redactor.AppendString(append(dst, `{"content":[{"type":"text","text":`...), text)
	return c.appendResultTail(append(dst, `}],"isError":true`...), v, nil)
}

// replyLong answers with the result that build appends, of about size bytes. If it is long, replyLong waits for a
// slot for long work before build.
func (r *request) replyLong(size int, build func(dst []byte) []byte) *wireError {
	leave, err := r.from.enterSlot(r.access, size)
	if err != nil {
		return err
	}
	defer leave()
	wire.Compose(func(msg []byte) {
		leave()
		defer r.op.end(observe.OutcomeOK, nil, len(msg)) // also if the transport panics
		r.respond(msg, engine.End{})
	}, func(dst []byte) []byte {
		return wire.EndResponse(build(wire.BeginResult(slices.Grow(dst, size+restOfPage), r.id)))
	})
	return nil
}

// refuse answers an invalid message, or a request that one of its stages has ended with an error.
func (r *request) refuse(err *wireError) {
	if r.op == nil && r.from.observes {
		r.observe(observe.KindRequest, "")
	}
	wire.Compose(func(msg []byte) {
		r.op.end(observe.OutcomeOK, err, len(msg))
		r.respond(msg, err.end())
	}, func(dst []byte) []byte {
		return r.from.appendError(dst, r.id, err, r.version)
	})
}

// complete is the type of results that do not require another request of the client.
var complete = []byte(`"complete"`)

// restOfPage is the room in a page in addition to its entries, in bytes. It is enough for most pages, so that they need
// not be copied to grow.
const restOfPage = 1 << 10
