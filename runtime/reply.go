package runtime

import (
	"bytes"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
)

// replier takes what one request brings about: the session itself, the stream of the
// message, or the batch the request came in. The last it gets is the response, or word that
// there will be none.
type replier interface {
	note(msg []byte)
	// ask is note for a question to the client. It reports whether the client will never get
	// it, in a session that goes on.
	ask(msg []byte) (lost bool)
	reply(msg []byte, why Refusal)
	// skip says that there is no response: why is Served if none is wanted, or Cancelled.
	skip(why Refusal)
}

// beginResult appends the start of a successful response; the result object
// follows, then endResponse.
func beginResult(dst, id []byte) []byte {
	dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), id...)
	return append(dst, `,"result":`...)
}

// responseID returns the id of a response that begins as beginResult or appendError have it, nil if it has none.
func responseID(msg []byte) []byte {
	rest, ok := bytes.CutPrefix(msg, []byte(`{"jsonrpc":"2.0","id":`))
	if !ok {
		return nil
	}
	s := jsonscan.New(rest, 1)
	return s.Value()
}

func endResponse(dst []byte) []byte { return append(dst, '}') }

// appendError appends a whole error response. Without a readable id there is no id
// member: the protocol forbids the null that JSON-RPC would put there.
func appendError(dst, id []byte, e *wireError) []byte {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if id != nil {
		dst = append(append(dst, `,"id":`...), id...)
	}
	return append(e.append(jsonwrite.Name(dst, "error")), '}')
}

// appendResultTail closes a result object: from 2026-07-28 on every result says of
// what type it is and who made it. In meta are the members of _meta that
// the tool gave, without braces.
func (c *core) appendResultTail(dst []byte, v version, meta []byte) []byte {
	return c.appendTail(dst, []byte(`"complete"`), v, meta)
}

// appendTail closes a result object of any type, given as JSON.
func (c *core) appendTail(dst, kind []byte, v version, meta []byte) []byte {
	modern := v.has(perRequest)
	if modern {
		dst = append(jsonwrite.Name(dst, "resultType"), kind...)
	}
	if modern || len(meta) > 0 {
		dst = append(jsonwrite.Name(dst, "_meta"), '{')
		dst = append(dst, meta...)
		if modern {
			dst = append(jsonwrite.Name(dst, metaServerInfo), c.serverInfo[v]...)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// compose delivers a message that build appends.
func compose(deliver func(msg []byte), build func(dst []byte) []byte) {
	buf := getBuffer()
	defer putBuffer(buf)
	*buf = build(*buf)
	deliver(*buf)
}

// replyKept answers with a result that stays in memory. It is not copied where it is large and
// the transport can do without.
func (r *request) replyKept(result []byte) *wireError {
	s := r.session
	if len(result) > keepBuffer && s.gather != nil && r.later() == replier(s) {
		compose(func(head []byte) { s.sent(s.gather.SendPieces(head, result, endResponse(nil))) },
			func(dst []byte) []byte { return beginResult(dst, r.id) })
		return nil
	}
	return r.replyLong(len(result), func(dst []byte) []byte { return append(dst, result...) })
}

// replyLong answers with the result that build appends, which has about so many bytes. If it is long, build waits for the
// turn of the caller.
func (r *request) replyLong(size int, build func(dst []byte) []byte) *wireError {
	turn, err := r.session.turnOf(r.access, size)
	if err != nil {
		return err
	}
	defer turn.End()
	compose(func(msg []byte) {
		turn.End()
		r.to.reply(msg, Served)
	}, func(dst []byte) []byte {
		return endResponse(build(beginResult(slices.Grow(dst, size+restOfPage), r.id)))
	})
	return nil
}

// fail answers the call with what went wrong.
func (c *call) fail(err error) {
	f := c.session.explain(c, err)
	buf := getBuffer()
	defer putBuffer(buf)
	if f.protocol != nil {
		*buf = appendError(*buf, c.id, f.protocol)
		c.answer(*buf, f.protocol.refusal, c.failed(err))
		return
	}
	*buf = endResponse(c.session.appendFailure(beginResult(*buf, c.id), f.text, c.version))
	c.answer(*buf, Served, c.failed(err))
}

// answer sends the response and ends the call.
func (c *call) answer(msg []byte, why Refusal, how outcome) {
	if c.deliver(msg, why) {
		c.audit(how, len(msg))
	}
}

// deliver sends the response, unless another was sent or none is wanted, and ends the call. It reports
// whether the response was sent.
func (c *call) deliver(msg []byte, why Refusal) bool {
	c.session.unread.Add(1) // before it is in flight no more: see logStuck
	defer c.session.unread.Add(-1)
	c.discharge()
	defer c.end(nil)
	c.mu.Lock()
	defer c.mu.Unlock() // even if the transport panics
	if progress := c.extras().progress(); progress != nil {
		c.sendHeld()
		progress.stop()
	}
	wanted := !c.mute()
	c.last(msg, why)
	return wanted
}

// respondError sends an error response.
func respondError(to replier, id []byte, e *wireError) {
	compose(func(msg []byte) { to.reply(msg, e.refusal) }, func(dst []byte) []byte { return appendError(dst, id, e) })
}

// refuse answers a request that was ended by one of its stages. The audit has a record of each tools/call.
func (r *request) refuse(err *wireError) {
	compose(func(msg []byte) {
		if r.method != nil && r.method.calls {
			r.auditRefusal(err, len(msg))
		}
		r.to.reply(msg, err.refusal)
	}, func(dst []byte) []byte {
		if err.forModel {
			return endResponse(r.session.appendFailure(beginResult(dst, r.id), err.message, r.version))
		}
		return appendError(dst, r.id, err)
	})
}
