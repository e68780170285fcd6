package runtime

import (
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/share"
)

// traffic is the calls of a server in flight, over all sessions and endpoints: each from when it is taken on until its
// tool has returned, or it has been dropped before that ran.
type traffic struct{ shares }

// enter counts a call, and has it hold what its transport has reserved. The error is that of [shares.take].
func (t *traffic) enter(c *call, memory *Reservation) error {
	if err := t.take(c.access.Caller(), 1); err != nil {
		return err
	}
	if memory.hold() {
		c.rarities().memory = memory
	}
	return nil
}

// leave counts a call no longer.
func (t *traffic) leave(c *call) {
	t.give(c.access.Caller(), 1)
	c.has().memory.drop()
}

// await counts n requests of a caller that wait for tasks, as calls that take no place, until they are given back.
func (t *traffic) await(who Caller, n int) *wireError {
	if err := t.take(who, n); err != nil {
		return &wireError{code: codeInternal, message: t.refusal(err)}
	}
	return nil
}

// refusal returns why there is no room for a call, in words for the model.
func (t *traffic) refusal(why error) string {
	total, each := t.Limits()
	if errors.Is(why, share.ErrShare) {
		return fmt.Sprintf("too many calls of this caller are in flight: at most %d at once; call again when one has ended", each)
	}
	return fmt.Sprintf("the server is busy: at most %d calls are in flight at once; call again later", total)
}

// turnAway answers a call for which the server has no room. As with a tool that has none, it is the model that can
// wait; whoever calls a method of the author's own gets an error.
func (r *request) turnAway(c *call, why error) *wireError {
	text := r.session.traffic.refusal(why)
	if c.method != nil {
		return &wireError{code: codeInternal, message: text}
	}
	compose(func(msg []byte) {
		r.to.reply(msg, Served)
		r.auditRefusal(outcomeBusy, len(msg))
	}, func(dst []byte) []byte {
		return endResponse(r.session.appendFailure(beginResult(dst, r.id), text, r.version))
	})
	return nil
}
